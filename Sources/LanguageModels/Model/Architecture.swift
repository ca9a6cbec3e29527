/// The model families that the forward pass knows, by their names in `general.architecture`.
public enum Architecture: String, CaseIterable, Sendable {
  /// Apple Foundation Models text: heads are normalized after the rotation, and the last layers share the
  /// keys and values of one layer.
  case afm
  /// Llama and what shares its form: Mistral, SmolLM, TinyLlama.
  case llama
  /// Qwen 2 and 2.5: queries, keys and values have biases.
  case qwen2
  /// Qwen 3: heads are normalized before the rotation.
  case qwen3

  /// Whether the rotation pairs neighbours instead of halves: such files have their Q and K rows permuted.
  package var rotatesAdjacentPairs: Bool { self == .llama }

  /// Whether Q and K have a norm per head.
  var normalizesHeads: Bool { self == .afm || self == .qwen3 }

  /// Whether that norm comes before the rotation.
  package var normalizesBeforeRotation: Bool { self == .qwen3 }

  /// Whether Q, K and V must have biases; any architecture may.
  var requiresBiases: Bool { self == .qwen2 }
}
