import Adapters
package import Kernels
import SystemFiles

/// Views of all weights of a base, `(rows, columns)` = (outputs, inputs); only norms and biases are
/// copied from the file.
package struct ModelWeights: Sendable {
  /// `(vocabulary, width)`.
  package let embedding: WeightMatrix
  /// One per layer.
  package let layers: [LayerWeights]
  /// `(width)`.
  package let outputNorm: FloatVector
  /// `(vocabulary, width)`, fewer rows in some drafts; the embedding itself where the file has no other.
  package let output: WeightMatrix
  /// How positions turn the heads.
  package let rotary: RotaryTables
  /// What layers get of a token besides; nil in models without.
  package let tokens: TokenEmbedding?

  /// Bytes that one pass of one token reads: everything but the other rows of the embedding, and the other experts.
  package var bytesPerPass: Int { matricesPerPass.reduce(0) { $0 + $1.bytes.count } }

  /// Those of them that are the experts'.
  var expertBytesPerPass: Int {
    layers.flatMap { $0.expertMatrices(nil) }.reduce(0) { $0 + $1.bytes.count }
  }

  /// Those in no layer.
  private var ends: [WeightMatrix] { [output] + (tokens.map { [$0.projection] } ?? []) }

  /// Matrices that a pass of one token multiplies; of experts, the first ones.
  var matricesPerPass: [WeightMatrix] {
    layers.flatMap { $0.matrices(experts: nil) } + ends
  }

  /// Every matrix that any pass multiplies, always in this order.
  package var multipliedMatrices: [WeightMatrix] {
    layers.flatMap { $0.matrices(experts: .max) } + ends
  }

  /// Weights of all matrices.
  package var parameters: Int {
    let tables = tokens.map { [$0.table] } ?? []
    return (multipliedMatrices + [embedding] + tables).reduce(0) { $0 + $1.rows * $1.columns }
  }
}

/// An embedding of each token for each layer: norm(Wp e) + the token's row of the table, where e is its embedding for all.
package struct TokenEmbedding: Sendable {
  /// `(vocabulary, layers · width)`.
  package let table: WeightMatrix
  /// `(layers · width, width of the model)`.
  package let projection: WeightMatrix
  /// `(width)`.
  package let norm: FloatVector
}

extension ModelWeights {
  /// Weights in full precision, which are in no file: of a model that is being trained.
  ///
  /// `tensor` gives what a file would hold under a name, vectors as a matrix of one row, and nil for what the model lacks; it
  /// traps when a layer is not whole.
  package init(
    layers: Int, rotary: RotaryTables, _ tensor: (_ name: String) -> FloatMatrix?
  ) {
    func matrix(_ name: String) -> WeightMatrix {
      guard let values = tensor(name + ".weight") else { preconditionFailure("no \(name)") }
      return WeightMatrix(values)
    }
    func vector(_ name: String) -> FloatVector? { tensor(name).map { FloatVector($0.values) } }
    func norm(_ name: String) -> FloatVector {
      guard let norm = vector(name + ".weight") else { preconditionFailure("no \(name)") }
      return norm
    }
    self.layers = (0..<layers).map { index in
      func projection(_ target: LoRATarget) -> Projection {
        let stem = "blk.\(index).\(target.rawValue)"
        return Projection(weights: matrix(stem), bias: vector(stem + ".bias"))
      }
      func other(_ norm: LayerNorm) -> FloatVector? {
        vector("blk.\(index).\(norm.rawValue).weight")
      }
      let isRegular = tensor("blk.\(index).\(LoRATarget.key.rawValue).weight") != nil
      return LayerWeights(
        attentionNorm: norm("blk.\(index).\(LayerNorm.attention.rawValue)"),
        mixer: .attention(
          AttentionWeights(
            query: projection(.query), queryNorm: other(.query),
            keyValue: isRegular
              ? KeyValueWeights(
                key: projection(.key), value: projection(.value), keyNorm: other(.key)) : nil)),
        output: projection(.output),
        attentionResultNorm: other(.attentionResult),
        feedForwardNorm: norm("blk.\(index).\(LayerNorm.feedForward.rawValue)"),
        feedForwardResultNorm: other(.feedForwardResult),
        feedForward: .dense(
          gate: projection(.gate), up: projection(.up), down: projection(.down)))
    }
    embedding = matrix("token_embd")
    outputNorm = norm("output_norm")
    output = tensor("output.weight").map { WeightMatrix($0) } ?? embedding
    self.rotary = rotary
    tokens = nil
  }
}
