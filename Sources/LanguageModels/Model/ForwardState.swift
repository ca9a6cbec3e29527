import Adapters
import Kernels

/// All scratch of one session, allocated once; a pass uses the first rows of each.
struct ForwardState {
  /// Rows that one pass takes at most.
  let batch: Int
  /// The residual stream, `(batch, width)`.
  let x: Activations
  /// Its norm, what attention and feed-forward read, `(batch, width)`.
  let normed: Activations
  /// `(batch, query width)`.
  let query: Activations
  /// `(batch, key/value width)`.
  let key: Activations
  /// `(batch, key/value width)`.
  let value: Activations
  /// What the heads gather from the values, `(batch, query width)`.
  let mixed: Activations
  /// `(batch, hidden width)`.
  let gate: Activations
  /// `(batch, hidden width)`.
  let up: Activations
  /// `(batch, rotated size / 2)`.
  let cosine: Activations
  /// `(batch, rotated size / 2)`.
  let sine: Activations
  /// `(batch, vocabulary)`; only the rows that are asked for are computed.
  let logits: Activations

  init(_ weights: ModelWeights, _ c: ModelConfiguration, batch: Int) {
    self.batch = batch
    let layers = weights.layers.map(\.projections)
    func types(_ targets: LoRATarget...) -> Set<TensorType> {
      Set(layers.flatMap { layer in targets.compactMap { layer[$0]?.type } })
    }
    func rows(_ columns: Int, _ types: Set<TensorType> = []) -> Activations {
      Activations(capacity: batch, columns: columns, types: types)
    }
    x = rows(c.width)
    normed = rows(c.width, types(.query, .key, .value, .gate, .up).union([weights.output.type]))
    query = rows(c.queryWidth)
    key = rows(c.keyValueWidth)
    value = rows(c.keyValueWidth)
    mixed = rows(c.queryWidth, types(.output))
    gate = rows(c.hiddenWidth, types(.down))
    up = rows(c.hiddenWidth)
    cosine = rows(c.rotatedSize / 2)
    sine = rows(c.rotatedSize / 2)
    logits = rows(c.vocabularySize)
  }
}
