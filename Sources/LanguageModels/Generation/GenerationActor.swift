public import Kernels

/// A session behind an actor: the asynchronous form of ``TokenGenerator``.
///
/// It generates on a thread of its own, so that the few that all tasks of the process share stay free.
public actor GenerationActor {
  private let session: ModelSession
  private let speculator: Speculator?
  private let thread = ActorThread()

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unowned }

  /// Prepares a session; see ``ModelSession``.
  ///
  /// Without `speculation` each pass yields a token.
  public init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache: CacheFormat? = nil, threads: Int? = nil, speculation: Speculation? = Speculation()
  ) throws(BaseModelError) {
    session = try ModelSession(
      model, adapters: adapters, contextLength: contextLength, cache: cache,
      threads: threads)
    var speculator: Speculator?
    if let speculation { speculator = try Speculator(speculation, for: session) }
    self.speculator = speculator
  }

  /// Generates the continuation of `prompt` and hands each token out as it comes.
  ///
  /// - Throws: As ``TokenGenerator``; `.cancelled` when the task is.
  public func generate(
    _ prompt: [Int32], options: SamplingOptions = SamplingOptions(),
    stopTokens: Set<Int32> = [], eachToken body: @Sendable (Int32) -> Void
  ) throws(BaseModelError) -> GenerationStatistics {
    let generator = try TokenGenerator(
      session, prompt: prompt, options: options, stopTokens: stopTokens, speculator: speculator)
    while let token = try generator.next() { body(token) }
    return generator.statistics
  }

  /// The tokens of ``generate(_:options:stopTokens:eachToken:)`` as a sequence; dropping it cancels.
  public nonisolated func stream(
    _ prompt: [Int32], options: SamplingOptions = SamplingOptions(),
    stopTokens: Set<Int32> = []
  ) -> AsyncThrowingStream<Int32, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          _ = try await generate(prompt, options: options, stopTokens: stopTokens) {
            continuation.yield($0)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
