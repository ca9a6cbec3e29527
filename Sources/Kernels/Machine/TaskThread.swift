import Dispatch
import Synchronization
import SystemFiles

/// Runs tasks on a thread of their own, so that long work holds up no other task of the process.
///
/// The threads that Swift shares among all tasks are as few as the processors; one that computes for seconds would be
/// missing to everything else. Use it with `withTaskExecutorPreference` or `Task(executorPreference:)`.
package final class TaskThread: TaskExecutor {
  private let queue = ThreadQueue()

  /// A thread that is started when there is something to do.
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.add { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs an actor on a thread of its own, for the reason of ``TaskThread``, whatever its callers prefer.
package final class ActorThread: SerialExecutor {
  private let queue = ThreadQueue()

  /// A thread that is started when there is something to do.
  package init() {}

  /// What an actor that keeps this value answers as its executor.
  @safe package var unowned: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.add { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Does jobs one after another, on a thread that is there as long as there are some.
private final class ThreadQueue: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  func add(_ job: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst, !OwnThread.run(run) else { return }
    // Where the system allows no more threads, one that it has allowed already does it.
    DispatchQueue.global().async { self.run() }
  }

  @Sendable private func run() {
    while let jobs = take() {
      for job in jobs { job() }
    }
  }

  /// What there is to do; nil at the end.
  private func take() -> [Job]? {
    state.withLock { state in
      state.isRunning = !state.jobs.isEmpty
      guard state.isRunning else { return nil }
      defer { state.jobs = [] }
      return state.jobs
    }
  }
}
