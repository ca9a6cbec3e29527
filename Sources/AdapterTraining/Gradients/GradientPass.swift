import Adapters
import Kernels
import LanguageModels
import Tokenization

/// A model over batches of sequences, forward and backward: what an adapter over a frozen base learns from, or a small model.
struct GradientPass {
  private let configuration: ModelConfiguration
  private let weights: ModelWeights
  private let operations: Operations
  /// alpha / rank.
  private let scale: Float
  /// Tokens whose steps are all kept for the gradient; of longer batches only what comes into each layer, whose steps
  /// are made again, to the same bits.
  var keptTokens = Int.max
  /// Whether what examples begin with alike is computed once: where a row reads those before it by attention alone.
  var sharesBeginnings: Bool

  init(_ model: BaseModel, scale: Float, operations: Operations) {
    self.init(model.configuration, model.weights, scale: scale, operations: operations)
  }

  init(
    _ configuration: ModelConfiguration, _ weights: ModelWeights, scale: Float = 1,
    operations: Operations
  ) {
    (self.configuration, self.weights) = (configuration, weights)
    (self.scale, self.operations) = (scale, operations)
    sharesBeginnings = weights.layers.allSatisfy { layer in
      if case .attention = layer.mixer { true } else { false }
    }
  }

  /// The rows of `batch`; with dropout each example has its own, as it leaves out other values.
  func rows(_ batch: TrainingBatch, _ dropout: Dropout? = nil) -> BatchRows {
    BatchRows(batch, sharesBeginnings: dropout == nil && sharesBeginnings)
  }

  var head: OutputHead {
    OutputHead(weights: weights.output, scales: configuration.scales, operations: operations)
  }

  /// Sum of the losses in nats, and how many tokens were foretold.
  struct Result {
    var loss: Double
    /// The loss of each of them.
    var losses: [Double] = []
    var count: Int
    /// Of loss / count of the whole step; nil when they were not asked for.
    var gradients: AdapterFactors?
  }

  /// The gradients of a model, as far as they are learnt.
  struct Gradients {
    var layers: [LayerGradients]
    /// `(width)`.
    var outputNorm: [Float]?
    /// `(vocabulary, width)`.
    var embedding: FloatMatrix?

    /// Zeros for the factors of an adapter.
    init(_ factors: AdapterFactors) { layers = factors.layers.map { LayerGradients($0) } }

    /// Zeros for all weights but those of the head, which the loss is computed with.
    init(_ weights: ModelWeights) {
      layers = weights.layers.map { LayerGradients($0) }
      outputNorm = Array(repeating: 0, count: weights.outputNorm.count)
      embedding = FloatMatrix(rows: weights.embedding.rows, columns: weights.embedding.columns)
    }
  }

