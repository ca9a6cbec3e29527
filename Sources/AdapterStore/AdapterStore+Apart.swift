import Kernels

extension AdapterStore {
  /// Runs `body`, which waits for disks or computes, on a thread of its own.
  ///
  /// The threads that Swift shares among all tasks are as few as the processors: copying a model on one of them would hold up
  /// whoever wants to cancel that.
  func apart<Result: Sendable, Failure>(
    _ body: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await withTaskExecutorPreference(TaskThread()) { () async throws(Failure) -> Result in
      try await Self.leavingActor(body)
    }
  }

  /// Runs `body` where the task prefers, and not on the actor of the caller.
  @concurrent
  private static func leavingActor<Result: Sendable, Failure>(
    _ body: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body()
  }
}
