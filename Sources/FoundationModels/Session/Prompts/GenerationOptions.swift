import ChatTemplates
public import Foundation
import LanguageModels

/// How a response is generated.
public struct GenerationOptions: Sendable, Equatable {
  /// How tokens are chosen; nil for greedy, or for sampling from all tokens when ``temperature`` is given.
  public var sampling: SamplingMode?
  /// What logits are divided by before a token is drawn, `[0, 100]`; nil for 1.
  ///
  /// Lower values make likely tokens more likely; 0 always takes the likeliest. Greedy sampling does not use it.
  public var temperature: Double?
  /// Tokens of the response at most, 1 or more; nil for all that fit into the context, and for a value 2,048, or 32 for each element that
  /// its schema has at least, if those are more.
  ///
  /// A text that reaches it ends there, wherever that is; a value ends before, where so many tokens are enough for it. The response says so
  /// (``LanguageModelSession/Response/ending``).
  public var maximumResponseTokens: Int?
  /// Whether the model may call the tools of its session, as on OS 27; nil for ``ToolCallingMode/allowed``.
  public var toolCallingMode: ToolCallingMode?

  /// Greedy and as long as the model likes, unless told otherwise.
  public init(
    sampling: SamplingMode?, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.sampling = sampling
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }

  /// As above; ``sampling`` has another name on OS 27.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil
  ) {
    self.init(
      sampling: samplingMode, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
  }

  /// The same as ``sampling``.
  public var samplingMode: SamplingMode? {
    get { sampling }
    set { sampling = newValue }
  }

  /// As above, with whether the model may call tools, as on OS 27.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil, toolCallingMode: ToolCallingMode?
  ) {
    self.init(
      sampling: samplingMode, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
    self.toolCallingMode = toolCallingMode
  }
}

/// An option that is outside its range: an extension.
public struct GenerationOptionsError: Error, Equatable, Sendable {
  /// What is wrong.
  public let option: String
  /// What it is.
  public let value: String
  /// What it has to be.
  public let rule: String

  package init(option: String, value: String, rule: String) {
    (self.option, self.value, self.rule) = (option, value, rule)
  }
}

extension GenerationOptionsError: LocalizedError, CustomStringConvertible {
  /// One sentence that names the option, its value and its range.
  public var description: String { "The \(option) is \(value), but has to be \(rule)." }

  /// The same.
  public var errorDescription: String? { description }

  /// What to change.
  public var recoverySuggestion: String? { "Set the \(option) to a value that is \(rule)." }
}

extension GenerationOptions {
  /// Whether a model may call tools, as on OS 27.
  public struct ToolCallingMode: Sendable, Equatable {
    /// The modes.
    public enum Kind: Sendable, Hashable {
      /// The model chooses.
      case allowed
      /// The model calls tools before it answers.
      case required
      /// The model answers without.
      case disallowed
    }

    /// Which one it is.
    public var kind: Kind

    /// The model chooses.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model calls tools before it answers.
    public static let required = ToolCallingMode(kind: .required)
    /// The model answers without.
    public static let disallowed = ToolCallingMode(kind: .disallowed)

    var calling: ToolCalling {
      switch kind {
      case .allowed: .allowed
      case .required: .required
      case .disallowed: .disallowed
      }
    }

    init(_ calling: ToolCalling) {
      kind =
        switch calling {
        case .allowed: .allowed
        case .required: .required
        case .disallowed: .disallowed
        }
    }

    private init(kind: Kind) { self.kind = kind }
  }
}

extension GenerationOptions {
  /// The options for one of several answers to a prompt.
  func inRound(_ calling: ToolCalling) -> GenerationOptions {
    var options = self
    if calling != toolCallingMode?.calling ?? .allowed {
      options.toolCallingMode = ToolCallingMode(calling)
    }
    return options
  }
}

extension GenerationOptions {
  /// How the next token is chosen among the likely ones.
  public struct SamplingMode: Sendable, Equatable {
    /// The modes.
    public enum Kind: Sendable, Equatable {
      /// The likeliest token.
      case greedy
      /// A draw among that many of the likeliest.
      case randomTopK(_: Int, seed: UInt64?)
      /// A draw among the likeliest whose probabilities reach that sum.
      case randomProbabilityThreshold(_: Double, seed: UInt64?)
    }

    /// Which one it is, for executors.
    public let kind: Kind

    /// The likeliest token, always: the same prompt gives the same response.
    public static var greedy: SamplingMode { SamplingMode(kind: .greedy) }

    /// A draw among the `k` likeliest tokens, `k` being 1 or more.
    ///
    /// The same seed gives the same response; without one it differs each time.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      SamplingMode(kind: .randomTopK(k, seed: seed))
    }

    /// A draw among the likeliest tokens whose probabilities reach the sum `probabilityThreshold`, `(0, 1]`.
    ///
    /// The same seed gives the same response; without one it differs each time.
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }
  }
}

extension GenerationOptions {
  /// The same for a model's generator; `limit` is the length of the context.
  ///
  /// - Throws: `.invalidOption` for a draw among no tokens; the generator checks all other ranges.
  func engine(limit: Int) throws(BaseModelError) -> SamplingOptions {
    var options = SamplingOptions(maximumTokens: maximumResponseTokens ?? limit)
    switch sampling?.kind {
    case nil: options.temperature = temperature ?? 0
    case .greedy: break
    case .randomTopK(let count, let seed):
      // The generator would take 0 for all tokens.
      guard count >= 1 else {
        throw .invalidOption(name: "top-k", value: "\(count)", rule: "1 or more")
      }
      options.temperature = temperature ?? 1
      options.topK = count
      options.seed = seed
    case .randomProbabilityThreshold(let threshold, let seed):
      options.temperature = temperature ?? 1
      options.topP = threshold
      options.seed = seed
    }
    return options
  }
}
