import Kernels
import LanguageModels
import Tokenization

/// The loss of a batch over a frozen base with an adapter, and the gradients of the adapter's factors.
struct GradientPass {
  private let configuration: ModelConfiguration
  private let weights: ModelWeights
  private let operations: Operations
  /// alpha / rank.
  private let scale: Float

  init(_ model: LanguageModel, scale: Float, operations: Operations) {
    (configuration, weights) = (model.configuration, model.weights)
    (self.scale, self.operations) = (scale, operations)
  }

  /// Sum of the losses in nats, and how many tokens were foretold.
  struct Result {
    var loss: Double
    var count: Int
    /// Of loss / count of the whole step; nil when they were not asked for.
    var gradients: AdapterFactors?
  }

  /// The loss of `batch`; with `total`, the gradients of loss / total too.
  ///
  /// - Throws: `LanguageModelError.cancelled` once `isCancelled` says so, between two products.
  func run(
    _ batch: TrainingBatch, _ factors: AdapterFactors, total: Int?,
    isCancelled: () -> Bool = { false }
  ) throws(LanguageModelError) -> Result {
    let stop: Stop = { () throws(LanguageModelError) in
      if isCancelled() { throw .cancelled }
    }
    let rows = BatchRows(batch)
    let passes = layers(rows)
    var x = embeddings(rows.tokens)
    var shared: KeyValueRows?
    var tapes: [LayerPass.Tape] = []
    for (index, pass) in passes.enumerated() {
      let (y, tape) = try pass.forward(
        x, shared: pass.layer.keyValue == nil ? shared : nil, factors.layers[index], stop)
      (x, shared) = (y, tape.read)
      if total != nil { tapes.append(tape) }
    }
    let norm = RootMeanSquareNorm(weights.outputNorm, epsilon: configuration.epsilon)
    let states = rows.chosen(norm.forward(x))
    let loss = try OutputHead(
      weights: weights.output, scales: configuration.scales, operations: operations
    ).loss(
      states, targets: rows.targets, weight: total.map { 1 / Float(max($0, 1)) }, stop)
    var result = Result(loss: loss.sum, count: rows.targets.count, gradients: nil)
    guard let gradient = loss.gradient else { return result }
    var dx = norm.backward(rows.spread(gradient), x)
    var gradients = factors.zeros
    var dShared: KeyValueRows?
    for index in passes.indices.reversed() {
      dx = try passes[index].backward(
        dx, tapes[index], shared: &dShared, factors.layers[index], &gradients.layers[index],
        stop)
      tapes.removeLast()
    }
    result.gradients = gradients
    return result
  }

  private func layers(_ rows: BatchRows) -> [LayerPass] {
    let size = configuration.headSize
    let longest = rows.segments.map(\.count).max() ?? 0
    let kinds = Set(configuration.attention.compactMap(\.rotation))
    let rotations = kinds.reduce(into: [LayerRotation: Rotation]()) {
      $0[$1] = Rotation(
        weights.rotary.table($1, contextLength: longest), segments: rows.segments, headSize: size,
        isAdjacent: configuration.architecture.rotatesAdjacentPairs)
    }
    return weights.layers.enumerated().map { index, layer in
      LayerPass(
        layer: layer, configuration: configuration,
        rotation: configuration.attention[index].rotation.flatMap { rotations[$0] },
        attention: CausalAttention(
          segments: rows.segments, heads: configuration.heads,
          keyValueHeads: configuration.keyValueHeads, headSize: size,
          rule: configuration.attentionRule(layer: index), operations: operations),
        scale: scale, operations: operations)
    }
  }

  private func embeddings(_ tokens: [Token]) -> FloatMatrix {
    var x = FloatMatrix(
      rows: tokens.count, columns: weights.embedding.columns,
      values: tokens.flatMap { weights.embedding.floats(row: Int($0)) })
    x.multiply(by: configuration.scales.embedding)
    return x
  }
}

/// The sequences of a batch, one behind the other.
struct BatchRows {
  private(set) var tokens: [Token] = []
  private(set) var segments: [Range<Int>] = []
  /// Rows from which a token is foretold, and that token.
  private(set) var places: [Int] = []
  private(set) var targets: [Token] = []

  init(_ batch: TrainingBatch) {
    for sequence in batch.sequences {
      let start = tokens.count
      tokens += sequence.tokens
      segments += sequence.segments.map { $0.lowerBound + start..<$0.upperBound + start }
      for (index, target) in sequence.targets.enumerated() {
        guard let target else { continue }
        places.append(start + index)
        targets.append(target)
      }
    }
  }

  /// The rows of `x` from which a token is foretold.
  func chosen(_ x: FloatMatrix) -> FloatMatrix {
    FloatMatrix(
      rows: places.count, columns: x.columns, values: places.flatMap { x.values[x.range($0)] })
  }

  /// The inverse: `x` at those rows, zero at all others.
  func spread(_ x: FloatMatrix) -> FloatMatrix {
    var result = FloatMatrix(rows: tokens.count, columns: x.columns)
    for (row, place) in places.enumerated() {
      result.values.replaceSubrange(result.range(place), with: x.values[x.range(row)])
    }
    return result
  }
}
