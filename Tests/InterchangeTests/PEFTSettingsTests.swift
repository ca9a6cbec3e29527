import Grammars
import Testing

@testable import Interchange

@Suite struct PEFTSettingsTests {
  private static let path = "model.layers.10.self_attn.q_proj"

  @Test(arguments: [
    ("q_proj", true), ("self_attn.q_proj", true), (path, true), (#".*\.q_proj"#, true),
    ("^model.layers.10.self_attn.q_proj", true), ("(?:v|q)_proj$", true), ("v|q_proj", true),
    (#"layers\.\d+\.self_attn\.(q|k|v)_proj"#, true), ("q_(?=proj).*", true), ("", false),
    ("proj", false), ("_proj", false), ("^q_proj", false), ("q_pro", false), ("attn.q_proj", false),
  ])
  func keysMeanModulesAsInPEFT(key: String, isMeant: Bool) throws {
    #expect(try #require(PEFTSettings.pattern(of: key)).occurs(in: Self.path) == isMeant)
  }

  /// The last two would take up the end of what is around them.
  @Test(arguments: ["*q", "(q", "q)", #"(q)\1"#, String(repeating: "a", count: 600), "[q", "q\\"])
  func othersAreNotUnderstood(key: String) {
    #expect(PEFTSettings.pattern(of: key) == nil)
  }
}
