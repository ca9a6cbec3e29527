import Testing

@testable import Adapters
@testable import LanguageModels

/// What packages carry for guessing, as the engine takes it.
@Suite struct SuffixStorePackageTests {
  @Test func draftsOfAllArchitecturesAreAccepted() {
    #expect(Set(DraftModelRule.architectures) == Set(Architecture.allCases.map(\.rawValue)))
  }

  @Test func textsOfSeveralPackagesAreOneStore() throws {
    let digest = String(repeating: "0", count: 64)
    func texts(_ tokens: [[Int32]]) throws -> SuffixTexts {
      try SuffixTexts(
        tokens.map { .init($0) }, vocabularySize: 10, vocabularyDigest: digest)
    }
    let store = try #require(SuffixStore([texts([[1, 2, 3]]), texts([[4, 5], [1, 2, 3]])]))
    // The text that both have is one.
    #expect(store.tokenCount == 5)
    #expect(store.continuation(of: [7, 1], limit: 4).map(\.token) == [2, 3])
    #expect(SuffixStore([]) == nil)
  }
}
