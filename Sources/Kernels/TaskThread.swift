import Dispatch

/// Runs tasks on a thread of their own, so that long work holds up no other task of the process.
///
/// The threads that Swift shares among all tasks are as few as the processors; one that computes for seconds would be
/// missing to everything else. Use it with `withTaskExecutorPreference` or `Task(executorPreference:)`.
package final class TaskThread: TaskExecutor {
  private let queue = DispatchQueue(label: "fmadapter.task")

  /// A thread that is started when there is something to do.
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
