import JSON

extension InferenceServer {
  /// vLLM's routes that load adapters and let go of them, and llama.cpp's that set their strengths.
  static let adapterRoutes = [
    Route(method: "POST", path: "/v1/load_lora_adapter") { server, http throws(ServingError) in
      try server.load(http)
    },
    Route(method: "POST", path: "/v1/unload_lora_adapter") { server, http throws(ServingError) in
      try server.unload(http)
    },
    Route(method: "GET", path: "/lora-adapters") { server, _ throws(ServingError) in
      try server.listed("/lora-adapters") { () throws(ServingError) in
        .array(try server.models.numberedAdapters().map(\.json))
      }
    },
    Route(method: "POST", path: "/lora-adapters") { server, http throws(ServingError) in
      try server.setScales(http)
    },
  ]

  private func load(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let request = try LoadRequest(http.body)
    try models.loaded.checkAllowed()
    try models.checkFree(request.name)
    try models.loaded.load(
      request.path, as: request.name, on: models.base, replacing: request.isInPlace)
    return .text("Success: LoRA adapter '\(request.name)' added successfully.")
  }

  private func unload(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let fields = try RequestReader(http.body)
    let name = try fields.required("lora_name", fields.string("lora_name"))
    _ = try fields.integer("lora_int_id", 0...Int(Int32.max))
    try fields.refuseRest()
    try models.loaded.checkAllowed()
    try models.loaded.unload(name)
    return .text("Success: LoRA adapter '\(name)' removed successfully.")
  }

  private func setScales(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let given = try AdapterScale.list(RequestReader.objects(http.body))
    let scales = try models.scales(given, at: "")
    try models.loaded.checkAllowed()
    models.scales.scales = scales
    return .json(.object(["success": .bool(true)]))
  }
}

/// A request to load an adapter.
///
/// Source: vLLM's documentation, "LoRA adapters", "Dynamically serving LoRA adapters".
struct LoadRequest {
  let name: String
  let path: String
  /// Whether it may take the place of another one of this name.
  let isInPlace: Bool

  init(_ body: [UInt8]) throws(ServingError) {
    let fields = try RequestReader(body)
    name = try fields.required("lora_name", fields.string("lora_name"))
    path = try fields.required("lora_path", fields.string("lora_path"))
    isInPlace = try fields.bool("load_inplace") ?? false
    try fields.refuseRest()
  }
}

extension ServedModels {
  /// An adapter by its number.
  struct NumberedAdapter {
    let number: Int
    let name: String
    let scale: Double

    var json: JSONValue {
      .object([
        "id": .integer(number), "path": .string(name), "scale": .number(JSONNumber(scale)),
        "task_name": .string(""), "prompt_prefix": .string(""),
      ])
    }
  }

  /// The adapters of the base in use, by their numbers.
  func numberedAdapters() throws(ServingError) -> [NumberedAdapter] {
    let installed = try listing().ownAdapters
    // What was installed by the name of one that clients have loaded is not reached by it.
    let names = installed + Set(loaded.all.map(\.name)).subtracting(installed).sorted()
    let set = scales.scales
    return zip(scales.numbers(of: names), names).map { number, name in
      NumberedAdapter(number: number, name: name, scale: set[name] ?? 0)
    }.sorted { $0.number < $1.number }
  }

  /// The strengths of a list of numbers and strengths, which stands at `place`.
  func scales(_ given: [AdapterScale], at place: String) throws(ServingError) -> [String: Double] {
    let known = Dictionary(
      uniqueKeysWithValues: try numberedAdapters().map { ($0.number, $0.name) })
    var scales: [String: Double] = [:]
    for entry in given {
      guard let name = known[entry.number] else {
        throw .invalid(entry.place, "no adapter has this number.")
      }
      scales[name] = entry.scale
    }
    guard scales.values.count(where: { $0 != 0 }) <= Self.adaptersOfModel else {
      throw .invalid(place, "a model may have \(Self.adaptersOfModel) adapters.")
    }
    return scales
  }

  /// The model that a request names, with the adapters that its field `lora` has, where it has one.
  func model(
    named name: String, lora: [AdapterScale]?
  ) throws(ServingError) -> ServedModel {
    guard let lora else { return try model(named: name) }
    guard isOwnBase(name.removingUsualTag) else {
      throw .invalid("lora", "the model has to be the base '\(base.name)' for this.")
    }
    let own = ModelName.Part(name: base.name, version: nil, strength: nil)
    return try model(
      named: name, [own] + ModelName.parts(scales(lora, at: "lora")), listing())
  }

  /// - Throws: `.invalidRequest` where a base or an installed adapter has this name.
  func checkFree(_ name: String) throws(ServingError) {
    let isTaken = try cards().contains { card in
      [card.name, card.identity].contains(name) && loaded[name] == nil
    }
    guard !isTaken else {
      throw .invalid("lora_name", "a model that is installed has this name.")
    }
  }
}
