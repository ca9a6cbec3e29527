public import Foundation

/// What an executor is asked for: one answer to a conversation.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// The identity of the request, a new one for each answer.
  public var id: UUID
  /// Everything that was said; the last entry is a prompt or the output of a tool.
  public var transcript: Transcript { didSet { turn = nil } }
  /// The tools that the model may call.
  public var enabledToolDefinitions: [Transcript.ToolDefinition] { didSet { turn = nil } }
  /// What the answer has to be like; nil for any text.
  public var schema: GenerationSchema? { didSet { turn = nil } }
  /// How the answer is to be generated; its mode of calling tools is that of this request, not of the whole prompt.
  public var generationOptions: GenerationOptions { didSet { turn = nil } }
  /// What the model is to read and to think beside the transcript.
  public var contextOptions: ContextOptions { didSet { turn = nil } }
  /// What the caller of the session passes on.
  public var metadata: [String: any Sendable & Codable & Equatable]

  /// What this machine's own models keep of the session; nil where no session asks.
  var engine: SessionEngine?
  /// The request as the session has it, which knows more than the above; nil when that was changed.
  var turn: EngineTurn?

  /// What guards of content have let pass in the session that asks; nothing where none does.
  package var passed: PassedContents { engine?.passed ?? PassedContents() }

  /// A request that no session makes.
  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any Sendable & Codable & Equatable]
  ) {
    (self.id, self.transcript, enabledToolDefinitions) = (id, transcript, enabledTools)
    (self.schema, self.generationOptions) = (schema, generationOptions)
    (self.contextOptions, self.metadata) = (contextOptions, metadata)
  }
}

/// What a model reads and how long it thinks beside the transcript.
public struct ContextOptions: Sendable, Equatable {
  /// Whether the model reads the schema of its answer behind the prompt; nil for true.
  public var includeSchemaInPrompt: Bool?
  /// How much the model thinks before it answers; nil for as much as it likes.
  ///
  /// Models without ``LanguageModelCapabilities/Capability/reasoning``, such as ``SystemLanguageModel``, refuse any other value.
  public var reasoningLevel: ReasoningLevel?

  /// What the model does by itself, unless told otherwise.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    (self.includeSchemaInPrompt, self.reasoningLevel) = (includeSchemaInPrompt, reasoningLevel)
  }

  /// How much a model thinks before it answers.
  public enum ReasoningLevel: Sendable, Equatable {
    /// A little.
    case light
    /// Some.
    case moderate
    /// A lot.
    case deep
    /// As much as the provider calls by this name.
    case custom(String)
  }
}
