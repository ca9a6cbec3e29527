import Testing

@testable import Interchange

@Suite struct ModulePatternTests {
  private static let path = "model.layers.10.self_attn.q_proj"

  @Test(arguments: [
    "q_proj", "self_attn.q_proj", "model.layers.10.self_attn.q_proj", path,
    #"model\.layers\.10\.self_attn\.q_proj"#, #".*\.q_proj"#, "^model.layers.10.self_attn.q_proj",
    "(q|v)_proj", "(?:v|q)_proj$", #"layers\.\d+\.self_attn\.(q|k|v)_proj"#,
    "layers.[0-9]+.*q_proj",
    "self_attn.*", ".*", "q_?proj", "10.+", "[qkv]_proj",
    #"layers\.(10|1[1-5])\.self_attn\.[k-q]_proj"#,
    "[0-9a-z_]+",
  ])
  func matchesAsPEFTDoes(pattern: String) throws {
    #expect(try #require(ModulePattern(pattern)).matches(Self.path))
  }

  @Test(arguments: [
    "proj", "k_proj", "q_pro", "^q_proj", "_proj", #"layers\.1\.self_attn\.q_proj"#, "",
    "attn.q_proj", "(k|v)_proj", #"\d+"#, "[kv]_proj", "[q_]", #"layers\.[2-9]\.self_attn\.q_proj"#,
  ])
  func isNotMetByMore(pattern: String) throws {
    #expect(!(try #require(ModulePattern(pattern)).matches(Self.path)))
  }

  @Test(arguments: [
    "q{2}", "[^k]_proj", "[]", "[q", "[a-", "[z-a]", #"[\w]"#, "(q", "q)", "a\\b", "(?=q)", "*q",
    String(repeating: "a", count: 600),
  ])
  func othersAreNotUnderstood(pattern: String) {
    #expect(ModulePattern(pattern) == nil)
  }

  /// What takes other engines forever.
  @Test func nothingIsTriedTwice() throws {
    let pattern = try #require(ModulePattern(String(repeating: "(.*)*", count: 60) + "x"))
    #expect(!pattern.matches(String(repeating: "a.", count: 60)))
  }
}
