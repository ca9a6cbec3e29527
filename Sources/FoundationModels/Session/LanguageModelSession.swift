import ChatTemplates
import Foundation
public import Observation
import Synchronization

/// A conversation with a model: what was said, and what has been computed of it.
///
/// A session answers one prompt at a time; any number of sessions run at once. The keys and values of everything said so
/// far stay in memory, so a next prompt costs only its own tokens. Generation runs on a thread of its own and stops
/// when the task that waits for it is cancelled: then, and after every error, the transcript is as it was before the
/// prompt. Sessions over one base that generate at once share the model's passes.
///
/// With tools, the model chooses whether it answers or calls some; what they return goes back to it, until it answers. Calls
/// and outputs are entries of the transcript.
///
/// ``isResponding`` and ``transcript`` can be observed with `withObservationTracking`.
public final class LanguageModelSession: Sendable, Observable {
  struct Conversation {
    var transcript: Transcript
    /// All tokens of the transcript as they were evaluated, the last response without its end; nil while they have to be
    /// made from the transcript's text.
    var spoken: SpokenTokens?
    /// What all answers have taken, those that were taken back among them.
    var usage = Usage()
    /// The prompt that is being answered.
    var turn: SessionTurn?
    /// What is being written, till the transcript has it.
    var growing: AnswerAssembly?
    /// What the last prompt had added, if it was taken back.
    var rejected: [Transcript.Entry] = []
    var prewarming: Task<Void, Never>?
    var toolCallReviewer: any ToolCallReviewer = UnreviewedCalls()
    var contextReducer: (any ContextReducer)?
    var errorHandling: TranscriptErrorHandlingPolicy?
    /// Made when it is first asked for, as it refers to the session.
    var properties: SessionPropertyValues?

    /// The transcript with what is being written.
    var current: Transcript {
      guard let growing else { return transcript }
      var current = transcript
      current.add(growing.entries)
      return current
    }

    /// Goes on without the rest of what is being answered.
    mutating func leave(_ turn: SessionTurn) {
      guard let text = turn.state.leftText, !text.isEmpty else {
        transcript = turn.history
        return
      }
      let segments = turn.request.form.segments(text)
      transcript.add([.response(Transcript.Response(assetIDs: [], segments: segments))])
      spoken = nil
    }
  }

  let engine: SessionEngine
  let link: ModelLink
  let tools: SessionTools
  let profile: SessionProfile?
  private let registrar = ObservationRegistrar()
  let conversation: Mutex<Conversation>

  init(
    _ link: ModelLink, _ tools: [any Tool], _ transcript: Transcript,
    _ profile: SessionProfile? = nil
  ) {
    self.tools = SessionTools(tools: tools)
    (self.link, self.profile) = (link, profile)
    engine = SessionEngine(self.tools)
    conversation = Mutex(Conversation(transcript: transcript))
  }

  /// What was said so far, with what there is of the response that is being written.
  ///
  /// Who observes it is told when an entry is whole.
  /// It can be changed between two prompts, as on OS 27; the response that is being written meanwhile ends in
  /// ``Error/transcriptMutationWhileResponding`` instead.
  public var transcript: Transcript {
    get {
      registrar.access(self, keyPath: \.transcript)
      return conversation.withLock { $0.current }
    }
    set {
      change { conversation in
        if let turn = conversation.turn { return turn.state.wasDisturbed() }
        (conversation.transcript, conversation.spoken) = (newValue, nil)
      }
    }
  }

