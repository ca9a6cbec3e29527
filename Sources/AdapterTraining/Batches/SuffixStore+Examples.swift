public import LanguageModels
import Tokenization

extension TokenizedExample {
  /// Tokens before an answer that are kept with it, so that they tell how answers begin.
  private static let lead = 6

  /// Each answer with the marks before it.
  var answers: [[Token]] {
    trained.map { Array(tokens[max(0, $0.lowerBound - Self.lead)..<$0.upperBound]) }
  }
}

extension SuffixStore {
  /// The answers of `examples`, each with the marks before it; those that there is no room for are left out.
  ///
  /// - Throws: `SuffixStoreDefect.token` for examples of another vocabulary.
  public init(
    _ examples: [TokenizedExample], vocabularySize: Int, tokenLimit: Int = SuffixStore.tokenLimit
  ) throws(SuffixStoreDefect) {
    var texts: [Text] = []
    var size = 0
    for tokens in examples.flatMap(\.answers) {
      size += tokens.count
      if size <= tokenLimit { texts.append(Text(tokens)) }
    }
    try self.init(texts, vocabularySize: vocabularySize)
  }
}
