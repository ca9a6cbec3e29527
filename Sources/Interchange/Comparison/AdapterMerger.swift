public import Adapters
public import JSON

/// Several adapters of one base as one: the weighted sum of what they do.
public struct AdapterMerger: Sendable {
  /// What a cut to a lower rank left out.
  public struct Loss: Sendable, Equatable {
    /// Norm of all that is missing, as a share of the norm of the whole sum.
    public let total: Double
    /// The same for the projection that lost most.
    public let worst: Double
    /// That projection.
    public let worstName: String
  }

  /// One entry per layer of the base.
  public let layers: [[LoRATarget: LowRankPair]]
  /// Columns of every B.
  public let rank: Int
  /// The update is scaled by alpha / rank.
  public let alpha: Double
  /// What a cut left out; nil where ranks were put side by side.
  public let loss: Loss?
  /// What half precision cannot hold of the sum as it is, each as a sentence without an end.
  public let remarks: [String]
  private let parts: [(adapter: Adapter, weight: Double)]

  /// Adds up `adapters`, each times its weight.
  ///
  /// Without `rank` the components of all are put side by side, and nothing is lost but what half precision rounds; with it
  /// the sum is cut to its largest components by singular values.
  ///
  /// `progress` is called, and `isCancelled` is asked, before each layer, the first of all.
  ///
  /// - Throws: `InterchangeError.otherBase`, `.activated` where adapters begin at different places, `.rankTooLarge`, `.cancelled`, or `.notFinite` where half precision cannot hold
  ///   the sum.
  public init(
    _ adapters: [(adapter: Adapter, weight: Double)], rank limit: Int? = nil,
    progress: (_ layer: Int, _ count: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(InterchangeError) {
    precondition(!adapters.isEmpty, "there is nothing to merge")
    parts = adapters
    let first = adapters[0].adapter
    for (other, _) in adapters.dropFirst() where !other.fitsBase(of: first) {
      throw .otherBase(
        first: first.identifier.description, second: other.identifier.description)
    }
    for (other, _) in adapters where other.invocation != first.invocation {
      let activated = other.invocation == nil ? first : other
      throw .activated(
        identifier: activated.identifier.description, problem: "and not all others begin there")
    }
    let scale = first.scale
    var pairs: [PairUpdate] = []
    var losses: [(name: String, lost: Double, all: Double)] = []
    for layer in first.layers.indices {
      if isCancelled() { throw .cancelled }
      progress(layer, first.layers.count)
      for target in LoRATarget.allCases {
        let parts = adapters.compactMap { adapter, weight in
          adapter.layers[layer][target].map { ($0, adapter.scale * weight) }
        }
        guard let shape = parts.first?.0.shape else { continue }
        var sum = LowRank()
        for (pair, factor) in parts { sum.append(LowRank(pair, scale: factor)) }
        let name = "blk.\(layer).\(target.rawValue)"
        if let limit {
          let (update, lost) = sum.cut(to: limit)
          losses.append((name, lost, sum.squaredNorm))
          sum = update
        }
        let (a, b) = sum.matrices(rows: shape.rows, columns: shape.columns, scale: scale)
        pairs.append(
          PairUpdate(
            layer: layer, target: target, a: a, b: b, scale: scale,
            names: (name + ".lora_a", name + ".lora_b")))
      }
    }
    var package = PackagePairs(pairs, path: first.identifier.description, scale: scale)
    layers = try package.layers(
      for: BaseContract(
        signature: first.metadata.baseModelSignature, architecture: "",
        layers: Self.shapes(adapters.map(\.adapter))))
    (rank, alpha, remarks) = (package.rank, package.alpha, package.balance?.remarks ?? [])
    loss = limit == nil ? nil : Loss(losses)
  }

  private static func shapes(_ adapters: [Adapter]) -> [[LoRATarget: MatrixShape]] {
    adapters[0].layers.indices.map { layer in
      adapters.reduce(into: [:]) { shapes, adapter in
        for (target, pair) in adapter.layers[layer] { shapes[target] = pair.shape }
      }
    }
  }

  /// Writes the sum as a package to `path`, to which `.fmadapter` is added if it is missing; `trainedOn` says what it is of.
  ///
  /// Author, licence and version are what all adapters say alike, unless given. The description of one adapter stays; of several it names
  /// them.
  ///
  /// - Returns: the path of the package.
  /// - Throws: `InterchangeError.package`.
  @discardableResult
  public func write(
    name: String, author: String? = nil, description: String? = nil, license: String? = nil,
    version: AdapterVersion? = nil, trainedOn: JSONValue? = nil, to path: String,
    replacing: Bool = false
  ) throws(InterchangeError) -> String {
    try packaging { () throws(AdapterError) in
      let first = parts[0].adapter.metadata
      var metadata = try AdapterMetadata(
        name: name, baseModelSignature: first.baseModelSignature, loraRank: rank,
        author: author ?? common(\.author) ?? "", description: description ?? usualDescription,
        license: license ?? common(\.license) ?? "")
      metadata.speculativeDecodingDraftTokenCount = nil
      metadata.statedSettings = AdapterSettings(
        alpha: alpha, version: version ?? common(\.settings.version),
        architecture: first.settings.architecture, trainedOn: trainedOn)
      metadata.statedSettings?.invocation = first.settings.invocation
      return try AdapterWriter.write(metadata, layers: layers, to: path, replacing: replacing)
    }
  }

  /// What all adapters say alike.
  private func common<Value: Equatable>(_ value: (AdapterMetadata) -> Value?) -> Value? {
    let first = value(parts[0].adapter.metadata)
    return parts.allSatisfy { value($0.adapter.metadata) == first } ? first : nil
  }

  private var usualDescription: String {
    guard parts.count > 1 else { return parts[0].adapter.metadata.description ?? "" }
    let names = parts.map { part in
      part.adapter.identifier.name
        + (part.weight == 1 ? "" : " (\(part.weight))")
    }
    return "Sum of \(names.joined(separator: ", "))"
  }
}

extension Adapter {
  /// Tokens that it begins at; nil for one that acts on all.
  var invocation: [Int32]? { metadata.settings.invocation }

  /// Whether both say that they are for one base, and have one shape for each projection that both change.
  fileprivate func fitsBase(of other: Adapter) -> Bool {
    metadata.baseModelSignature == other.metadata.baseModelSignature && hasShapes(of: other)
  }

  /// Whether both have as many layers, and one shape for each projection that both change.
  func hasShapes(of other: Adapter) -> Bool {
    layers.count == other.layers.count
      && zip(layers, other.layers).allSatisfy { own, others in
        own.allSatisfy { target, pair in (others[target]?.shape ?? pair.shape) == pair.shape }
      }
  }
}

extension AdapterMerger.Loss {
  fileprivate init(_ losses: [(name: String, lost: Double, all: Double)]) {
    func share(_ lost: Double, _ all: Double) -> Double { all > 0 ? (lost / all).squareRoot() : 0 }
    let worst = losses.max { share($0.lost, $0.all) < share($1.lost, $1.all) }
    self.init(
      total: share(losses.reduce(0) { $0 + $1.lost }, losses.reduce(0) { $0 + $1.all }),
      worst: worst.map { share($0.lost, $0.all) } ?? 0, worstName: worst?.name ?? "")
  }
}
