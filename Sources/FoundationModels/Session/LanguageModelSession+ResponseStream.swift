extension LanguageModelSession {
  /// A response while it is being written: each snapshot is the whole of what there is so far.
  ///
  /// A consumer that is slower than the model gets fewer snapshots, never stale ones; the last one is the whole
  /// response. Those of a long value come less often, so that all of them together take time in proportion to its length.
  /// A stream is iterated once, by one task; when it is given up, or that task is cancelled, the model stops. Where the
  /// model calls tools, the snapshots after the calls start anew.
  public struct ResponseStream<Content: Generable>: Sendable {
    let text: GrowingText
    /// Says that there is more of the text.
    let changes: AsyncThrowingStream<Void, any Swift.Error>
    let task: Task<SessionReply, any Swift.Error>
    let form: ResponseForm
    /// Nil where the response was there already.
    let turn: TurnState?
    let progress: @Sendable () -> LanguageModelSession.TurnProgress

    /// What there is of a response.
    public struct Snapshot {
      /// The content so far.
      public var content: Content.PartiallyGenerated
      /// The content so far, as it was generated.
      public var rawContent: GeneratedContent
      /// What the prompt has added to the transcript so far, the prompt itself first; a response when it is whole.
      public var transcriptEntries: ArraySlice<Transcript.Entry>
      /// What the answers that are whole have taken.
      public var usage: LanguageModelSession.Usage
    }
  }

  /// What a prompt has come to so far.
  struct TurnProgress: Sendable {
    let entries: ArraySlice<Transcript.Entry>
    let usage: Usage
  }
}

extension LanguageModelSession.ResponseStream {
  /// The response to `request`, which `session` starts to write now.
  init(_ session: LanguageModelSession, _ request: SessionRequest) {
    let text = GrowingText()
    let (changes, continuation) = AsyncThrowingStream<Void, any Swift.Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    // The session is taken here and not in the task, so that it is busy when this returns.
    let turn = Result { () throws(LanguageModelSession.GenerationError) in
      try session.begin(request)
    }
    let task = Task {
      do {
        let reply = try await session.finish(turn.get(), as: Content.self) { piece in
          text.append(piece)
          continuation.yield()
        }
        continuation.finish()
        return reply
      } catch {
        continuation.finish(throwing: error)
        throw error
      }
    }
    continuation.onTermination = { end in
      if case .cancelled = end { task.cancel() }
    }
    let state = (try? turn.get())?.state
    state?.onStop { task.cancel() }
    (self.text, self.changes, self.task) = (text, changes, task)
    (form, self.turn) = (request.form, state)
    progress = {
      let entries = (try? turn.get()).map { session.transcript.entries.since($0) } ?? []
      return LanguageModelSession.TurnProgress(
        entries: entries[...], usage: state?.usage ?? LanguageModelSession.Usage())
    }
  }

  /// A response that is there already.
  init(_ reply: SessionReply, _ form: ResponseForm) {
    let (changes, continuation) = AsyncThrowingStream<Void, any Swift.Error>.makeStream()
    text = GrowingText()
    text.append(reply.text)
    continuation.yield()
    continuation.finish()
    (self.changes, task, self.form, turn) = (changes, Task { reply }, form, nil)
    progress = { LanguageModelSession.TurnProgress(entries: reply.entries, usage: reply.usage) }
  }
}

extension LanguageModelSession.ResponseStream.Snapshot: Sendable
where Content.PartiallyGenerated: Sendable {}

extension LanguageModelSession.ResponseStream: AsyncSequence {
  /// What the stream is made of.
  public typealias Element = Snapshot

  /// Goes through the snapshots.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let text: GrowingText
    var changes: AsyncThrowingStream<Void, any Swift.Error>.Iterator
    let form: ResponseForm
    let visit: StreamVisit
    let progress: @Sendable () -> LanguageModelSession.TurnProgress
    let stop: @Sendable () async -> Void
    private var pace = SnapshotPace()
    /// Why the text that was read last is no value.
    private var unread: (any Swift.Error)?

    init(
      text: GrowingText, changes: AsyncThrowingStream<Void, any Swift.Error>.Iterator,
      form: ResponseForm, visit: StreamVisit,
      progress: @escaping @Sendable () -> LanguageModelSession.TurnProgress = {
        LanguageModelSession.TurnProgress(entries: [], usage: LanguageModelSession.Usage())
      },
      stop: @escaping @Sendable () async -> Void = {}
    ) {
      (self.text, self.changes, self.form, self.visit) = (text, changes, form, visit)
      (self.progress, self.stop) = (progress, stop)
    }

    /// The response as far as it has come; nil when it is whole.
    ///
    /// - Throws: As a response; `CancellationError` when the task that waits here is cancelled, once the model has stopped and
    ///   the session is free again.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Snapshot? {
      while try await changes.next(isolation: actor) != nil {
        let current = text.current
        guard !form.isStructured || pace.isDue(current) else { continue }
        if let snapshot = snapshot(current) { return snapshot }
      }
      visit.hasEnded = true
      guard !Task.isCancelled else {
        // The changes end as soon as the task that reads them is cancelled, before the session has.
        await stop()
        throw CancellationError()
      }
      // The end came before it was due.
      if pace.isBehind(text.current), let snapshot = snapshot(text.current) { return snapshot }
      if let unread { throw LanguageModelSession.GenerationError.unreadable(unread) }
      return nil
    }

    private mutating func snapshot(_ current: GrowingText.Current) -> Snapshot? {
      pace.show(current)
      do {
        let content = try form.read(current.text)
        let (value, progress) = (try Content.PartiallyGenerated(content), progress())
        unread = nil
        return Snapshot(
          content: value, rawContent: content, transcriptEntries: progress.entries,
          usage: progress.usage)
      } catch {
        // Half of a case's name is no value yet, and another text may take the place of this one: only the whole can be
        // wrong, and that the session says.
        unread = error
        return nil
      }
    }
  }

  /// An iterator over the snapshots.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      text: text, changes: changes.makeAsyncIterator(), form: form, visit: StreamVisit(turn),
      progress: progress
    ) { [task] in
      task.cancel()
      _ = await task.result
    }
  }

  /// The whole response, when it is there; at once after the last snapshot.
  ///
  /// - Throws: What a response throws.
  public func collect() async throws -> LanguageModelSession.Response<Content> {
    // Giving the stream up would stop the model.
    defer { withExtendedLifetime(changes) {} }
    turn?.takeUp()
    let reply = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
    return try LanguageModelSession.Response(reply, form)
  }
}
