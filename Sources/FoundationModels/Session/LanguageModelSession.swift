import Kernels
import LanguageModels
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
    var spoken: [Int32]?
    /// The prompt that is being answered.
    var turn: SessionTurn?
    /// What the last prompt had added, if it was taken back.
    var rejected: [Transcript.Entry] = []
    var prewarming: Task<Void, Never>?
    var policy = ToolCallPolicy()
  }

  let engine: SessionEngine
  private let tools: SessionTools
  private let thread = TaskThread()
  private let registrar = ObservationRegistrar()
  private let conversation: Mutex<Conversation>

  init(_ model: SystemLanguageModel, _ tools: [any Tool], _ transcript: Transcript) {
    self.tools = SessionTools(tools: tools)
    engine = SessionEngine(model, self.tools)
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

  /// Opens the model and computes what the session starts with, and `promptPrefix` if it is known how the next prompt
  /// begins.
  ///
  /// Returns at once; the next response waits for what is still being computed, and does not compute it again. That the
  /// model cannot be opened is told by that response.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let (engine, thread) = (engine, thread)
    conversation.withLock { conversation in
      let (history, spoken) = (conversation.transcript, conversation.spoken)
      let before = conversation.prewarming
      conversation.prewarming = Task(executorPreference: thread) {
        await before?.value
        await engine.prewarm(history: history, spoken: spoken, prefix: promptPrefix)
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
    while true {
      let current = round
      let answer = try await withTaskExecutorPreference(thread) {
        await turn.waitForPrewarming()
        return try await engine.answer(turn.request, current, emit: emit)
      }
      guard !answer.calls.isEmpty else {
        try turn.request.form.check(answer.text, is: type)
        return try complete(turn, answer)
      }
      let decided = try await tools.decide(answer.calls, policy)
      let said =
        answer.text.isEmpty ? [] : [answer.response([Transcript.Segment](text: answer.text))]
      let calls = Transcript.Entry.toolCalls(Transcript.ToolCalls(decided.map(\.call)))
      try append(said + [calls], to: turn)
      let outputs = try await tools.run(decided).map { Transcript.Entry.toolOutput($0) }
      try append(outputs, to: turn)
      round = round.following(answer, said + [calls], outputs, policy)
      emit(nil)
    }
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

  private func complete(_ turn: SessionTurn, _ answer: SessionEngine.Answer) throws -> SessionReply
  {
    let reply = change { conversation -> SessionReply? in
      guard conversation.turn?.state === turn.state else { return nil }
      conversation.turn = nil
      conversation.spoken = answer.tokens
      conversation.transcript.entries.append(
        answer.response(turn.request.form.segments(answer.text)))
      return SessionReply(
        text: answer.text, entries: conversation.transcript.entries[turn.history.count...])
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
    let definitions = SessionTools(tools: tools).definitions
    let segments = instructions.map { [Transcript.Segment](text: $0.text) }
    var entries: [Transcript.Entry] = []
    if segments != nil || !definitions.isEmpty {
      let entry = Transcript.Instructions(segments: segments ?? [], toolDefinitions: definitions)
      entries = [.instructions(entry)]
    }
    self.init(model, tools, Transcript(entries: entries))
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
    self.init(model, tools, transcript)
  }
}
