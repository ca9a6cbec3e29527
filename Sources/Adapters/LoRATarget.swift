/// A projection of a transformer layer that an adapter may change, named by its GGUF tensor stem.
///
/// The order of the cases is the native order of an adapter's tensors within a layer.
public enum LoRATarget: String, CaseIterable, Codable, Sendable {
  case query = "attn_q"
  case key = "attn_k"
  case value = "attn_v"
  case output = "attn_output"
  case gate = "ffn_gate"
  case up = "ffn_up"
  case down = "ffn_down"

  /// Its place among all cases, for tables: dictionaries hash the name, which takes longer than what is looked up.
  package var index: Int {
    switch self {
    case .query: 0
    case .key: 1
    case .value: 2
    case .output: 3
    case .gate: 4
    case .up: 5
    case .down: 6
    }
  }
}
