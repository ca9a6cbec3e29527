import FoundationModels
import Testing

@Suite struct GenerationIDTests {
  @Test func eachIsDifferentAndEqualOnlyToItself() {
    let (first, second) = (GenerationID(), GenerationID())
    #expect(first != second)
    #expect(first == first)
  }

  @Test func contentKeepsTheOneThatItIsGiven() {
    let id = GenerationID()
    #expect(GeneratedContent("x", id: id).id == id)
    #expect(GeneratedContent("x").id == nil)
  }
}
