import LanguageModels

extension GenerationOptions {
  /// The same for a model's generator; `limit` is the length of the context.
  ///
  /// - Throws: `.invalidOption` for a draw among no tokens; the generator checks all other ranges.
  func engine(limit: Int) throws(LanguageModelError) -> LanguageModels.GenerationOptions {
    var options = LanguageModels.GenerationOptions(maximumTokens: maximumResponseTokens ?? limit)
    switch sampling?.kind {
    case nil: options.temperature = temperature ?? 0
    case .greedy: break
    case .top(let count, let seed):
      // The generator would take 0 for all tokens.
      guard count >= 1 else {
        throw .invalidOption(name: "top-k", value: "\(count)", rule: "1 or more")
      }
      options.temperature = temperature ?? 1
      options.topK = count
      options.seed = seed
    case .threshold(let threshold, let seed):
      options.temperature = temperature ?? 1
      options.topP = threshold
      options.seed = seed
    }
    return options
  }
}
