import ChatTemplates
public import Foundation
import Grammars
import LanguageModels

extension LanguageModelSession {
  /// Why there is no response, as on OS 26; here what OS 27 has left of it.
  ///
  /// A full context, content that was refused, a guide that cannot be kept to and a language that is not spoken are thrown as
  /// ``LanguageModelError``, and an answer that is no value of the type as ``GeneratedContent/ParsingError``, as OS 27 does. Options outside their range are thrown as ``GenerationOptionsError``, names of tools that will not do as
  /// ``ToolNameError``, errors of tools as ``ToolCallError``, and a cancelled task throws `CancellationError`.
  public enum GenerationError: LocalizedError, Sendable {
    /// Prompt, transcript and response do not fit into the context together. Not thrown here.
    case exceededContextWindowSize(Context)
    /// The base or the adapter cannot be used; the context says what is missing or damaged.
    case assetsUnavailable(Context)
    /// Content was refused by a check. Not thrown here.
    case guardrailViolation(Context)
    /// A guide or schema asks for something that cannot be enforced while generating. Not thrown by a session here.
    case unsupportedGuide(Context)
    /// The model does not speak the language of those for whom it is required. Not thrown here.
    case unsupportedLanguageOrLocale(Context)
    /// A call of a tool that a model has written cannot be read, or may not be.
    case decodingFailure(Context)
    /// There were too many requests. Not thrown here: nothing counts them.
    case rateLimited(Context)
    /// The session is still answering another prompt.
    case concurrentRequests(Context)
    /// A check refused to have it answered, and explains that. Not thrown by a session here.
    case refusal(Refusal, Context)

    /// What is known of an error.
    public struct Context: Sendable {
      /// What is wrong, where, and what to do, for developers.
      public let debugDescription: String

      /// A context with this description.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }
  }
}

extension LanguageModelSession.GenerationError {
  /// What is known of the error.
  public var context: Context { parts.context }

  /// What is wrong, and in detail, for people.
  public var errorDescription: String? { "\(parts.wrong) \(context.debugDescription)" }

  /// What is wrong in detail, for developers.
  public var failureReason: String? { context.debugDescription }

  /// What can be done.
  public var recoverySuggestion: String? { parts.remedy }

  private var parts: (context: Context, wrong: String, remedy: String) {
    switch self {
    case .exceededContextWindowSize(let context):
      (
        context, "The conversation has become too long.",
        "Start a new session, with a shorter transcript or prompt."
      )
    case .assetsUnavailable(let context):
      (
        context, "The language model cannot be used.", "Install what is missing, then try again."
      )
    case .guardrailViolation(let context):
      (context, "The content was refused.", "Change the prompt.")
    case .unsupportedGuide(let context):
      (context, "The kind of answer that was asked for is not supported.", "Use another guide.")
    case .unsupportedLanguageOrLocale(let context):
      (context, "The language model does not know this language.", "Use another language.")
    case .decodingFailure(let context):
      (
        context, "The answer is not of the kind that was asked for.",
        "Try again, or allow a longer response."
      )
    case .rateLimited(let context):
      (context, "There were too many requests.", "Try again later.")
    case .concurrentRequests(let context):
      (
        context, "Another answer is still being written.",
        "Wait for the answer, or use a session of its own."
      )
    case .refusal(_, let context):
      (context, "The language model refused to answer.", "Ask for something else.")
    }
  }
}

extension LanguageModelSession.GenerationError {
  /// A model's refusal to answer.
  public struct Refusal: Sendable {
    private let entries: [Transcript.Entry]

    /// The refusal that `transcriptEntries` record.
    public init(transcriptEntries: [Transcript.Entry]) { entries = transcriptEntries }

    /// What the model said when it refused, which is the text of the recorded responses: nothing is generated.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try await explanationStream.collect() }
    }

    /// The explanation as a stream, which has it at once.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(SessionReply(text: text, entries: entries[...]), .text)
    }

    var text: String {
      let responses = entries.compactMap { entry in
        if case .response(let response) = entry { response.segments.text } else { nil }
      }
      return responses.joined(separator: "\n")
    }
  }
}

