import LanguageModels

/// How a response is generated.
public struct GenerationOptions: Sendable, Equatable {
  /// How tokens are chosen; nil for greedy, or for sampling from all tokens when ``temperature`` is given.
  public var sampling: SamplingMode?
  /// What logits are divided by before a token is drawn, `[0, 100]`; nil for 1.
  ///
  /// Lower values make likely tokens more likely; 0 always takes the likeliest. Greedy sampling does not use it.
  public var temperature: Double?
  /// Tokens of the response at most, 1 or more; nil for all that fit into the context.
  ///
  /// A response that reaches it ends there, wherever that is.
  public var maximumResponseTokens: Int?

  /// Greedy and as long as the model likes, unless told otherwise.
  public init(
    sampling: SamplingMode? = nil, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.sampling = sampling
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }
}

extension GenerationOptions {
  /// How the next token is chosen among the likely ones.
  public struct SamplingMode: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
      case greedy
      case top(Int, seed: UInt64?)
      case threshold(Double, seed: UInt64?)
    }

    let kind: Kind

    /// The likeliest token, always: the same prompt gives the same response.
    public static var greedy: SamplingMode { SamplingMode(kind: .greedy) }

    /// A draw among the `k` likeliest tokens, `k` being 1 or more.
    ///
    /// The same seed gives the same response; without one it differs each time.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      SamplingMode(kind: .top(k, seed: seed))
    }

    /// A draw among the likeliest tokens whose probabilities reach the sum `probabilityThreshold`, `(0, 1]`.
    ///
    /// The same seed gives the same response; without one it differs each time.
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(kind: .threshold(probabilityThreshold, seed: seed))
    }
  }
}

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