  /// The loss of `batch`; with `total`, the gradients of loss / total too; what `dropout` leaves out does not come into the factors.
  ///
  /// - Throws: `BaseModelError.cancelled` once `isCancelled` says so, between two products.
  func run(
    _ batch: TrainingBatch, _ factors: AdapterFactors, total: Int?, dropout: Dropout? = nil,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> Result {
    func stop() throws(BaseModelError) {
      if isCancelled() { throw .cancelled }
    }
    let rows = rows(batch, dropout)
    var result = Result(loss: 0, losses: [], count: rows.targets.count, gradients: nil)
    var gradients = total.map { _ in Gradients(factors) }
    try run(rows, factors.layers, &gradients, stop, dropout) {
      (states) throws(BaseModelError) in
      let loss = try head.loss(
        states, targets: rows.targets, weight: total.map { 1 / Float(max($0, 1)) }, stop)
      (result.loss, result.losses) = (loss.sum, loss.rows)
      return loss.gradient
    }
    result.gradients = gradients.map { AdapterFactors($0.layers.map(\.pairs)) }
    return result
  }

  /// Runs `rows` forward and hands the normalized states of those from which a token is foretold to `judge`; from the
  /// gradient of these that it gives, those of what is learnt are added to `gradients`.
  func run(
    _ rows: BatchRows, _ pairs: [[LoRATarget: FactorPair]], _ gradients: inout Gradients?,
    _ stop: Stop, _ dropout: Dropout? = nil,
    judge: (FloatMatrix) throws(BaseModelError) -> FloatMatrix?
  ) throws(BaseModelError) {
    var x = embeddings(rows.tokens)
    let passes = layers(rows, x, dropout)
    // The layers whose keys and values each layer reads, and those that others read.
    let sources = passes.indices.map(configuration.keyValueSource(layer:))
    let read = Set(zip(passes.indices, sources).filter { $0 != $1 }.map(\.1))
    var shared: [Int: KeyValueRows] = [:]
    var kept: [Kept] = []
    for (index, pass) in passes.enumerated() {
      let others = sources[index] == index ? nil : shared[sources[index]]
      let start = Kept.start(x, shared: others, pass.dropout?.copy)
      let (y, tape) = try pass.forward(x, shared: others, pairs[index], stop)
      x = y
      if read.contains(index) { shared[index] = tape.mixer.read }
      if gradients != nil { kept.append(rows.tokens.count > keptTokens ? start : .tape(tape)) }
    }
    let norm = RootMeanSquareNorm(weights.outputNorm, epsilon: configuration.epsilon)
    guard let gradient = try judge(rows.chosen(norm.forward(x))), var sum = gradients else {
      return
    }
    gradients = nil
    var dx = norm.backward(rows.spread(gradient), x, weight: &sum.outputNorm)
    var dShared: [Int: KeyValueRows] = [:]
    for index in passes.indices.reversed() {
      let tape = try kept.removeLast().tape(passes[index], pairs[index], stop)
      dx = try passes[index].backward(
        dx, tape, shared: &dShared[sources[index]], pairs[index], &sum.layers[index], stop)
    }
    if sum.embedding != nil {
      dx.multiply(by: configuration.scales.embedding)
      for (row, token) in rows.tokens.enumerated() {
        sum.embedding?.add(
          dx.part(rows: row..<row + 1, columns: 0..<dx.columns), atRow: Int(token), column: 0)
      }
    }
    gradients = sum
  }

  /// What a layer needs for its gradient: its steps, or what they are made of.
  private enum Kept {
    case tape(LayerPass.Tape)
    case start(FloatMatrix, shared: KeyValueRows?, Dropout?)

    func tape(
      _ pass: LayerPass, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
    ) throws(BaseModelError) -> LayerPass.Tape {
      switch self {
      case .tape(let tape): return tape
      case .start(let x, let shared, let dropout):
        var pass = pass
        pass.dropout = dropout
        return try pass.forward(x, shared: shared, pairs, stop).tape
      }
    }
  }

  /// `x` are the embeddings of `rows`.
  private func layers(_ rows: BatchRows, _ x: FloatMatrix, _ dropout: Dropout?) -> [LayerPass] {
    let longest = rows.segments.map { $0.start + $0.rows.count }.max() ?? 0
    var rotations: [LayerRotation: Rotation] = [:]
    for (index, layer) in configuration.attention.enumerated() {
      guard let kind = layer.rotation, rotations[kind] == nil else { continue }
      rotations[kind] = Rotation(
        weights.rotary.table(kind, contextLength: longest), segments: rows.segments,
        headSize: configuration.headShape(layer: index).size,
        isAdjacent: configuration.architecture.rotatesAdjacentPairs)
    }
    let tokens = weights.tokens.map {
      Self.tokenEmbeddings(
        rows.tokens, x, $0, epsilon: configuration.epsilon, operations: operations)
    }
    return weights.layers.enumerated().map { index, layer in
      let shape = configuration.headShape(layer: index)
      let width = configuration.tokenWidth ?? 0
      return LayerPass(
        layer: layer, configuration: configuration,
        rotation: configuration.attention[index].rotation.flatMap { rotations[$0] },
        attention: CausalAttention(
          segments: rows.segments, heads: shape.heads, keyValueHeads: shape.keyValueHeads,
          headSize: shape.size, rule: configuration.attentionRule(layer: index),
          operations: operations),
        tokens: tokens?.part(
          rows: 0..<rows.tokens.count, columns: index * width..<(index + 1) * width),
        scale: scale, dropout: dropout, active: rows.active, operations: operations)
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