extension LanguageModelSession.GenerationError {
  /// The error that a session throws for `error`: one of these, where there is one for it.
  static func mapping(_ error: any Swift.Error) -> any Swift.Error {
    switch error {
    case let failure as ModelFailure: assetsUnavailable(failure.reason)
    case let error as BaseModelError: mapping(error)
    case let error as GrammarDefect: unsupportedGuide(error.description)
    case ChatDefect.nothingToAnswer, ChatDefect.unsupportedRole, ChatDefect.failedTemplate: error
    case ChatDefect.duplicateTool(let name): LanguageModelSession.ToolNameError.duplicate(name)
    case ChatDefect.unusableToolName(let name): LanguageModelSession.ToolNameError.unusable(name)
    case let error as ChatDefect: assetsUnavailable(error.description)
    default: error
    }
  }

  private static func mapping(_ error: BaseModelError) -> any Swift.Error {
    switch error {
    case .cancelled: CancellationError()
    case .contextExceeded(let limit, let needed):
      LanguageModelError.contextSizeExceeded(
        LanguageModelError.ContextSizeExceeded(
          contextSize: limit, tokenCount: needed, debugDescription: error.description))
    case .noTokenAllowed, .grammar: unsupportedGuide(error.description)
    case .invalidOption(let name, let value, let rule):
      GenerationOptionsError(option: name, value: value, rule: rule)
    default: assetsUnavailable(error.description)
    }
  }

  private static func unsupportedGuide(_ text: String) -> any Swift.Error {
    unsupportedGuide(Context(debugDescription: text)).asOnOS27
  }

  /// What OS 27 throws in the place of the error; the error itself where it has no other one for it.
  var asOnOS27: any Swift.Error {
    let text = context.debugDescription
    return switch self {
    case .exceededContextWindowSize:
      LanguageModelError.contextSizeExceeded(
        LanguageModelError.ContextSizeExceeded(
          contextSize: 0, tokenCount: 0, debugDescription: text))
    case .guardrailViolation:
      LanguageModelError.guardrailViolation(
        LanguageModelError.GuardrailViolation(debugDescription: text))
    case .unsupportedGuide:
      LanguageModelError.unsupportedGenerationGuide(
        LanguageModelError.UnsupportedGenerationGuide(schemaName: nil, debugDescription: text))
    case .refusal(let refusal, _):
      LanguageModelError.refusal(
        LanguageModelError.Refusal(explanation: refusal.text, debugDescription: text))
    case .assetsUnavailable, .unsupportedLanguageOrLocale, .decodingFailure, .rateLimited,
      .concurrentRequests:
      self
    }
  }

  static func assetsUnavailable(_ text: String) -> Self {
    .assetsUnavailable(Context(debugDescription: text))
  }
}

extension SystemLanguageModel {
  /// The open model, with the error that a session would throw.
  func opened() throws(LanguageModelSession.GenerationError) -> LoadedModel {
    do throws(ModelFailure) {
      return try load()
    } catch {
      throw .assetsUnavailable(error.reason)
    }
  }
}

extension LanguageModelSession {
  /// What is wrong with the use of a session, as on OS 27.
  public enum Error: LocalizedError, Hashable, Sendable {
    /// The session is still answering another prompt. Not thrown here: it is ``GenerationError/concurrentRequests(_:)``, as on OS 26.
    case concurrentRequests
    /// The transcript was changed while a prompt was being answered; the change was not made.
    case transcriptMutationWhileResponding
  }
}

extension LanguageModelSession.Error: CustomDebugStringConvertible {
  /// One sentence for people, and the details.
  public var errorDescription: String? {
    let wrong =
      switch self {
      case .concurrentRequests: "Another answer is still being written."
      case .transcriptMutationWhileResponding: "The conversation was changed during an answer."
      }
    return "\(wrong) \(debugDescription)"
  }

  /// What is wrong in detail, for developers.
  public var debugDescription: String {
    switch self {
    case .concurrentRequests:
      "The session is still answering another prompt; wait for it, or use a session of its own."
    case .transcriptMutationWhileResponding:
      "The transcript was changed while the session answered a prompt; change it before or after."
    }
  }
}
