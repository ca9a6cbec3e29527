import Foundation
import Synchronization
import Testing

@testable import Kernels

@Suite struct TaskThreadTests {
  private final class Order: Sendable {
    let numbers = Mutex<[Int]>([])
  }

  @Test func tasksRunInTheOrderInWhichTheyCame() async {
    let (thread, order) = (TaskThread(), Order())
    let tasks = (0..<1000).map { number in
      Task(executorPreference: thread) { order.numbers.withLock { $0.append(number) } }
    }
    for task in tasks { await task.value }
    #expect(order.numbers.withLock { $0 } == Array(0..<1000))
  }

  private actor Counter {
    private var value = 0
    func count() { value += 1 }
  }

  /// More tasks than Swift has threads for wait, without giving theirs up, for an actor on a thread of its own.
  @Test func actorsWorkWhileAllOtherThreadsWait() async {
    let answers = await withTaskGroup(of: Int.self) { group in
      for index in 0..<16 {
        group.addTask {
          let done = DispatchSemaphore(value: 0)
          let counter = Counter()
          Task(executorPreference: TaskThread()) {
            await counter.count()
            done.signal()
          }
          Self.wait(for: done)
          return index
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(answers == Set(0..<16))
  }

  private static func wait(for done: DispatchSemaphore) { done.wait() }

  private actor Threaded {
    private let thread = ActorThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unowned }

    /// Says that it is here, and whether Swift takes its thread for the actor's, then waits.
    func hold(_ arrival: AsyncStream<Bool>.Continuation, until opened: DispatchSemaphore) {
      arrival.yield(isIsolated())
      opened.wait()
    }

    private nonisolated func isIsolated() -> Bool { assumeIsolated { _ in true } }
  }

  /// More actors than Swift has threads for hold theirs, and tasks go on.
  @Test(.timeLimit(.minutes(15))) func actorsHoldNoThreadOfOthers() async {
    let (arrivals, arrival) = AsyncStream<Bool>.makeStream()
    let (opened, count) = (DispatchSemaphore(value: 0), WorkerPool.processors + 2)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { await Threaded().hold(arrival, until: opened) }
      }
      var here = 0
      for await isIsolated in arrivals {
        #expect(isIsolated)
        here += 1
        if here == count { break }
      }
      for _ in 0..<count { opened.signal() }
    }
  }
}
