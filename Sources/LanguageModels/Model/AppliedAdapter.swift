public import Adapters
import Kernels

/// An adapter as a session applies it: y = W x + scale · B (A x) for each projection that it changes.
public struct AppliedAdapter: Sendable {
  /// For messages.
  public let identifier: String
  /// 64 hexadecimal digits that pin the weights: cached keys and values belong to them.
  package let contentHash: String
  /// One entry per layer of the base.
  package let layers: [[LoRATarget: LowRankPair]]
  /// Factor of every update: alpha / rank times the strength that the user chose.
  package private(set) var scale: Float
  /// Tokens from whose last occurrence in a prompt on it acts, as on what comes behind; nil where it acts on all.
  public private(set) var invocation: [Int32]?
  /// What products multiply.
  let matrices: AdapterMatrices
  /// The package that the weights are mapped from, if they are.
  var source: Adapter?

  /// Applies `layers` with `scale`, from the last `invocation` in a prompt on if there is one.
  package init(
    identifier: String, contentHash: String, layers: [[LoRATarget: LowRankPair]], scale: Float,
    invocation: [Int32]? = nil
  ) {
    precondition(invocation?.isEmpty != true, "an invocation without tokens")
    (self.identifier, self.contentHash) = (identifier, contentHash)
    (self.layers, self.scale, self.invocation) = (layers, scale, invocation)
    matrices = AdapterMatrices(layers)
  }

  /// Compares every pair, and the invocation, with the base that it is to change.
  func checkFits(_ model: BaseModel) throws(BaseModelError) {
    let (weights, vocabulary) = (model.weights, model.configuration.vocabularySize)
    guard layers.count == weights.layers.count else {
      throw .adapterLayers(
        identifier: identifier, expected: weights.layers.count, actual: layers.count)
    }
    for token in invocation ?? [] where !(0..<vocabulary).contains(Int(token)) {
      throw .tokenOutsideVocabulary(token: token, count: vocabulary)
    }
    for (index, layer) in weights.layers.enumerated() {
      for target in LoRATarget.allCases {
        guard let pair = matrices.exact(index, target) else { continue }
        guard let matrix = layer.matrix(target), pair.rank > 0, pair.fits(matrix) else {
          throw .adapterMismatch(identifier: identifier, layer: index, target: target.rawValue)
        }
      }
    }
  }
}

extension AppliedAdapter {
  /// Applies `adapter` with alpha / rank times `strength`; 1 is what its author trained.
  public init(_ adapter: Adapter, strength: Double = 1) {
    self.init(
      identifier: adapter.identifier.description, contentHash: adapter.contentHash,
      layers: adapter.layers, scale: Float(adapter.scale * strength),
      invocation: adapter.metadata.settings.invocation)
    source = adapter
  }

  /// The same with another strength, which shares the matrices that products multiply; for one of a package.
  package func with(strength: Double) -> AppliedAdapter {
    guard let source else { preconditionFailure("weights of no package") }
    var adapter = self
    adapter.scale = Float(source.scale * strength)
    return adapter
  }

  /// The same without an invocation, as it acts where it has begun: for measurements.
  package var everywhere: AppliedAdapter {
    var adapter = self
    adapter.invocation = nil
    return adapter
  }

  /// The first token of the last invocation in `text`; `Int.max` where it does not occur, and 0 where the adapter has none.
  package func start(in text: [Int32]) -> Int {
    guard let invocation else { return 0 }
    return text[...].lastPlace(of: invocation) ?? .max
  }
}

/// The matrices of an adapter as products take them, shared by all sessions that apply it.
///
/// Beside quantized weights, whose inputs are rounded to 8 bits anyway, they are rounded to 8 bits too: half the
/// memory to read, and integer arithmetic.
final class AdapterMatrices: Sendable {
  /// Both factors of one update; a class, so that plans share it at the price of one reference.
  final class Pair: Sendable {
    /// `(rank, inputs)`.
    let a: WeightMatrix
    /// `(outputs, rank)`.
    let b: WeightMatrix

    init(a: WeightMatrix, b: WeightMatrix) { (self.a, self.b) = (a, b) }

    var rank: Int { a.rows }

    /// Whether B A is of the shape of `weights`.
    func fits(_ weights: WeightMatrix) -> Bool {
      b.rows == weights.rows && a.columns == weights.columns
    }
  }

  // Per layer, by the targets' indices.
  private let exact: [[Pair?]]
  private let rounded: [[Pair?]]

  /// The ranks that occur, by the targets' indices.
  let ranks: [Set<Int>]

  init(_ layers: [[LoRATarget: LowRankPair]]) {
    let exact = layers.map { pairs in
      LoRATarget.allCases.map { pairs[$0].map(AdapterMatrices.exact) }
    }
    rounded = exact.map { $0.map { $0.map { Pair(a: $0.a.rounded, b: $0.b.rounded) } } }
    ranks = LoRATarget.allCases.map { target in Set(exact.compactMap { $0[target.index]?.rank }) }
    self.exact = exact
  }

  /// The factors as they are stored for a projection of layer `layer`; nil if the adapter leaves it alone.
  func exact(_ layer: Int, _ target: LoRATarget) -> Pair? { exact[layer][target.index] }

  /// The factors beside weights of `type`.
  func pair(_ layer: Int, _ target: LoRATarget, beside type: TensorType) -> Pair? {
    (type.blockLength > 1 ? rounded : exact)[layer][target.index]
  }

  private static func exact(_ pair: LowRankPair) -> Pair {
    Pair(
      a: WeightMatrix(type: .f16, rows: pair.rank, columns: pair.shape.columns, bytes: pair.a),
      b: WeightMatrix(type: .f16, rows: pair.shape.rows, columns: pair.rank, bytes: pair.b)
        .tiledIfShort)
  }
}

extension ArraySlice<Int32> {
  /// Where `part` occurs for the last time, by a plain search from each position; nil where it does not.
  package func lastPlace(of part: [Int32]) -> Int? {
    stride(from: endIndex - part.count, through: startIndex, by: -1)
      .first { self[$0...].starts(with: part) }
  }
}
