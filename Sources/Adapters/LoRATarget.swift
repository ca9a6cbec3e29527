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
}
