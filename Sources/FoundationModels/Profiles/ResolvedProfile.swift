/// What becomes of a transcript when a response ends in an error, as on OS 27.
public struct TranscriptErrorHandlingPolicy: Sendable {
  let preserves: Bool

  /// It is as it was before the prompt.
  public static let revertTranscript = TranscriptErrorHandlingPolicy(preserves: false)
  /// It keeps the prompt, and the calls and outputs that there are.
  public static let preserveTranscript = TranscriptErrorHandlingPolicy(preserves: true)
}

/// What a profile says at one moment.
struct ResolvedProfile {
  /// What the model is to do or to be; nil where nobody says so.
  var instructions: Instructions?
  var tools: [any Tool] = []
  var model: ModelLink?
  var temperature: Double?
  var samplingMode: GenerationOptions.SamplingMode?
  var maximumResponseTokens: Int?
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var toolCallingMode: GenerationOptions.ToolCallingMode?
  var errorHandling: TranscriptErrorHandlingPolicy?
  /// Which branches were taken: profiles with the same are the same one.
  var identity: [String] = []

  var historyTransforms: [([Transcript.Entry]) -> [Transcript.Entry]] = []
  var onPrompt: [(Transcript.Prompt) async throws -> Void] = []
  var onResponse: [(Transcript.Response) async throws -> Void] = []
  var onReasoning: [(Transcript.Reasoning) async throws -> Void] = []
  var onToolCall: [(Transcript.ToolCall) async throws -> Void] = []
  var onToolOutput: [(Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void] = []
  var onActivate: [@isolated(any) () async -> Void] = []
  var onDeactivate: [@isolated(any) () async -> Void] = []

  init() {}

  /// What `profile` says now.
  init(_ profile: some LanguageModelSession.DynamicProfile) { apply(profile) }

  /// `options` of a caller, with those of the profile where it gives none.
  func options(_ options: GenerationOptions) -> GenerationOptions {
    var options = options
    options.temperature = options.temperature ?? temperature
    options.sampling = options.sampling ?? samplingMode
    options.maximumResponseTokens = options.maximumResponseTokens ?? maximumResponseTokens
    options.toolCallingMode = options.toolCallingMode ?? toolCallingMode
    return options
  }

  /// What the model reads of a transcript.
  func read(_ transcript: Transcript) -> Transcript {
    guard !historyTransforms.isEmpty else { return transcript }
    var transcript = transcript
    transcript.history = historyTransforms.reduce(Array(transcript.history)) { $1($0) }[...]
    return transcript
  }
}
