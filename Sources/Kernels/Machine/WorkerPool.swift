import CKernels
import Synchronization
import SystemFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A fixed number of threads that share out the chunks of one job at a time.
///
/// Sessions may share a pool: while one of them uses it, another does its chunks alone instead of waiting.
/// Chunks are independent, so results do not depend on how many threads there are.
@safe
package final class WorkerPool: Sendable {
  /// One chunk of a job, given the job's description.
  package typealias Chunk = @convention(c) (UnsafeRawPointer?, Int) -> Void

  /// Threads that work, the caller's included.
  package let threads: Int
  let board: JobBoard
  private let workers: [pthread_t]

  /// The number of processors that this process can have at once, as it was when this was first asked.
  package static let processors = ProcessorCount.usable(
    online: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), read: ProcessorCount.text)

  /// Starts `threads` - 1 threads; the caller of ``run`` is the last one.
  package init(threads: Int = WorkerPool.processors) {
    precondition(threads >= 1, "a pool needs a thread")
    let board = JobBoard(workers: threads - 1)
    // One that the system refuses is one worker less, not an error: others take its share, and results stay the same.
    workers = (1..<threads).compactMap { index in OwnThread.start { board.work(index) } }
    self.board = board
    self.threads = workers.count + 1
  }

  deinit {
    board.stop()
    for worker in workers { pthread_join(worker, nil) }
  }

  /// Runs chunks `0..<chunks` of `job` and returns when all are done.
  ///
  /// `work` says about how many nanoseconds that takes one thread: what is done before others have heard of it is not
  /// shared.
  @unsafe
  package func run(_ body: Chunk, _ job: UnsafeRawPointer, chunks: Int, work: Int = .max) {
    guard chunks > 1, chunks <= ChunkShares.most, threads > 1, board.isWorthSharing(work),
      board.claim()
    else {
      for chunk in 0..<chunks { unsafe body(job, chunk) }
      return
    }
    unsafe board.share(body, job, chunks: chunks)
  }
}

extension WorkerPool {
  private struct Call {
    let body: (Int, Bool) -> Void
    let caller: pthread_t
  }

  /// Runs `body` for each of `0..<count`, several at a time, and returns when all are done.
  ///
  /// It may run on any thread, and is told whether that is the caller's; what it changes it has to guard. Jobs of the same
  /// pool that it starts are done by its thread alone.
  package func perform(_ count: Int, _ body: (_ index: Int, _ isCaller: Bool) -> Void) {
    // The compiler writes the whole path of the place where a closure escapes into the program, which is to be the same
    // wherever it is built.
    #sourceLocation(file:"WorkerPool",line:1)
    withoutActuallyEscaping(body) { body in
      unsafe withUnsafePointer(to: Call(body: body, caller: pthread_self())) { call in
        unsafe run(
          { call, index in
            guard let call = unsafe call?.assumingMemoryBound(to: Call.self).pointee else { return }
            call.body(index, pthread_equal(call.caller, pthread_self()) != 0)
          }, call, chunks: count)
      }
    }
    #sourceLocation()
  }
}

extension WorkerPool {
  /// Whether the system lets this process have `count` more threads at once.
  package static func canStart(_ count: Int) -> Bool {
    WorkerPool(threads: count + 1).threads > count
  }

  private static let pools = Mutex<[Int: WorkerPool]>([:])

  /// The pool of the process with `threads` threads, shared by all sessions; one per processor if nil.
  package static func shared(threads: Int?) -> WorkerPool {
    let threads = min(max(threads ?? WorkerPool.processors, 1), 256)
    return pools.withLock { pools in
      if let pool = pools[threads] { return pool }
      let pool = WorkerPool(threads: threads)
      pools[threads] = pool
      return pool
    }
  }
}
