import TestSupport
import Testing

@testable import LanguageModels

@Suite struct SuffixStoreTests {
  private func store(_ texts: [SuffixStore.Text]) throws -> SuffixStore {
    try SuffixStore(texts, vocabularySize: 100)
  }

  private func tokens(_ store: SuffixStore, _ history: [Int32], limit: Int = 8) -> [Int32] {
    store.continuation(of: history, limit: limit).map(\.token)
  }

  @Test func theMostFrequentContinuationOfTheLongestMatchComes() throws {
    let store = try store([
      .init([1, 2, 3, 4], count: 2), .init([1, 2, 5, 6], count: 3), .init([9, 2, 3, 7]),
      .init([2, 3, 8, 8], count: 2),
    ])
    #expect(tokens(store, [1, 2]) == [5, 6])
    #expect(tokens(store, [0, 2]) == [3, 4])
    #expect(tokens(store, [9, 2]) == [3, 7])
    #expect(tokens(store, [50, 60, 9, 2], limit: 1) == [3])
    #expect(tokens(store, [77]) == [])
    #expect(tokens(store, []) == [])
    // Where most texts end nothing is proposed, and what only ends matches nothing.
    #expect(tokens(store, [6]) == [])
    #expect(try tokens(self.store([]), [1]) == [])
    #expect(try tokens(self.store([.init([1]), .init([1, 2])]), [1]) == [2])
    #expect(try tokens(self.store([.init([1], count: 3), .init([1, 2])]), [1]) == [])
  }

  @Test func sharesAreTheProbabilities() throws {
    let store = try store([.init([1, 2], count: 30), .init([1, 3], count: 10)])
    let proposal = store.continuation(of: [1], limit: 3)
    #expect(proposal.map(\.token) == [2])
    #expect(abs(proposal[0].prior - 0.75 * 40 / 41) < 1e-9)
  }

  /// Against counting by hand, over few tokens so that there are matches of all lengths.
  @Test func randomTextsAreCountedRight() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let texts = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        SuffixStore.Text(
          (0..<Int.random(in: 0...12, using: &random)).map { _ in
            Int32.random(in: 0...2, using: &random)
          }, count: Int.random(in: 1...3, using: &random))
      }
      let store = try store(texts)
      let history = (0..<6).map { _ in Int32.random(in: 0...2, using: &random) }
      var counts: [Int32: Int] = [:]
      for length in stride(from: history.count, to: 0, by: -1) where counts.isEmpty {
        let end = Array(history.suffix(length))
        var ends = 0
        for text in texts {
          for place in 0..<max(0, text.tokens.count - length + 1)
          where Array(text.tokens[place..<place + length]) == end {
            guard place + length < text.tokens.count else {
              ends += text.count
              continue
            }
            counts[text.tokens[place + length], default: 0] += text.count
          }
        }
        // Ends count where something goes on.
        if !counts.isEmpty { counts[-1] = ends }
      }
      let most = counts.values.max()
      let likeliest = counts.filter { $0.value == most }.map(\.key)
      let found = tokens(store, history, limit: 1).first ?? -1
      #expect(counts.isEmpty ? found == -1 : likeliest.contains(found), "\(random)")
    }
  }

  @Test(arguments: [
    ([SuffixStore.Text([5, 100])], SuffixStoreDefect.token(100, text: 0, vocabularySize: 100)),
    ([.init([5]), .init([-1])], .token(-1, text: 1, vocabularySize: 100)),
    ([.init([5], count: 0)], .count(0, text: 0)),
    ([.init([5], count: 1 << 21)], .count(1 << 21, text: 0)),
    (
      [.init([Int32](repeating: 5, count: SuffixStore.tokenLimit + 1))],
      .tooManyTokens(limit: SuffixStore.tokenLimit)
    ),
  ])
  func textsOfNoStore(texts: [SuffixStore.Text], defect: SuffixStoreDefect) {
    #expect(throws: defect) { try store(texts) }
  }

  @Test func defectsSayWhatToDo() {
    #expect(
      SuffixStoreDefect.token(9, text: 2, vocabularySize: 5).description
        == "text 2 has the token 9, but the base has only 5; make the suffix store anew with this base"
    )
    #expect(
      SuffixStoreDefect.count(0, text: 2).description
        == "text 2 has the count 0, which has to be between 1 and 1,048,576; make the suffix store anew"
    )
    #expect(
      SuffixStoreDefect.tooManyTokens(limit: 9).description
        == "the texts have more than 9 tokens together; make the suffix store of fewer")
  }
}
