package import Kernels
import Synchronization

/// The worker pools of the process, one per number of threads, shared by all sessions.
package enum WorkerPools {
  private static let pools = Mutex<[Int: WorkerPool]>([:])

  /// The pool with `threads` threads; one per processor if nil.
  package static func pool(threads: Int?) -> WorkerPool {
    let threads = min(max(threads ?? WorkerPool.processors, 1), 256)
    return pools.withLock { pools in
      if let pool = pools[threads] { return pool }
      let pool = WorkerPool(threads: threads)
      pools[threads] = pool
      return pool
    }
  }
}
