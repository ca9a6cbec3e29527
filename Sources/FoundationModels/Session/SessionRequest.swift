import ChatTemplates
import Grammars
import LanguageModels
import Synchronization

/// One prompt to a session, and what its response has to be like.
struct SessionRequest: Sendable {
  /// As it goes into the transcript.
  var prompt: Transcript.Prompt
  /// What the model reads right after the prompt, such as a schema; the transcript does not show it.
  var addition: String?
  /// What the response has to be like.
  var form: ResponseForm

  init(
    _ prompt: Prompt, _ options: GenerationOptions, addition: String? = nil,
    form: ResponseForm = .text
  ) {
    self.prompt = Transcript.Prompt(segments: prompt.segments, options: options)
    (self.addition, self.form) = (addition, form)
  }

  init(prompt: Transcript.Prompt, form: ResponseForm) {
    (self.prompt, self.form) = (prompt, form)
  }

  var options: GenerationOptions { prompt.options }

  /// The prompt as the model reads it.
  var message: ChatMessage {
    let text = prompt.segments.text + (addition ?? "")
    return ChatMessage(role: .user, content: text)
  }
}

/// The tokens of a conversation as a model of this machine has evaluated them.
struct SpokenTokens: Sendable {
  let tokens: [Int32]
  let speaker: ObjectIdentifier

  init?(_ answer: SessionEngine.Answer) {
    guard let speaker = answer.speaker else { return nil }
    (tokens, self.speaker) = (answer.tokens, speaker)
  }
}

/// A request that has been let in, with what was said before it.
struct SessionTurn: Sendable {
  let request: SessionRequest
  let history: Transcript
  /// The tokens of the history, if they are known.
  let spoken: SpokenTokens?
  let prewarming: Task<Void, Never>?
  let state: TurnState

  init(
    request: SessionRequest, history: Transcript, spoken: SpokenTokens?,
    prewarming: Task<Void, Never>?, before: TurnState?
  ) {
    (self.request, self.history, self.spoken) = (request, history, spoken)
    (self.prewarming, state) = (prewarming, TurnState(after: before))
  }

  func waitForPrewarming() async {
    guard let prewarming else { return }
    await withTaskCancellationHandler {
      await prewarming.value
    } onCancel: {
      prewarming.cancel()
    }
  }
}

/// How far a turn is: whether somebody still waits for its answer, and whether it has ended.
final class TurnState: Sendable {
  private struct State {
    var isLeft = false
    var isCancelled = false
    var hasEnded = false
    var isDisturbed = false
    var usage = LanguageModelSession.Usage()
    var stop: (@Sendable () -> Void)?
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The turn that was stopped for this one.
    var before: TurnState?
  }

  private let state: Mutex<State>

  init(after before: TurnState?) { state = Mutex(State(before: before)) }

  /// Whether nobody waits for the answer.
  var isGivenUp: Bool { state.withLock { $0.isLeft || $0.isCancelled } }

  /// The turn is being stopped.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Nobody waits for the answer, unless somebody does again.
  func leave() { state.withLock { $0.isLeft = true } }

  /// Somebody waits for the answer again.
  func takeUp() { state.withLock { $0.isLeft = false } }

  /// Whether somebody has tried to change the transcript meanwhile.
  var isDisturbed: Bool { state.withLock { $0.isDisturbed } }

  func wasDisturbed() { state.withLock { $0.isDisturbed = true } }

  /// What the answers of the turn have taken.
  var usage: LanguageModelSession.Usage { state.withLock { $0.usage } }

  func add(_ usage: LanguageModelSession.Usage) { state.withLock { $0.usage.add(usage) } }

  /// How the turn is stopped from outside of its task.
  func onStop(_ stop: @escaping @Sendable () -> Void) { state.withLock { $0.stop = stop } }

  func stop() { state.withLock { $0.stop }?() }

