package import LanguageModels

extension SuffixStore {
  /// The answers of `examples`, each with the marks before it; those that there is no room for are left out.
  package init(
    _ examples: [TokenizedExample], vocabularySize: Int, tokenLimit: Int = SuffixStore.tokenLimit
  ) throws(SuffixStoreDefect) {
    try self.init(examples.answers(tokenLimit: tokenLimit), vocabularySize: vocabularySize)
  }
}
