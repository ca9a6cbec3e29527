import Foundation
import Kernels
import Testing

@Suite struct TaskThreadTests {
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
}
