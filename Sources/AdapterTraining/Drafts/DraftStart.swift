import Kernels
import LanguageModels
import Tokenization

/// What a draft begins with, before it has learnt anything: random layers between the base's own embedding and head, in
/// which alike tokens are alike.
///
/// Where widths differ these are projected at random, which keeps angles about as they are; Johnson and Lindenstrauss 1984.
struct DraftStart {
  /// The tokens of the rows of the embedding that is trained, rising: all that prompts and answers have.
  let inputs: [Token]
  /// Their rows.
  let rows: [Token: Int32]
  /// All weights, with those rows and the outputs alone.
  private(set) var weights: DraftWeights
  private let embedding: WeightMatrix
  private let projection: FloatMatrix?
  private let factor: Float
  private let operations: Operations

  /// Root of the mean square of the embedding's values.
  private static let embeddingDeviation: Float = 0.5
  /// The same of the logits, about.
  private static let logitDeviation: Float = 0.5

  init(_ base: BaseModel, _ answers: DraftAnswers, outputs: [Token], _ options: DraftOptions) {
    let shape = options.shape
    let texts = answers.prompts + answers.answers.compactMap(\.self)
    inputs = Set(texts.joined()).sorted()
    rows = Dictionary(uniqueKeysWithValues: inputs.enumerated().map { ($1, Int32($0)) })
    var random = SplitMix64(seed: options.seed)
    let operations = Operations(pool: WorkerPool.shared(threads: options.threads))
    let embedding = base.weights.embedding
    let projection =
      embedding.columns == shape.width
      ? nil : Self.random(shape.width, embedding.columns, deviation: 1, &random)
    var table = Self.rows(embedding, inputs, projection, operations)
    factor = Self.embeddingDeviation / table.deviation
    table.multiply(by: factor)
    var head = Self.rows(base.weights.output, outputs, projection, operations)
    head.multiply(by: Self.logitDeviation / Float(shape.width).squareRoot() / head.deviation)
    weights = DraftWeights(
      shape.tensors(inputs: inputs.count, outputs: outputs.count).map { name, rows, columns in
        switch name {
        case "token_embd.weight": return (name, table)
        case "output.weight": return (name, head)
        case _ where rows == 1:
          return (
            name,
            FloatMatrix(rows: 1, columns: columns, values: Array(repeating: 1, count: columns))
          )
        case _ where name.contains("attn_output") || name.contains("ffn_down"):
          // What is added to the residual stream grows from nothing.
          return (name, FloatMatrix(rows: rows, columns: columns))
        default:
          let deviation = 1 / Float(columns).squareRoot()
          return (name, Self.random(rows, columns, deviation: deviation, &random))
        }
      })
    (self.operations, self.embedding, self.projection) = (operations, embedding, projection)
  }

  /// Rows `range` of the whole embedding, of which the tokens that were trained have their rows in `trained`.
  func embedding(_ range: Range<Int>, trained: FloatMatrix) -> FloatMatrix {
    var result = Self.rows(embedding, range.map { Token($0) }, projection, operations)
    result.multiply(by: factor)
    for token in range {
      guard let row = rows[Token(token)] else { continue }
      result.values.replaceSubrange(
        result.range(token - range.lowerBound), with: trained.values[trained.range(Int(row))])
    }
    return result
  }

  private static func rows(
    _ matrix: WeightMatrix, _ tokens: [Token], _ projection: FloatMatrix?, _ operations: Operations
  ) -> FloatMatrix {
    let rows = FloatMatrix(
      rows: tokens.count, columns: matrix.columns,
      values: tokens.flatMap { matrix.floats(row: Int($0)) })
    return projection.map { operations.product(rows, $0.turned) } ?? rows
  }

  private static func random(
    _ rows: Int, _ columns: Int, deviation: Float, _ random: inout SplitMix64
  ) -> FloatMatrix {
    FloatMatrix(
      rows: rows, columns: columns,
      values: (0..<rows * columns).map { _ in Mathematics.normal(&random) * deviation })
  }
}

extension FloatMatrix {
  /// Root of the mean square; 1 where there is nothing else.
  fileprivate var deviation: Float {
    let sum = values.reduce(0.0) { $0 + Double($1) * Double($1) }
    let deviation = Float((sum / Double(max(values.count, 1))).squareRoot())
    return deviation > 0 && deviation.isFinite ? deviation : 1
  }
}
