public import Foundation

/// Why a model of any kind has no answer, as on OS 27.
///
/// Executors throw it, and a session passes it on. A session over ``SystemLanguageModel`` throws it, too;
/// ``LanguageModelSession/GenerationError`` has what is left.
public enum LanguageModelError: LocalizedError, Sendable {
  /// Prompt, transcript and response do not fit into the context together.
  case contextSizeExceeded(ContextSizeExceeded)
  /// There were too many requests.
  case rateLimited(RateLimited)
  /// Content was refused by a check.
  case guardrailViolation(GuardrailViolation)
  /// The model refused to answer.
  case refusal(Refusal)
  /// The request needs something that the model cannot do.
  case unsupportedCapability(UnsupportedCapability)
  /// The transcript has something that the model cannot read.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// A guide or schema asks for something that the model cannot be held to.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not know the language.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// The model took too long.
  case timeout(Timeout)
}

extension LanguageModelError {
  /// What is known when a context is full.
  public struct ContextSizeExceeded: Sendable {
    /// Tokens that the context holds; 0 where nobody says.
    public var contextSize: Int
    /// Tokens that were needed; 0 where nobody says.
    public var tokenCount: Int
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// A context that is full.
    public init(
      contextSize: Int, tokenCount: Int, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      (self.contextSize, self.tokenCount) = (contextSize, tokenCount)
      (self.debugDescription, self.metadata) = (debugDescription, metadata)
    }
  }

  /// What is known when there were too many requests.
  public struct RateLimited: Sendable {
    /// When there may be requests again; nil where nobody says.
    public var resetDate: Date?
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// Too many requests.
    public init(
      resetDate: Date?, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      (self.resetDate, self.debugDescription) = (resetDate, debugDescription)
      self.metadata = metadata
    }
  }

  /// What is known when content was refused.
  public struct GuardrailViolation: Sendable {
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// Content that was refused.
    public init(debugDescription: String, metadata: [String: any Sendable] = [:]) {
      (self.debugDescription, self.metadata) = (debugDescription, metadata)
    }
  }

  /// What is known when a model refused.
  public struct Refusal: Sendable {
    private let text: String
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// A refusal for which the model gave `explanation`.
    public init(
      explanation: String, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      (text, self.debugDescription, self.metadata) = (explanation, debugDescription, metadata)
    }

    /// What the model said when it refused: nothing is generated.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try await explanationStream.collect() }
    }

    /// The explanation as a stream, which has it at once.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(SessionReply(text: text, entries: []), .text)
    }
  }

  /// What is known when a model cannot do something.
  public struct UnsupportedCapability: Sendable {
    /// What it cannot do.
    public var capability: LanguageModelCapabilities.Capability
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// A capability that is missing.
    public init(
      capability: LanguageModelCapabilities.Capability, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      (self.capability, self.debugDescription) = (capability, debugDescription)
      self.metadata = metadata
    }
  }

  /// What is known when a transcript cannot be read.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries that cannot be read.
    public var unsupportedContent: [Transcript.Entry]
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// Entries that cannot be read.
    public init(
      unsupportedContent: [Transcript.Entry], debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      (self.unsupportedContent, self.debugDescription) = (unsupportedContent, debugDescription)
      self.metadata = metadata
    }
  }

  /// What is known when a schema cannot be kept to.
  public struct UnsupportedGenerationGuide: Sendable {
    /// Name of the schema; nil where it has none.
    public var schemaName: String?
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// A schema that cannot be kept to.
    public init(
      schemaName: String?, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      (self.schemaName, self.debugDescription) = (schemaName, debugDescription)
      self.metadata = metadata
    }
  }

  /// What is known when a language is not spoken.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The language.
    public var languageCode: Locale.LanguageCode
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// A language that is not spoken.
    public init(
      languageCode: Locale.LanguageCode, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      (self.languageCode, self.debugDescription) = (languageCode, debugDescription)
      self.metadata = metadata
    }
  }

  /// What is known when a model took too long.
  public struct Timeout: Sendable {
    /// What is wrong, for developers.
    public var debugDescription: String
    /// What else the provider knows.
    public var metadata: [String: any Sendable]

    /// An answer that did not come in time.
    public init(debugDescription: String, metadata: [String: any Sendable] = [:]) {
      (self.debugDescription, self.metadata) = (debugDescription, metadata)
    }
  }
}

extension LanguageModelError: CustomDebugStringConvertible {
  /// What is wrong in detail, for developers.
  public var debugDescription: String { parts.reason }

  /// What is wrong, and in detail, for people.
  public var errorDescription: String? { "\(parts.wrong) \(parts.reason)" }

  /// What is wrong in detail, for developers.
  public var failureReason: String? { parts.reason }

  /// What can be done.
  public var recoverySuggestion: String? { parts.remedy }

  private var parts: (reason: String, wrong: String, remedy: String) {
    switch self {
    case .contextSizeExceeded(let error):
      (
        error.debugDescription, "The conversation has become too long.",
        "Start a new session, with a shorter transcript or prompt."
      )
    case .rateLimited(let error):
      (error.debugDescription, "There were too many requests.", "Try again later.")
    case .guardrailViolation(let error):
      (error.debugDescription, "The content was refused.", "Change the prompt.")
    case .refusal(let error):
      (
        error.debugDescription, "The language model refused to answer.", "Ask for something else."
      )
    case .unsupportedCapability(let error):
      (
        error.debugDescription, "The language model cannot do what was asked for.",
        "Use a model that has the capability \(error.capability)."
      )
    case .unsupportedTranscriptContent(let error):
      (
        error.debugDescription, "The language model cannot read the conversation.",
        "Leave out what it cannot read."
      )
    case .unsupportedGenerationGuide(let error):
      (
        error.debugDescription, "The kind of answer that was asked for is not supported.",
        "Use another guide."
      )
    case .unsupportedLanguageOrLocale(let error):
      (
        error.debugDescription, "The language model does not know this language.",
        "Use another language."
      )
    case .timeout(let error):
      (error.debugDescription, "The language model took too long.", "Try again.")
    }
  }
}
