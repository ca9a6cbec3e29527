import LanguageModels
import Testing

@testable import AdapterTraining

@Suite struct SuffixStoreExamplesTests {
  private let examples = [
    TokenizedExample(line: 1, tokens: Array(0..<20), trained: [2..<4, 10..<15]),
    TokenizedExample(line: 2, tokens: Array(20..<40), trained: [10..<20]),
  ]

  @Test func answersAreKeptWithTheMarksBeforeThem() throws {
    // Two marks and two tokens, six and five, six and ten.
    let store = try SuffixStore(examples, vocabularySize: 40)
    #expect(store.tokenCount == 4 + 11 + 16)
  }

  @Test func whatThereIsNoRoomForIsLeftOut() throws {
    #expect(try SuffixStore(examples, vocabularySize: 40, tokenLimit: 15).tokenCount == 15)
    #expect(try SuffixStore(examples, vocabularySize: 40, tokenLimit: 14).tokenCount == 4)
  }

  @Test func anotherVocabularyIsRefused() {
    #expect(throws: SuffixStoreDefect.token(30, text: 2, vocabularySize: 30)) {
      try SuffixStore(examples, vocabularySize: 30)
    }
  }
}
