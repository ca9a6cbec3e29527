import Foundation
import Synchronization
import Testing

@testable import Kernels

@Suite struct OwnThreadTests {
  /// A function of the C library that it declares to GNU sources only.
  private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
    unsafeBitCast(dlsym(nil, name), to: type)
  }

  /// Bytes of the stack of the thread that asks.
  @Sendable static func stackBytes() -> Int {
    let get = function(
      "pthread_getattr_np",
      as: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32).self)
    var (attributes, bytes) = (pthread_attr_t(), 0)
    guard get(pthread_self(), &attributes) == 0 else { return 0 }
    pthread_attr_getstacksize(&attributes, &bytes)
    pthread_attr_destroy(&attributes)
    return bytes
  }

  /// As under 'ulimit -s 256'; false where that cannot be had.
  static func giveSmallStacks() -> Bool {
    let set = function(
      "pthread_setattr_default_np",
      as: (@convention(c) (UnsafePointer<pthread_attr_t>) -> Int32).self)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 256 << 10)
    return set(&attributes) == 0
  }

  private actor Threaded {
    private let thread = ActorThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unowned }

    func stackBytes() -> Int { OwnThreadTests.stackBytes() }
  }

  /// Those of a worker, of a task and of an actor.
  static func ownStacks() async -> [Int] {
    let pool = WorkerPool(threads: 2)
    let here = Atomic<Int>(0)
    let found = Mutex<[Int]>([])
    pool.perform(2) { _, isCaller in
      if !isCaller { found.withLock { $0.append(stackBytes()) } }
      here.add(1, ordering: .relaxed)
      while here.load(ordering: .relaxed) < 2 { sched_yield() }
    }
    let task = await Task(executorPreference: TaskThread()) { stackBytes() }.value
    return found.withLock { $0 } + [task, await Threaded().stackBytes()]
  }

  /// What is large enough for a product and for what calls one, in a process whose threads have small stacks by default.
  @Test(.timeLimit(.minutes(15))) func stacksAreLargeWhateverTheSystemGives() async {
    await #expect(processExitsWith: .exitCode(3)) {
      guard OwnThreadTests.giveSmallStacks() else { exit(9) }
      let stacks = await OwnThreadTests.ownStacks()
      exit(Int32(stacks.count { $0 > OwnThread.stackBytes / 2 }))
    }
  }
}
