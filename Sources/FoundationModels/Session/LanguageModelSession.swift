import Kernels
public import Observation
import Synchronization

/// A conversation with a model: what was said, and what has been computed of it.
///
/// A session answers one prompt at a time; any number of sessions run at once. The keys and values of everything said so
/// far stay in memory, so a next prompt costs only its own tokens. Generation runs on a thread of its own and stops
/// when the task that waits for it is cancelled: then, and after every error, the transcript is as it was before the
/// prompt.
///
/// ``isResponding`` and ``transcript`` can be observed with `withObservationTracking`.
public final class LanguageModelSession: Sendable, Observable {
  private struct Conversation {
    var transcript: Transcript
    var isResponding = false
    /// What the last prompt had added, if it was taken back.
    var rejected: [Transcript.Entry] = []
    var prewarming: Task<Void, Never>?
  }

  let engine: SessionEngine
  private let thread = TaskThread()
  private let registrar = ObservationRegistrar()
  private let conversation: Mutex<Conversation>

  init(_ model: SystemLanguageModel, _ transcript: Transcript) {
    engine = SessionEngine(model)
    conversation = Mutex(Conversation(transcript: transcript))
  }

  /// What was said so far; the prompt that is being answered is its last entry.
  public var transcript: Transcript {
    registrar.access(self, keyPath: \.transcript)
    return conversation.withLock { $0.transcript }
  }

  /// Whether a prompt is being answered.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return conversation.withLock { $0.isResponding }
  }

  /// Opens the model and computes what the session starts with, and `promptPrefix` if it is known how the next prompt
  /// begins.
  ///
  /// Returns at once; the next response waits for what is still being computed, and does not compute it again. That the
  /// model cannot be opened is told by that response.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let (engine, thread) = (engine, thread)
    conversation.withLock { conversation in
      let history = conversation.transcript
      let before = conversation.prewarming
      conversation.prewarming = Task(executorPreference: thread) {
        await before?.value
        await engine.prewarm(history: history, prefix: promptPrefix)
      }
    }
  }
}

extension LanguageModelSession {
  /// Answers `request` and keeps the books: transcript and ``isResponding``.
  ///
  /// - Throws: ``GenerationError``, `CancellationError`, or `LanguageModelError` for options outside their range.
  func answer<Content>(_ request: SessionRequest) async throws -> Response<Content> {
    try Response(
      try await finish(try begin(request), as: Content.self, emit: { _ in }), request.form)
  }

  /// Claims the session for `request` and puts its prompt into the transcript.
  ///
  /// - Throws: ``GenerationError/concurrentRequests(_:)``.
  func begin(_ request: SessionRequest) throws(GenerationError) -> SessionTurn {
    let turn = change { conversation -> SessionTurn? in
      guard !conversation.isResponding else { return nil }
      conversation.isResponding = true
      conversation.rejected = []
      defer { conversation.transcript.entries.append(.prompt(request.prompt)) }
      return SessionTurn(
        request: request, history: conversation.transcript, prewarming: conversation.prewarming)
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
    _ turn: SessionTurn, as type: Content.Type, emit: @escaping @Sendable (String) -> Void
  ) async throws -> SessionReply {
    do {
      let answer = try await withTaskExecutorPreference(thread) {
        await turn.waitForPrewarming()
        return try await engine.answer(
          turn, accept: { try turn.request.form.check($0, is: type) }, emit: emit)
      }
      let response = Transcript.Response(
        assetIDs: answer.assetIDs, segments: turn.request.form.segments(answer.text))
      return change { conversation in
        conversation.isResponding = false
        conversation.transcript.entries.append(.response(response))
        return SessionReply(
          text: answer.text, entries: conversation.transcript.entries[turn.history.count...])
      }
    } catch {
      change { conversation in
        conversation.isResponding = false
        conversation.rejected = Array(conversation.transcript.entries[turn.history.count...])
        conversation.transcript = turn.history
      }
      throw GenerationError.mapping(error)
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
  /// A new conversation with `model`, which is to follow `instructions`.
  @_disfavoredOverload
  public convenience init(model: SystemLanguageModel = .default, instructions: String? = nil) {
    self.init(model: model, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with `model`, which is to follow `instructions`.
  ///
  /// Without any, the base's own apply, if its chat format has some.
  public convenience init(
    model: SystemLanguageModel = .default, instructions: Instructions? = nil
  ) {
    let entry = instructions.map {
      Transcript.Instructions(segments: [Transcript.Segment](text: $0.text))
    }
    self.init(model, Transcript(entries: entry.map { [.instructions($0)] } ?? []))
  }

  /// A new conversation with `model`, which is to follow the instructions that a builder puts together.
  public convenience init(
    model: SystemLanguageModel = .default,
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model: model, instructions: try instructions())
  }

  /// A conversation that goes on where `transcript` ends.
  ///
  /// The transcript may have been shortened: its turns may follow each other in any order.
  public convenience init(model: SystemLanguageModel = .default, transcript: Transcript) {
    self.init(model, transcript)
  }
}
