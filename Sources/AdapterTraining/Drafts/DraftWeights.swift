import Adapters
import Kernels
import LanguageModels

/// All weights of a model that is trained whole, or their gradients, by the names of their tensors; vectors have one row.
struct DraftWeights: LearntWeights {
  /// The names, in the order of the file.
  let names: [String]
  private var tensors: [FloatMatrix]
  private let places: [String: Int]

  init(_ tensors: [(name: String, values: FloatMatrix)]) {
    names = tensors.map(\.name)
    self.tensors = tensors.map(\.values)
    places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
  }

  subscript(_ name: String) -> FloatMatrix? {
    get { places[name].map { tensors[$0] } }
    set {
      guard let place = places[name], let newValue else { preconditionFailure("no \(name)") }
      tensors[place] = newValue
    }
  }

  var matrices: [[Float]] { tensors.map(\.values) }

  var zeros: DraftWeights {
    DraftWeights(
      zip(names, tensors).map { ($0, FloatMatrix(rows: $1.rows, columns: $1.columns)) })
  }

  /// Adds `other`, of the same shapes.
  mutating func add(_ other: DraftWeights) {
    for index in tensors.indices { tensors[index].add(other.tensors[index]) }
  }

  mutating func move(
    _ update: AdamUpdate, _ gradients: DraftWeights, _ mean: inout DraftWeights,
    _ square: inout DraftWeights
  ) {
    for index in tensors.indices {
      update.apply(
        &tensors[index].values, gradients.tensors[index].values, &mean.tensors[index].values,
        &square.tensors[index].values)
    }
  }
}

extension DraftWeights {
  /// Gradients of a pass and of a head, with the names of `weights`.
  init(_ gradients: GradientPass.Gradients, output: FloatMatrix, like weights: DraftWeights) {
    self = weights.zeros
    for name in names {
      let values: FloatMatrix? =
        switch name {
        case "token_embd.weight": gradients.embedding
        case "output_norm.weight": gradients.outputNorm.map(Self.row)
        case "output.weight": output
        default: Self.value(name, of: gradients.layers)
        }
      guard let values else { preconditionFailure("no gradient of \(name)") }
      self[name] = values
    }
  }

  /// Of `blk.N.stem.weight` or `.bias`.
  private static func value(_ name: String, of layers: [LayerGradients]) -> FloatMatrix? {
    let words = name.split(separator: ".").map(String.init)
    guard words.count == 4, let layer = Int(words[1]) else { return nil }
    if let norm = LayerNorm(rawValue: words[2]) { return layers[layer][norm: norm].map(row) }
    guard let target = LoRATarget(rawValue: words[2]) else { return nil }
    let gradient = layers[layer][target]
    return words[3] == "bias" ? gradient.bias.map(row) : gradient.weights
  }

  private static func row(_ values: [Float]) -> FloatMatrix {
    FloatMatrix(rows: 1, columns: values.count, values: values)
  }
}

/// A small model whose weights are all learnt from what a teacher says.
struct DraftPass {
  let configuration: ModelConfiguration
  let rotary: RotaryTables
  let loss: DistillationLoss
  let operations: Operations

  /// What came of a batch.
  struct Result {
    /// Sum of the divergences in nats.
    var loss = 0.0
    /// For each place, whether the likeliest tokens are the same.
    var agrees: [Bool] = []
    /// Of loss / total; nil when they were not asked for.
    var gradients: DraftWeights?
  }

  /// The divergence of `batch` from `teacher`, at each place from which a token is foretold; with `total`, the gradients of
  /// loss / total too.
  func run(
    _ batch: TrainingBatch, _ weights: DraftWeights, _ teacher: TeacherRows, total: Int?,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> Result {
    func stop() throws(BaseModelError) {
      if isCancelled() { throw .cancelled }
    }
    guard let output = weights["output.weight"] else { preconditionFailure("no head") }
    let model = ModelWeights(layers: configuration.layers, rotary: rotary) { weights[$0] }
    let pass = GradientPass(configuration, model, operations: operations)
    let head = DistillationHead(weights: output, loss: loss, operations: operations)
    var (result, sum) = (Result(), FloatMatrix(rows: output.rows, columns: output.columns))
    var gradients = total.map { _ in GradientPass.Gradients(model) }
    let none: [[LoRATarget: FactorPair]] = Array(repeating: [:], count: configuration.layers)
    try pass.run(pass.rows(batch), none, &gradients, stop) { (states) throws(BaseModelError) in
      let found = try head.run(
        states, teacher, weight: total.map { 1 / Float(max($0, 1)) }, &sum, stop)
      (result.loss, result.agrees) = (found.sum, found.agrees)
      return found.gradient
    }
    result.gradients = gradients.map { DraftWeights($0, output: sum, like: weights) }
    return result
  }
}
