import Foundation
public import Observation
import Synchronization

/// A conversation with a model: what was said, and what has been computed of it.
///
/// A session answers one prompt at a time; any number of sessions run at once. The keys and values of everything said so
/// far stay in memory, so a next prompt costs only its own tokens. Generation runs on a thread of its own and stops
/// when the task that waits for it is cancelled: then, and after every error, the transcript is as it was before the
/// prompt.
///
/// With tools, the model chooses whether it answers or calls some; what they return goes back to it, until it answers. Calls
/// and outputs are entries of the transcript, and ``toolCallPolicy`` decides on them.
///
/// ``isResponding`` and ``transcript`` can be observed with `withObservationTracking`.
public final class LanguageModelSession: Sendable, Observable {
  private struct Conversation {
    var transcript: Transcript
    /// All tokens of the transcript as they were evaluated, the last response without its end; nil while they have to be
    /// made from the transcript's text.
    var spoken: SpokenTokens?
    /// What all answers have taken, those that were taken back among them.
    var usage = Usage()
    /// The prompt that is being answered.
    var turn: SessionTurn?
    /// What the last prompt had added, if it was taken back.
    var rejected: [Transcript.Entry] = []
    var prewarming: Task<Void, Never>?
    var policy = ToolCallPolicy()
  }

  let engine: SessionEngine
  private let link: ModelLink
  private let tools: SessionTools
  private let registrar = ObservationRegistrar()
  private let conversation: Mutex<Conversation>

  init(_ link: ModelLink, _ tools: [any Tool], _ transcript: Transcript) {
    self.tools = SessionTools(tools: tools)
    self.link = link
    engine = SessionEngine(self.tools)
    conversation = Mutex(Conversation(transcript: transcript))
  }

  /// What was said so far; the prompt that is being answered is its last entry but for calls of tools and their outputs.
  public var transcript: Transcript {
    registrar.access(self, keyPath: \.transcript)
    return conversation.withLock { $0.transcript }
  }

  /// Whether a prompt is being answered.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return conversation.withLock { $0.turn != nil }
  }

  /// What becomes of the model's calls of tools, from the next answer on: an extension.
  public var toolCallPolicy: ToolCallPolicy {
    get { conversation.withLock { $0.policy } }
    set { conversation.withLock { $0.policy = newValue } }
  }

  /// What all answers of the session have taken together, in tokens.
  public var usage: Usage { conversation.withLock { $0.usage } }

  /// Opens the model and computes what the session starts with, and `promptPrefix` if it is known how the next prompt
  /// begins.
  ///
  /// Returns at once; the next response waits for what is still being computed, and does not compute it again. That the
  /// model cannot be opened is told by that response. Another model's executor gets ready in its own way.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let (engine, link) = (engine, link)
    conversation.withLock { conversation in
      let start = ModelLink.Start(
        history: conversation.transcript, spoken: conversation.spoken, prefix: promptPrefix)
      let before = conversation.prewarming
      conversation.prewarming = Task(executorPreference: engine.thread) {
        await before?.value
        await link.prewarm(engine, start)
      }
    }
  }
}

extension LanguageModelSession {
  /// Answers `request` and keeps the books: transcript and ``isResponding``.
  ///
  /// - Throws: ``GenerationError``, ``ToolCallError``, `CancellationError`, or ``GenerationOptionsError``.
  func answer<Content>(_ request: SessionRequest) async throws -> Response<Content> {
    try Response(
      try await finish(try begin(request), as: Content.self, emit: { _ in }), request.form)
  }

  /// Claims the session for `request` and puts its prompt into the transcript.
  ///
  /// A prompt that nobody waits for any more is stopped and taken back; the next one waits until it has stopped.
  ///
  /// - Throws: ``GenerationError/concurrentRequests(_:)``.
  func begin(_ request: SessionRequest) throws(GenerationError) -> SessionTurn {
    let turn = change { conversation -> SessionTurn? in
      let before = conversation.turn
      if let before {
        guard before.state.isGivenUp else { return nil }
        before.state.stop()
        conversation.transcript = before.history
      }
      let turn = SessionTurn(
        request: request, history: conversation.transcript, spoken: conversation.spoken,
        prewarming: conversation.prewarming, before: before?.state)
      conversation.turn = turn
      conversation.rejected = []
      conversation.transcript.entries.append(.prompt(request.prompt))
      return turn
    }
    guard let turn else {
      throw .concurrentRequests(
        GenerationError.Context(
          debugDescription:
            "The session is still answering another prompt; wait for it, or use a session of its own."
        ))
    }
    return turn
  }

