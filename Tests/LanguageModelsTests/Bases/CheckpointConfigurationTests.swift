import Foundation
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct CheckpointConfigurationTests {
  private static var settings: [String: Any] {
    [
      "vocab_size": 512, "hidden_dim": 64, "num_layers": 5, "num_kv_reuse_layers": 2,
      "num_heads": 4, "num_kv_heads": 2, "ffn_dim": 208, "rope_theta": 500_000.0, "norm_eps": 1e-5,
    ]
  }

  private func read(_ changes: [String: Any], without key: String? = nil) throws
    -> CheckpointConfiguration
  {
    var settings = Self.settings
    for (key, value) in changes { settings[key] = value }
    if let key { settings[key] = nil }
    let folder = try TemporaryDirectory()
    let data = try JSONSerialization.data(withJSONObject: settings)
    return try CheckpointConfiguration(path: folder.write([UInt8](data), to: "config.json"))
  }

  @Test func readsAllSettings() throws {
    let c = try read(["context_length": 1024, "lora_rank": 8])
    let sizes: [Int] = [c.vocabularySize, c.width, c.layers, c.sharedLayers]
    #expect(sizes == [512, 64, 5, 2] as [Int])
    let heads: [Int] = [c.heads, c.keyValueHeads, c.hiddenWidth, c.headSize]
    #expect(heads == [4, 2, 208, 16] as [Int])
    let derived: [Int] = [c.contextLength, c.regularLayers, c.queryWidth, c.keyValueWidth]
    #expect(derived == [1024, 3, 64, 32] as [Int])
    #expect(c.rotationBase == 500_000.0)
    #expect(c.epsilon == 1e-5)
    #expect(try read([:]).contextLength == 4096)
    #expect(try read(["head_dim": 32]).queryWidth == 128)
    #expect(try read(["languages": ["en", "nl"]]).languages == ["en", "nl"])
    #expect(try read([:]).languages.isEmpty)
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    let key: String
    let json: String
    let text: String
    var testDescription: String { "\(key) \(json)" }
  }

  @Test(arguments: [
    Case(key: "hidden_dim", json: "0", text: "is 0 instead of 1 to 1048576"),
    Case(key: "num_layers", json: "-3", text: "is -3 instead of 1 to 4096"),
    Case(key: "num_layers", json: "2.5", text: "is not a whole number"),
    Case(key: "num_layers", json: "1e300", text: "is not a whole number"),
    Case(key: "num_layers", json: "\"5\"", text: "is not a whole number"),
    Case(key: "num_kv_reuse_layers", json: "5", text: "is 5 instead of 0 to 4"),
    Case(key: "num_heads", json: "5", text: "is 5, which does not divide hidden_dim 64"),
    Case(key: "num_kv_heads", json: "3", text: "is 3, which does not divide 4"),
    Case(key: "head_dim", json: "15", text: "is 15, which is odd"),
    Case(key: "rope_theta", json: "0", text: "is not a number above 0"),
    Case(key: "norm_eps", json: "null", text: "is not a number above 0"),
    Case(key: "languages", json: "\"en\"", text: "is not a list of codes such as \"en\""),
    Case(key: "languages", json: "[1]", text: "is not a list of codes such as \"en\""),
  ])
  private func namesTheSetting(test: Case) throws {
    let value = try JSONSerialization.jsonObject(
      with: Data(test.json.utf8), options: .fragmentsAllowed)
    let error = #expect(throws: BaseModelError.self) { try read([test.key: value]) }
    #expect(
      error?.description.hasSuffix(
        "config.json: the setting “\(test.key)” \(test.text); save the checkpoint again") == true,
      "\(String(describing: error))")
  }

  @Test func namesAMissingSetting() {
    let error = #expect(throws: BaseModelError.self) { try read([:], without: "ffn_dim") }
    #expect(
      error?.description.hasSuffix(
        "the setting “ffn_dim” is missing; save the checkpoint again") == true)
  }

  @Test(arguments: [
    ("", "line 1: the text ends inside a value"), ("[]", "it is an array"),
    ("{", "line 1: the text ends inside a value"),
    ("\u{0}", "line 1: found byte 0x00, expected a value"),
  ])
  func refusesWhatIsNoObject(text: String, problem: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: "config.json")
    #expect(throws: BaseModelError.base(.notJSON(problem: problem), file: path)) {
      try CheckpointConfiguration(path: path)
    }
  }
}
