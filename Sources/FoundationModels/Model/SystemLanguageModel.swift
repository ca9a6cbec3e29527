import ChatTemplates
public import Foundation
import LanguageModels
public import Observation

/// A language model that runs on this machine: a base, alone or with an adapter.
///
/// What `default` and adapter names stand for is set by ``configuration``. A base is opened when it is first asked for
/// and shared by all models and sessions of the process; its weights are mapped and never changed, so any number of
/// sessions with any adapters run over one at the same time.
///
/// The type is `Observable` as Apple's is, but nothing tells when a base is installed or removed: ask ``availability``
/// again.
public final class SystemLanguageModel: Sendable, Observable {
  let source: ModelSource
  let guardrails: Guardrails
  /// Whom the model is required to be for; nil for anybody.
  let locale: Locale?
  /// Languages in place of those that the base states.
  let languages: [Locale.Language]?
  private let held = HeldModel()

  /// The base in use of the store that ``configuration`` names, without an adapter.
  public static let `default` = SystemLanguageModel()

  init(
    _ source: ModelSource, _ guardrails: Guardrails, locale: Locale? = nil,
    languages: [Locale.Language]? = nil
  ) {
    (self.source, self.guardrails) = (source, guardrails)
    (self.locale, self.languages) = (locale, languages)
  }

  /// The model for a purpose: the base in use, for ``UseCase/contentTagging`` with an adapter that ``configuration`` names.
  public convenience init(
    useCase: UseCase = .general, guardrails: Guardrails = Guardrails.default
  ) {
    self.init(.configured(useCase), guardrails)
  }

  /// The base that `adapter` was made for, with the adapter.
  public convenience init(adapter: Adapter, guardrails: Guardrails = .default) {
    self.init(.adapter(adapter), guardrails)
  }

  /// The base in a GGUF file, without an adapter: an extension, as Apple's framework has no bases of one's own.
  ///
  /// The file is opened when the model is first used; ``availability`` tells whether it can be.
  public convenience init(base: URL, guardrails: Guardrails = .default) {
    self.init(.file(path: BasePlace.path(base)), guardrails)
  }

  /// The open base and adapter, shared with who else uses them.
  ///
  /// - Throws: `ModelFailure`, in which the reason is a sentence.
  func load() throws(ModelFailure) -> LoadedModel { try held.load(source) }
}

extension SystemLanguageModel {
  /// What a model is for.
  public struct UseCase: Sendable, Equatable {
    private let name: String

    /// Anything.
    public static let general = UseCase(name: "general")
    /// Tagging text with topics, actions, objects and emotions.
    ///
    /// No base has this built in: it is the adapter that ``Configuration/contentTaggingAdapter`` names, and the model is
    /// not available while that is nil.
    public static let contentTagging = UseCase(name: "contentTagging")
  }
}

extension SystemLanguageModel {
  /// Whether a model can be used.
  @frozen
  public enum Availability: Sendable, Equatable {
    /// Why a model cannot be used.
    public enum UnavailableReason: Sendable, Hashable {
      /// The machine cannot run the model. Not given here: any processor can.
      case deviceNotEligible
      /// The person has not turned it on. Not given here: there is no such setting.
      case appleIntelligenceNotEnabled
      /// There is no base that could be used, or no adapter where one is needed; ``SystemLanguageModel/diagnosis`` says
      /// what is missing.
      case modelNotReady
    }

    /// The base, and the adapter if there is one, are open and fit together.
    case available
    /// A session would throw `assetsUnavailable`.
    case unavailable(UnavailableReason)
  }

  /// Whether the model can be used now; opens it to find out.
  ///
  /// What is installed is read again when the store has changed. It says nothing of checks of content: there are none unless a program sets
  /// some.
  public var availability: Availability {
    diagnosis == nil ? .available : .unavailable(.modelNotReady)
  }