  /// The turn has left the session alone.
  func end() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.hasEnded = true
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the turn that was stopped for this one has ended.
  func waitForThoseBefore() async {
    let before = state.withLock { state in
      defer { state.before = nil }
      return state.before
    }
    await before?.wait()
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}

/// What the model reads next in a turn: the prompt, then what tools have put out.
struct SessionRound: Sendable {
  /// What was said before the turn.
  private(set) var history: [ChatMessage]
  /// What was said in the turn before.
  private var since: [ChatMessage] = []
  /// The tokens of that, if they are known.
  private(set) var spoken: SpokenTokens?
  private(set) var next: [ChatMessage]
  /// Whether the answer may call tools.
  private(set) var calling: ToolCalling
  let callLimit: Int
  /// How many answers there were before.
  let number: Int

  init(_ turn: SessionTurn, _ policy: ToolCallPolicy) {
    (history, spoken) = (turn.history.messages, turn.spoken)
    (next, number, callLimit) = ([turn.request.message], 0, policy.maximumCallsPerRound)
    calling = turn.request.options.toolCallingMode?.calling ?? .allowed
    if policy.maximumRounds == 0 { calling = .disallowed }
  }

  /// A round of nobody's session.
  init(
    said: [ChatMessage], next: [ChatMessage], calling: ToolCalling,
    spoken: SpokenTokens? = nil, callLimit: Int = ToolCallPolicy().maximumCallsPerRound,
    number: Int = 0
  ) {
    (history, self.spoken, self.next) = (said, spoken, next)
    (self.calling, self.callLimit, self.number) = (calling, callLimit, number)
  }

  /// The round after the model has called tools.
  func following(
    _ answer: SessionEngine.Answer, _ calls: [Transcript.Entry], _ outputs: [Transcript.Entry],
    _ policy: ToolCallPolicy
  ) -> SessionRound {
    // One call was required; what comes of it is the model's to say.
    var round = SessionRound(
      said: history, next: Transcript(entries: outputs).messages,
      calling: number + 1 >= policy.maximumRounds ? .disallowed : .allowed,
      spoken: SpokenTokens(answer), callLimit: callLimit, number: number + 1)
    round.since = since + next + Transcript(entries: calls).messages
    return round
  }

  /// All that was said before.
  var said: [ChatMessage] { history + since }

  /// The round with another history, whose tokens are not known.
  func after(_ history: Transcript) -> SessionRound {
    var round = self
    (round.history, round.spoken) = (history.messages, nil)
    return round
  }
}

/// What a request came to.
struct SessionReply: Sendable {
  let text: String
  /// What the request has added to the transcript.
  let entries: ArraySlice<Transcript.Entry>
  /// What all answers of the request have taken together.
  var usage = LanguageModelSession.Usage()
  /// The maximum number of tokens that was set.
  var limit: Int?
}

/// What a response has to be like, and how its text becomes content.
struct ResponseForm: Sendable {
  /// Makes the constraint of one response, for which it needs the vocabulary of the open model.
  ///
  /// The response may end where the constraint allows one of `renderer.stopTokens`.
  typealias ConstraintMaker =
    @Sendable (_ model: LanguageModels.LanguageModel, _ renderer: ChatRenderer) throws
    -> any TokenConstraint

  /// Whether the text has to be parsed.
  var isStructured = true
  /// What the text has to be like; nil for any.
  var schema: GenerationSchema?
  /// Decides which tokens may come; nil for any.
  var constraint: ConstraintMaker?
  /// The content of a response, or of the part of it that has come.
  var read: @Sendable (_ text: String) throws -> GeneratedContent
  /// The pieces that a response is in the transcript.
  var segments: @Sendable (_ text: String) -> [Transcript.Segment]
}

extension ResponseForm {
  /// Reads a whole response, which could have `limit` tokens, as a value of `type`.
  ///
  /// - Throws: `GenerationError.decodingFailure`.
  func check<Content: Generable>(
    _ text: String, is type: Content.Type, limit: Int?
  ) throws(LanguageModelSession.GenerationError) {
    let reply = SessionReply(text: text, entries: [], limit: limit)
    _ = try LanguageModelSession.Response<Content>(reply, self)
  }

