import Dispatch
import Synchronization

extension Array where Element: Sendable {
  /// The results of `transform` in order, worked out by all processors where there is enough to do.
  func concurrentMap<R: Sendable>(_ transform: @Sendable (Element) -> R) -> [R] {
    let share = 32
    guard count > share else { return map(transform) }
    let parts = Mutex<[Int: [R]]>([:])
    DispatchQueue.concurrentPerform(iterations: (count + share - 1) / share) { part in
      let results = self[part * share..<Swift.min(count, (part + 1) * share)].map(transform)
      parts.withLock { $0[part] = results }
    }
    let found = parts.withLock { $0 }
    return found.keys.sorted().flatMap { found[$0] ?? [] }
  }
}
