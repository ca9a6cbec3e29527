extension LanguageModelSession {
  /// A response while it is being written: each snapshot is the whole of what there is so far.
  ///
  /// A consumer that is slower than the model gets fewer snapshots, never stale ones; the last one is the whole
  /// response. Those of a long value come less often, so that all of them together take time in proportion to its length.
  /// Several tasks may read it at once. When the stream is given up, or one of those tasks is cancelled, the model stops. Where the
  /// model calls tools, the snapshots after the calls start anew.
  public struct ResponseStream<Content: Generable>: Sendable {
    let text: GrowingText
    /// Stops the model when nobody has the stream any more.
    let hold: StreamHold
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
    // The session is taken here and not in the task, so that it is busy when this returns.
    let turn = Result { () throws(LanguageModelSession.GenerationError) in
      try session.begin(request)
    }
    let task = Task {
      do {
        let reply = try await session.finish(turn.get(), as: Content.self) { text.append($0) }
        text.end(.success(()))
        return reply
      } catch {
        text.end(.failure(error))
        throw error
      }
    }
    let state = (try? turn.get())?.state
    state?.onStop {
      task.cancel()
    } written: {
      text.current.text
    }
    (self.text, hold, self.task) = (text, StreamHold { task.cancel() }, task)
    (form, self.turn) = (request.form, state)
    progress = {
      let entries = (try? turn.get()).map { session.record.transcript.entries.since($0) } ?? []
      return LanguageModelSession.TurnProgress(
        entries: entries[...], usage: state?.usage ?? LanguageModelSession.Usage())
    }
  }

  /// A response that is there already.
  init(_ reply: SessionReply, _ form: ResponseForm) {
    text = GrowingText()
    text.append(reply.text)
    text.end(.success(()))
    (hold, task, self.form, turn) = (StreamHold {}, Task { reply }, form, nil)
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
    let hold: StreamHold?
    let form: ResponseForm
    let visit: StreamVisit
    let progress: @Sendable () -> LanguageModelSession.TurnProgress
    let stop: @Sendable () async -> Void
    private var seen = 0
    private var pace = SnapshotPace()
    /// Why the text that was read last is no value.
    private var unread: (any Swift.Error)?

    init(
      text: GrowingText, hold: StreamHold? = nil, form: ResponseForm, visit: StreamVisit,
      progress: @escaping @Sendable () -> LanguageModelSession.TurnProgress = {
        LanguageModelSession.TurnProgress(entries: [], usage: LanguageModelSession.Usage())
      },
      stop: @escaping @Sendable () async -> Void = {}
    ) {
      (self.text, self.hold, self.form, self.visit) = (text, hold, form, visit)
      (self.progress, self.stop) = (progress, stop)
    }

    /// The response as far as it has come; nil when it is whole.
    ///
    /// - Throws: As a response; `CancellationError` when the task that waits here is cancelled, once the model has stopped and
    ///   the session is free again.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Snapshot? {
      while try await text.hasMore(than: &seen) {
        let current = text.current
        guard !form.isStructured || pace.isDue(current) else { continue }
        if let snapshot = snapshot(current) { return snapshot }
      }
      visit.hasEnded = true
      guard !Task.isCancelled else {
        // The reading ends as soon as its task is cancelled, before the session has.
        await stop()
        throw CancellationError()
      }
      // The end came before it was due.
      if pace.isBehind(text.current), let snapshot = snapshot(text.current) { return snapshot }
      if let unread { throw GeneratedContent.ParsingError(text.current.text, unread) }
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
      text: text, hold: hold, form: form, visit: StreamVisit(turn), progress: progress
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
    defer { withExtendedLifetime(hold) {} }
    turn?.enter()
    let reply = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
    return try LanguageModelSession.Response(reply, form)
  }
}