  /// The text of a model that no grammar has held to the schema, with properties in their order.
  ///
  /// - Throws: `GenerationError.decodingFailure` for a text that the schema does not allow.
  func conforming(_ text: String) throws(LanguageModelSession.GenerationError) -> String {
    guard let schema else { return text }
    func fail(_ reason: String) -> LanguageModelSession.GenerationError {
      .decodingFailure(LanguageModelSession.GenerationError.Context(debugDescription: reason))
    }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw fail(
        "The model was to answer as the schema '\(schema.name)' says, but wrote nothing.")
    }
    guard let content = try? GeneratedContent(json: text) else {
      throw fail("The model was to answer as the schema '\(schema.name)' says, but wrote no JSON.")
    }
    // What was cut is told by who reads the content.
    guard content.isComplete else { return text }
    guard schema.accepts(content) else {
      throw fail("The model's answer is not what the schema '\(schema.name)' allows: \(text)")
    }
    return content.ordered(by: schema).jsonString
  }

  /// Any text.
  static let text = ResponseForm(
    isStructured: false, constraint: nil, read: { GeneratedContent($0) },
    segments: { [Transcript.Segment](text: $0) })
}

extension ResponseForm {
  /// Content that follows the schema of `format`; plain text where that asks for no more than a text.
  init(_ format: Transcript.ResponseFormat) {
    let schema = format.schema
    if case .string(let string) = schema.root, string.values == nil, string.patterns.isEmpty {
      self = .text
      return
    }
    // One name for the whole response, so that its parts keep theirs from snapshot to snapshot.
    let id = GenerationID()
    self.init(
      schema: schema,
      constraint: { model, renderer in
        try GrammarConstraint(
          schema.grammar(), tokenizer: model.tokenizer(), stopTokens: renderer.stopTokens)
      },
      read: { try GeneratedContent(json: $0, id: id) },
      segments: { text in
        guard let content = try? GeneratedContent(json: text) else {
          return [Transcript.Segment](text: text)
        }
        return [.structure(Transcript.StructuredSegment(source: format.name, content: content))]
      })
  }
}

extension SessionRequest {
  /// A prompt whose response is to have `format`.
  init(
    _ prompt: Prompt, _ format: Transcript.ResponseFormat, includesSchema: Bool,
    _ options: GenerationOptions
  ) {
    let context = ContextOptions(includeSchemaInPrompt: includesSchema ? nil : false)
    self.init(prompt, format, options, context, [:])
  }

  /// A prompt whose response is to have `format`, any text if that is nil.
  init(
    _ prompt: Prompt, _ format: Transcript.ResponseFormat?, _ options: GenerationOptions,
    _ context: ContextOptions, _ metadata: EntryMetadata
  ) {
    self.init(prompt, options, form: format.map(ResponseForm.init) ?? .text)
    self.prompt.responseFormat = format
    (self.prompt.contextOptions, self.prompt.metadata) = (context, metadata)
    if form.constraint != nil, context.includeSchemaInPrompt ?? true {
      addition = format?.promptText
    }
  }
}

extension Transcript.ResponseFormat {
  /// What the model reads of the format behind a prompt: the text that adapters are trained with.
  var promptText: String {
    ChatFormat.schemaText(
      name: name, description: schema.root.description, schema: schema.debugDescription)
  }
}

extension [Transcript.Entry] {
  /// What a turn has added; a prompt that was replaced meanwhile counts, too.
  func since(_ turn: SessionTurn) -> [Transcript.Entry] {
    let start =
      firstIndex { $0.id == turn.request.prompt.id }
      ?? lastIndex { if case .prompt = $0 { true } else { false } } ?? endIndex
    return Array(self[start...])
  }
}

extension Transcript.Entry {
  /// The entry, if it is instructions.
  var asInstructions: Transcript.Instructions? {
    if case .instructions(let entry) = self { entry } else { nil }
  }
}
