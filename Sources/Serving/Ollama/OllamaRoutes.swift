import JSON

extension InferenceServer {
  /// The version of Ollama whose interface this is.
  private static let ollamaVersion = "0.12.11"

  /// The routes of Ollama's interface.
  static let ollamaRoutes =
    ["GET", "HEAD"].flatMap { method in
      [
        Route(method: method, path: "/", isOpen: true) { _, http in front(http) },
        Route(method: method, path: "/api/version") { _, _ in
          .json(.object(["version": .string(ollamaVersion)]))
        },
        Route(method: method, path: "/api/tags") { server, _ throws(ServingError) in
          try .json(OllamaModels(server.models).installed())
        },
      ]
    } + [
      Route(method: "GET", path: "/api/ps") { server, _ throws(ServingError) in
        try .json(OllamaModels(server.models).open())
      },
      Route(method: "POST", path: "/api/show") { server, http throws(ServingError) in
        try server.show(http)
      },
      Route(method: "POST", path: "/api/chat") { server, http throws(ServingError) in
        try server.answer(http, .chat)
      },
      Route(method: "POST", path: "/api/generate") { server, http throws(ServingError) in
        try server.answer(http, .generate)
      },
    ] + unsupportedRoutes

  /// Routes that clients try, and that are not here.
  private static let unsupportedRoutes = [
    ("POST", "pull"), ("POST", "push"), ("POST", "create"), ("POST", "copy"),
    ("DELETE", "delete"), ("POST", "embed"), ("POST", "embeddings"),
  ].map { method, name in
    Route(method: method, path: "/api/\(name)") { _, _ throws(ServingError) in
      throw ServingError(
        .notFound,
        "/api/\(name) is not supported: 'fmadapter' on the server installs and removes models, "
          + "and those here write text.", code: "unsupported_route")
    }
  }

  private func answer(
    _ http: HTTPRequest, _ kind: OllamaRequest.Kind
  ) throws(ServingError) -> HTTPResponse? {
    let start = ContinuousClock.now
    let request = try OllamaRequest(http.body, kind)
    let model = try ollamaModel(named: request.model)
    try request.check(model)
    guard let generation = request.generation else {
      return .json(.object(OllamaAnswer.empty(request)))
    }
    guard let run = try run(generation, on: model, http) else { return nil }
    let answer = OllamaAnswer(run, request, since: start)
    if request.streams { return .lines(OllamaStream(answer)) }
    return try answer.whole().map { .json(.object($0)) }
  }

  private func show(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let fields = try RequestReader(http.body)
    _ = try fields.bool("verbose")
    let older = try fields.string("name")
    let name = try fields.required("model", fields.string("model") ?? older)
    try fields.refuseRest()
    return try .json(OllamaModels(models).description(of: ollamaModel(named: name)))
  }

  private func ollamaModel(named name: String) throws(ServingError) -> ServedModel {
    do throws(ServingError) {
      return try models.model(named: name)
    } catch {
      throw OllamaErrors.worded(error, model: name)
    }
  }
}
