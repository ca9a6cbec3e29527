import Foundation
import TestSupport
import Testing

@testable import LanguageModels

/// A converted checkpoint against the logits of Apple's `tamm` package for the same checkpoint.
@Suite struct ConvertedBaseTests {
  private struct Reference: Decodable {
    let tokens: [Int32]
    let base_logits: [[Float]]
    let base_greedy: [Int32]
  }

  @Test func computesTheLogitsOfTheCheckpoint() throws {
    let folder = try TemporaryDirectory()
    let output = folder.path("base.gguf")
    try BaseConverter(plan: .init(type: .f32)).convert(
      Fixtures.path("LanguageModelsTests", "afm-tiny"), to: output)
    let data = try Data(contentsOf: Fixtures.url("LanguageModelsTests", "afm-tiny/reference.json"))
    let reference = try JSONDecoder().decode(Reference.self, from: data)
    let model = try LanguageModel(path: output)
    let worst = try worstDifference(
      ModelSession(model), reference.tokens, reference.base_logits)
    #expect(worst < 1e-3, "worst \(worst)")
    let continuation = try greedy(
      ModelSession(model), reference.tokens, count: reference.base_greedy.count)
    #expect(continuation == reference.base_greedy)
  }
}