  /// Answers what ``begin(_:)`` has claimed the session for.
  func finish<Content: Generable>(
    _ turn: SessionTurn, as type: Content.Type, emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionReply {
    defer { turn.state.end() }
    do {
      return try await withTaskCancellationHandler {
        await turn.state.waitForThoseBefore()
        return try await answer(turn, as: type, emit: emit)
      } onCancel: {
        turn.state.cancel()
      }
    } catch {
      takeBack(turn)
      throw GenerationError.mapping(error)
    }
  }

  /// Lets the model answer and call tools in turn until it has answered.
  private func answer<Content: Generable>(
    _ turn: SessionTurn, as type: Content.Type, emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionReply {
    let policy = toolCallPolicy
    var round = SessionRound(turn, policy)
    var said = Transcript(entries: turn.history.entries + [.prompt(turn.request.prompt)])
    while true {
      await turn.waitForPrewarming()
      let answer = try await ask(turn, round, said, emit)
      guard !answer.calls.isEmpty else { return try complete(turn, answer, as: type) }
      let decided = try await tools.decide(answer.calls, policy)
      let calls = answer.entries + [answer.calling(decided.map(\.call))]
      try append(calls, to: turn)
      let outputs = try await tools.run(decided).map { Transcript.Entry.toolOutput($0) }
      try append(outputs, to: turn)
      said.entries += calls + outputs
      round = round.following(answer, calls, outputs, policy)
      emit(nil)
    }
  }

  /// One answer of the model to `said`.
  private func ask(
    _ turn: SessionTurn, _ round: SessionRound, _ said: Transcript,
    _ emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionEngine.Answer {
    let prompt = turn.request.prompt
    var request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: said,
      enabledTools: tools.tools.map { Transcript.ToolDefinition(tool: $0) },
      schema: turn.request.form.schema, generationOptions: prompt.options.inRound(round.calling),
      contextOptions: prompt.contextOptions, metadata: prompt.metadata)
    request.engine = engine
    request.turn = EngineTurn(request: turn.request, round: round)
    let assembly = AnswerAssembly(emit: emit)
    let channel = LanguageModelExecutorGenerationChannel { assembly.take($0) }
    try await link.respond(to: request, channel)
    try Task.checkCancellation()
    let answer = try assembly.answer()
    conversation.withLock { $0.usage.add(answer.usage) }
    turn.state.add(answer.usage)
    // What this machine's own models say fits already.
    if answer.speaker == nil { try tools.check(answer.calls, round.calling) }
    return answer
  }

  /// Puts entries into the transcript, unless another prompt has taken the place of this one.
  private func append(_ entries: [Transcript.Entry], to turn: SessionTurn) throws {
    try Task.checkCancellation()
    let isCurrent = change { conversation in
      guard conversation.turn?.state === turn.state else { return false }
      conversation.transcript.entries += entries
      return true
    }
    guard isCurrent else { throw CancellationError() }
  }

  private func complete<Content: Generable>(
    _ turn: SessionTurn, _ answer: SessionEngine.Answer, as type: Content.Type
  ) throws -> SessionReply {
    let form = turn.request.form
    let text = answer.speaker == nil ? try form.conforming(answer.text) : answer.text
    try form.check(text, is: type)
    let reply = change { conversation -> SessionReply? in
      guard conversation.turn?.state === turn.state else { return nil }
      conversation.turn = nil
      conversation.spoken = SpokenTokens(answer)
      conversation.transcript.entries += answer.responding(form.segments(text))
      return SessionReply(
        text: text, entries: conversation.transcript.entries[turn.history.count...],
        usage: turn.state.usage)
    }
    guard let reply else { throw CancellationError() }
    return reply
  }

  /// Forgets a prompt that got no answer, unless that has been done.
  private func takeBack(_ turn: SessionTurn) {
    change { conversation in
      guard conversation.turn?.state === turn.state else { return }
      conversation.turn = nil
      conversation.rejected = Array(conversation.transcript.entries[turn.history.count...])
      conversation.transcript = turn.history
    }
  }

  /// The transcript, and what the last prompt had added to it, if that was taken back.
  var record: (transcript: Transcript, rejected: [Transcript.Entry]) {
    conversation.withLock { ($0.transcript, $0.rejected) }
  }

  /// Changes the books, then tells who observes them.
  ///
  /// Not before, as a property that one thread alone uses would: an observer on another thread could look again before
  /// the change, find nothing, and wait for ever.
  private func change<R>(_ body: (inout Conversation) -> R) -> R {
    let result = conversation.withLock { body(&$0) }
    registrar.withMutation(of: self, keyPath: \.isResponding) {}
    registrar.withMutation(of: self, keyPath: \.transcript) {}
    return result
  }
}

extension LanguageModelSession {
  /// A new conversation with `model`, which may call `tools` and is to follow `instructions`.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model: model, tools: tools, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with `model`, which may call `tools` and is to follow `instructions`.
  ///
  /// Without instructions the base's own apply, if its chat format has some. The names of the tools have to differ.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(ModelLink(model), tools, Self.opening(tools, instructions))
  }

  /// A new conversation with `model`, which may call `tools` and is to follow the instructions that a builder puts together.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// A conversation that goes on where `transcript` ends.
  ///
  /// The transcript may have been shortened: its turns may follow each other in any order. The model is told of `tools`,
  /// whatever definitions the transcript has.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(ModelLink(model), tools, transcript)
  }

  private static func opening(_ tools: [any Tool], _ instructions: Instructions?) -> Transcript {
    let definitions = SessionTools(tools: tools).definitions
    guard instructions != nil || !definitions.isEmpty else { return Transcript() }
    let segments = instructions.map { [Transcript.Segment](text: $0.text) } ?? []
    let entry = Transcript.Instructions(segments: segments, toolDefinitions: definitions)
    return Transcript(entries: [.instructions(entry)])
  }
}

extension LanguageModelSession {
  /// A new conversation with a model of any kind, as on OS 27.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model: model, tools: tools, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with a model of any kind, as on OS 27.
  ///
  /// What the model cannot do is told by the first response that needs it.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: Instructions? = nil
  ) {
    self.init(ModelLink(model), tools, Self.opening(tools, instructions))
  }

  /// A new conversation with a model of any kind, and with the instructions that a builder puts together.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// A conversation with a model of any kind that goes on where `transcript` ends.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(ModelLink(model), tools, transcript)
  }
}