  /// Whether the model can be used now; opens it to find out.
  public var isAvailable: Bool { availability == .available }

  /// One sentence that says why the model cannot be used and what to do, or nil when it can: an extension.
  public var diagnosis: String? {
    do throws(ModelFailure) {
      _ = try load()
      return nil
    } catch {
      return error.reason
    }
  }
}

extension SystemLanguageModel {
  /// Tokens that a session with this model holds at most, prompts and responses together; 0 while it is not available.
  public var contextSize: Int { (try? load())?.contextSize ?? 0 }

  /// Whether the chat template of the base has a place for tools; false while the model is not available: an extension.
  ///
  /// A base without is told of tools with the instructions, and may hardly ever call one by itself, as SmolLM2-135M does not.
  /// ``GenerationOptions/ToolCallingMode/required`` makes it call one. An adapter may have taught it when to, which this does
  /// not tell.
  public var isMadeForTools: Bool { (try? load())?.base.renderer.style.takesTools ?? false }

  /// The tokens that `prompt` takes up in a session: its text and the marks of its turn.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(for prompt: some PromptRepresentable) async throws -> Int {
    try count(Prompt(prompt).message)
  }

  /// The tokens that `instructions` take up in a session: their text and the marks of their turn.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(for instructions: Instructions) async throws -> Int {
    try count(instructions.message)
  }

  /// The tokens that a session holds which was made from these entries, before its next prompt.
  ///
  /// They are those of the entries' turns and of what stands before the first one: the marks of the chat format, and
  /// the base's own instructions when there are no others. A session that goes on has also read the schemas behind its
  /// prompts, which are no part of the entries' texts; ``tokenCount(for:)-(GenerationSchema)`` counts them.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(
    for transcriptEntries: some Collection<Transcript.Entry>
  ) async throws -> Int {
    let transcript = Transcript(entries: transcriptEntries)
    let (messages, tools) = (transcript.messages, transcript.toldTools)
    var renderer = try opened().base.renderer
    if !tools.isEmpty || messages.contains(where: { $0.role == .tool || !$0.toolCalls.isEmpty }) {
      renderer = try renderer.offering(tools)
    }
    return renderer.openingTokens(messages).count
  }

  /// The tokens that the definitions of `tools` take up in a session.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`, or `.unsupportedGuide` for arguments that cannot be
  ///   enforced.
  public func tokenCount(for tools: [any Tool]) async throws -> Int {
    let definitions = try tools.map { try $0.chatTool() }
    return try opened().base.renderer.offering(definitions).toolTokenCount
  }

  /// The tokens that `schema` takes up behind a prompt that has it.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    let format = Transcript.ResponseFormat(schema: schema)
    return try count(ChatMessage(role: .user, content: format.promptText))
      - count(ChatMessage(role: .user, content: ""))
  }

  private func count(_ message: ChatMessage) throws -> Int {
    try opened().base.renderer.turnTokens([message]).count
  }
}

extension SystemLanguageModel {
  /// Why a model of this machine cannot be used, as on OS 27.
  ///
  /// Not thrown here: it is `LanguageModelSession.GenerationError.assetsUnavailable`, as on OS 26.
  public enum Error: LocalizedError, CustomDebugStringConvertible, Sendable {
    /// The base or the adapter cannot be used.
    case assetsUnavailable(AssetsUnavailable)

    /// What is known of it.
    public struct AssetsUnavailable: Sendable {
      /// What is missing or damaged, for developers.
      public var debugDescription: String

      /// Something that is missing or damaged.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// One sentence for people, and the details.
    public var errorDescription: String? {
      "The language model cannot be used. \(debugDescription)"
    }

    /// What is wrong in detail, for developers.
    public var debugDescription: String {
      switch self {
      case .assetsUnavailable(let error): error.debugDescription
      }
    }

    /// What is wrong in detail, for developers.
    public var failureReason: String? { debugDescription }
  }
}
