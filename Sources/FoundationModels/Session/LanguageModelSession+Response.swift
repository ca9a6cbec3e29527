extension LanguageModelSession {
  /// What a model answered.
  public struct Response<Content: Generable> {
    /// The answer.
    public let content: Content
    /// The answer as it was generated.
    public let rawContent: GeneratedContent
    /// What the prompt has added to the transcript, the prompt itself first.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

extension LanguageModelSession.Response {
  /// The answer that `reply` holds, in the form that was asked for.
  ///
  /// - Throws: `GenerationError.decodingFailure`.
  init(_ reply: SessionReply, _ form: ResponseForm) throws(LanguageModelSession.GenerationError) {
    do {
      rawContent = try form.read(reply.text)
      // What was cut could read as a whole value of another meaning.
      guard rawContent.isComplete else { throw CutResponse() }
      content = try Content(rawContent)
      transcriptEntries = reply.entries
    } catch {
      throw .decodingFailure(
        LanguageModelSession.GenerationError.Context(debugDescription: "\(error)"))
    }
  }
}

/// A response that the limit of tokens has cut.
private struct CutResponse: Error, CustomStringConvertible {
  let description =
    "The response was cut by the maximum number of tokens; allow more, or ask for less."
}

extension LanguageModelSession {
  /// A response while it is being written: each snapshot is the whole of what there is so far.
  ///
  /// A consumer that is slower than the model gets fewer snapshots, never stale ones; the last one is the whole
  /// response. A stream is iterated once, by one task; when it is given up, or that task is cancelled, the model stops.
  public struct ResponseStream<Content: Generable>: Sendable {
    let texts: AsyncThrowingStream<String, any Error>
    let task: Task<SessionReply, any Error>
    let form: ResponseForm
    /// Nil where the response was there already.
    let turn: TurnState?

    /// What there is of a response.
    public struct Snapshot {
      /// The content so far.
      public var content: Content.PartiallyGenerated
      /// The content so far, as it was generated.
      public var rawContent: GeneratedContent
    }
  }
}

extension LanguageModelSession.ResponseStream {
  /// The response to `request`, which `session` starts to write now.
  init(_ session: LanguageModelSession, _ request: SessionRequest) {
    let (texts, continuation) = AsyncThrowingStream<String, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    // The session is taken here and not in the task, so that it is busy when this returns.
    let turn = Result { () throws(LanguageModelSession.GenerationError) in
      try session.begin(request)
    }
    let task = Task {
      do {
        let reply = try await session.finish(turn.get(), as: Content.self) {
          continuation.yield($0)
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
    (self.texts, self.task, form, self.turn) = (texts, task, request.form, state)
  }

  /// A response that is there already.
  init(_ reply: SessionReply, _ form: ResponseForm) {
    let (texts, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
    continuation.yield(reply.text)
    continuation.finish()
    (self.texts, task, self.form, turn) = (texts, Task { reply }, form, nil)
  }
}

extension LanguageModelSession.ResponseStream.Snapshot: Sendable
where Content.PartiallyGenerated: Sendable {}

extension LanguageModelSession.ResponseStream: AsyncSequence {
  /// What the stream is made of.
  public typealias Element = Snapshot

  /// Goes through the snapshots.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var texts: AsyncThrowingStream<String, any Error>.Iterator
    let form: ResponseForm
    let visit: StreamVisit

    /// The response as far as it has come; nil when it is whole.
    ///
    /// - Throws: As a response; `CancellationError` when the task that waits here is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Snapshot? {
      while let text = try await texts.next(isolation: actor) {
        let content = try form.read(text)
        do {
          return Snapshot(content: try Content.PartiallyGenerated(content), rawContent: content)
        } catch {
          // Half of a case's name, for one, is no value yet.
          guard !content.isComplete else { throw error }
        }
      }
      visit.hasEnded = true
      try Task.checkCancellation()
      return nil
    }
  }

  /// An iterator over the snapshots.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(texts: texts.makeAsyncIterator(), form: form, visit: StreamVisit(turn))
  }

  /// The whole response, when it is there; at once after the last snapshot.
  ///
  /// - Throws: What a response throws.
  public func collect() async throws -> LanguageModelSession.Response<Content> {
    // Giving the stream up would stop the model.
    defer { withExtendedLifetime(texts) {} }
    turn?.takeUp()
    let reply = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
    return try LanguageModelSession.Response(reply, form)
  }
}

/// A way through a stream: when it is left before the end, nobody waits for the response, unless it is collected.
final class StreamVisit {
  private let turn: TurnState?
  var hasEnded = false

  init(_ turn: TurnState?) { self.turn = turn }

  deinit { if !hasEnded { turn?.leave() } }
}
