public import LanguageModels

extension SuffixStore {
  /// Tokens before an answer that are kept with it, so that they tell how answers begin.
  private static let lead = 6

  /// The answers of `examples`, each with the marks before it; those that there is no room for are left out.
  ///
  /// - Throws: `SuffixStoreDefect.token` for examples of another vocabulary.
  public init(
    _ examples: [TokenizedExample], vocabularySize: Int, tokenLimit: Int = SuffixStore.tokenLimit
  ) throws(SuffixStoreDefect) {
    var texts: [Text] = []
    var size = 0
    for example in examples {
      for answer in example.trained {
        let tokens = Array(
          example.tokens[max(0, answer.lowerBound - Self.lead)..<answer.upperBound])
        size += tokens.count
        if size <= tokenLimit { texts.append(Text(tokens)) }
      }
    }
    try self.init(texts, vocabularySize: vocabularySize)
  }
}
