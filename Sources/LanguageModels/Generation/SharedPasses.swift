import Dispatch
import Kernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets sessions over one base that generate at the same time, each on its own thread, share passes.
///
/// Each thread chooses the tokens of its session. One that needs a pass does it for all that wait for one then, and those that come
/// meanwhile wait for the next; no thread is there for passes alone. A session gets the tokens that it would get alone.
package final class SharedPasses: Sendable {
  /// A sequence that waits for a pass, whose thread does nothing until it has had one.
  private final class Request: @unchecked Sendable {
    let generator: TokenGenerator
    let answered = DispatchSemaphore(value: 0)
    /// Whether its thread has to do the next pass: nobody else does.
    var leads = false

    init(_ generator: TokenGenerator) { self.generator = generator }
  }

  private struct State {
    var waiting: [Request] = []
    var hasLeader = false
    /// Sequences of the last pass, which will most likely want another one soon.
    var company = 1
    /// How long the last pass took.
    var time = Duration.zero
  }

  /// Sequences of a pass, at most.
  private static let width = 32
  /// A pass waits no longer for those of the last one than this part of its time, and at least for what choosing a token takes.
  private static let patience = (share: 8, least: Duration.microseconds(200))

  /// A scheduler of a session that is over, for the next one that is alone: to make one, and to find memory for it, takes as long as half a
  /// pass over a small base.
  private struct Idle: @unchecked Sendable {
    var scheduler: Scheduler?
  }

  private let state = Mutex(State())
  private let idle = Mutex(Idle())
  /// Used by the leader alone.
  nonisolated(unsafe) private let scheduler: Scheduler

  /// Passes over `model`; `threads` are one per processor if nil.
  package init(_ model: BaseModel, threads: Int? = nil) {
    unsafe scheduler = Scheduler(model, width: SharedPasses.width, threads: threads)
  }

  /// A pass for what is pending in `generator`, together with others that wait for one.
  ///
  /// - Throws: `.cancelled` before a pass, and within a layer where there is no company and none is expected; what ends the sequence is its
  ///   failure.
  func advance(
    _ generator: TokenGenerator, _ isCancelled: () -> Bool
  ) throws(BaseModelError) {
    if isCancelled() { throw .cancelled }
    let request = Request(generator)
    let leads = state.withLock { state in
      state.waiting.append(request)
      defer { state.hasLeader = true }
      return !state.hasLeader
    }
    if !leads {
      request.answered.wait()
      guard request.leads else { return }
    }
    let clock = ContinuousClock()
    let (batch, absent) = gather(request, clock)
    let begin = clock.now
    defer { handOver(batch, request, begin.duration(to: clock.now)) }
    // A prompt is not alone where sequences that decode will be back before it is read.
    guard batch.count > 1 || absent > 0 && generator.isReading else {
      let alone = generator.session.alone
      defer { unsafe scheduler.learn(from: alone) }
      try alone.advance([generator], isCancelled)
      return
    }
    try unsafe scheduler.advance(batch.map(\.generator), absent: absent, { false })
    // The next pass writes others where these are.
    for request in batch { request.generator.session.keepLogits() }
  }

  /// A scheduler that nobody has, if there is one that works with `operations`.
  func takeIdle(_ operations: Operations) -> Scheduler? {
    let idle = exchangeIdle(Idle())
    return idle.scheduler.flatMap { $0.works(with: operations) ? $0 : nil }
  }

  /// Keeps `scheduler`, which nobody else has any more.
  func leave(_ scheduler: Scheduler) {
    scheduler.rest()
    _ = exchangeIdle(Idle(scheduler: scheduler))
  }

  /// The last one goes where it is no longer locked.
  private func exchangeIdle(_ next: Idle) -> Idle {
    idle.withLock { idle in
      defer { idle = next }
      return idle
    }
  }

  /// Those that the pass of `request` is for, once the company of the last one is back, or should be; and how many are not.
  private func gather(
    _ request: Request, _ clock: ContinuousClock
  ) -> (batch: [Request], absent: Int) {
    let begin = clock.now
    while true {
      let gathered = state.withLock { state -> (batch: [Request], absent: Int)? in
        let time = max(state.time / SharedPasses.patience.share, SharedPasses.patience.least)
        guard state.waiting.count >= state.company || clock.now - begin > time else { return nil }
        state.waiting.removeAll { $0 === request }
        let others = state.waiting.prefix(SharedPasses.width - 1)
        state.waiting.removeFirst(others.count)
        return ([request] + others, max(0, state.company - others.count - 1))
      }
      if let gathered { return gathered }
      sched_yield()
    }
  }

  /// Lets those that had a pass go on, and one that waits do the next.
  private func handOver(_ batch: [Request], _ own: Request, _ time: Duration) {
    let next = state.withLock { state -> Request? in
      (state.company, state.time) = (batch.count + state.waiting.count, time)
      state.hasLeader = !state.waiting.isEmpty
      state.waiting.first?.leads = true
      return state.waiting.first
    }
    for request in batch where request !== own { request.answered.signal() }
    next?.answered.signal()
  }
}