  /// What becomes of the transcript when a response ends in an error, where its profile does not say; nil to revert it.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { conversation.withLock { $0.errorHandling } }
    set { update { $0.errorHandling = newValue } }
  }

  /// What the session keeps for its profile, its instructions and its tools, as on OS 27.
  public var properties: SessionPropertyValues {
    conversation.withLock { conversation in
      let properties =
        conversation.properties
        ?? SessionPropertyValues(
          read: { [weak self] in self?.transcript.history ?? [] },
          write: { [weak self] history in
            self?.change { conversation in
              conversation.transcript.history = history
              conversation.spoken = nil
            }
          })
      conversation.properties = properties
      return properties
    }
  }

  /// Whether a prompt is being answered.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return conversation.withLock { $0.turn != nil }
  }

  /// Who decides on the model's calls of tools, from the next answer on.
  package var toolCallReviewer: any ToolCallReviewer {
    get { conversation.withLock { $0.toolCallReviewer } }
    set { update { $0.toolCallReviewer = newValue } }
  }

  /// Who makes a conversation shorter that outgrows the context, from the next prompt on; nil to end the response in an error.
  package var contextReducer: (any ContextReducer)? {
    get { conversation.withLock { $0.contextReducer } }
    set { update { $0.contextReducer = newValue } }
  }

  /// What all answers of the session have taken together, in tokens, those that failed or were cancelled among them.
  public var usage: Usage { conversation.withLock { $0.usage } }

  /// Opens the model and computes what the session starts with, and `promptPrefix` if it is known how the next prompt
  /// begins.
  ///
  /// Returns at once; the next response waits for what is still being computed, and does not compute it again. That the
  /// model cannot be opened is told by that response. Another model's executor gets ready in its own way.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let (engine, link) = (engine, link)
    update { conversation in
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
  /// A prompt that nobody waits for any more is stopped; the next one waits until it has stopped. It is taken back, but where its
  /// stream is still there, what was written till then is its response, as on OS 27.
  ///
  /// - Throws: ``GenerationError/concurrentRequests(_:)``.
  func begin(_ request: SessionRequest) throws(GenerationError) -> SessionTurn {
    let (turn, before) = change { conversation -> (SessionTurn?, TurnState?) in
      let before = conversation.turn
      if let before {
        guard before.state.isGivenUp else { return (nil, nil) }
        conversation.leave(before)
      }
      let turn = SessionTurn(
        request: request, history: conversation.transcript, spoken: conversation.spoken,
        prewarming: conversation.prewarming, before: before?.state)
      conversation.turn = turn
      conversation.growing = nil
      conversation.rejected = []
      conversation.transcript.entries.append(.prompt(request.prompt))
      return (turn, before?.state)
    }
    // Its handlers of the cancellation run here, and may look at the session.
    before?.stop()
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
        return try await SessionPropertyValues.$current.withValue(properties) {
          try await answer(turn, as: type, emit: emit)
        }
      } onCancel: {
        turn.state.cancel()
      }
    } catch {
      takeBack(turn)
      throw GenerationError.mapping(error)
    }
  }

  /// Lets those who look at the transcript meanwhile see what there is of an answer.
  func show(_ answer: AnswerAssembly, of turn: SessionTurn) {
    update { conversation in
      if conversation.turn?.state === turn.state { conversation.growing = answer }
    }
  }

  /// Puts entries into the transcript, unless another prompt has taken the place of this one.
  func append(_ entries: [Transcript.Entry], to turn: SessionTurn) throws {
    try Task.checkCancellation()
    guard !turn.state.isDisturbed else { throw Error.transcriptMutationWhileResponding }
    let isCurrent = change { conversation in
      guard conversation.turn?.state === turn.state else { return false }
      conversation.growing = nil
      conversation.transcript.add(entries)
      return true
    }
    guard isCurrent else { throw CancellationError() }
  }

  func complete<Content: Generable>(
    _ turn: SessionTurn, _ answer: SessionEngine.Answer, _ stage: SessionStage,
    as type: Content.Type
  ) async throws -> SessionReply {
    let form = turn.request.form
    let text = answer.speaker == nil ? try form.conforming(answer.text) : answer.text
    let asked = turn.request.options
    let options = stage.profile?.options(asked) ?? asked
    try form.check(text, is: type, limit: options.maximumResponseTokens)
    var said = answer.responding(form.segments(text))
    var added: [Transcript.Entry]?
    if let profile = stage.profile {
      try append(said, to: turn)
      added = conversation.withLock { $0.transcript.entries.since(turn) }
      try await profile.heard(said)
      said = []
    }
    guard !turn.state.isDisturbed else { throw Error.transcriptMutationWhileResponding }
    let (entries, spoken) = (said, stage.profile == nil ? SpokenTokens(answer) : nil)
    let reply = change { [added] conversation -> SessionReply? in
      guard conversation.turn?.state === turn.state else { return nil }
      (conversation.turn, conversation.growing) = (nil, nil)
      conversation.spoken = spoken
      conversation.transcript.add(entries)
      return SessionReply(
        text: text, entries: (added ?? conversation.transcript.entries.since(turn))[...],
        usage: turn.state.usage, ending: answer.ending)
    }
    guard let reply else { throw CancellationError() }
    return reply
  }

  /// Forgets a prompt that got no answer, unless that has been done, or the transcript is to be preserved.
  private func takeBack(_ turn: SessionTurn) {
    let preserves = profile?.errorHandling?.preserves
    change { conversation in
      guard conversation.turn?.state === turn.state else { return }
      (conversation.turn, conversation.growing) = (nil, nil)
      conversation.rejected = conversation.transcript.entries.since(turn)
      if preserves ?? conversation.errorHandling?.preserves ?? false {
        conversation.spoken = nil
      } else {
        conversation.transcript = turn.history
      }
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
  func change<R: Sendable>(_ body: (inout Conversation) -> R) -> R {
    let result = update(body)
    registrar.withMutation(of: self, keyPath: \.isResponding) {}
    registrar.withMutation(of: self, keyPath: \.transcript) {}
    return result
  }

  /// Changes the books under the lock; what nobody has any more then goes after it, as its `deinit` may be anybody's, and look at
  /// the session.
  @discardableResult
  private func update<R: Sendable>(_ body: (inout Conversation) -> R) -> R {
    let (result, before) = conversation.withLock { conversation in
      let before = conversation
      return (body(&conversation), before)
    }
    return withExtendedLifetime(before) { result }
  }
}
