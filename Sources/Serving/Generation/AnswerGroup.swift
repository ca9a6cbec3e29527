import Dispatch
import Kernels
import Synchronization

/// Answers that are generated at once, each on a thread of its own, in passes that they share.
///
/// Where there are more than may be generated at once, each thread takes another one when it has finished.
final class AnswerGroup: Sendable {
  private enum Event {
    case news(Int, Answer.News)
    case failed(ServingError)
  }

  private struct State {
    var events: [Event] = []
    /// Jobs that no thread has taken.
    var waiting: Range<Int>
  }

  private let jobs: [GenerationRun.Job]
  private let model: ServedModel
  private let state: Mutex<State>
  private let arrived = DispatchSemaphore(value: 0)
  private let isCancelled = Atomic(false)
  /// How often one that waits looks whether somebody still wants the answers.
  private static let look = DispatchTimeInterval.milliseconds(50)

  init(_ jobs: [GenerationRun.Job], _ model: ServedModel, atOnce: Int) {
    (self.jobs, self.model) = (jobs, model)
    state = Mutex(State(waiting: 0..<jobs.count))
    let started = (0..<min(atOnce, jobs.count)).count { _ in OwnThread.run { [self] in run() } }
    if started == 0 {
      post(
        .failed(ServingError(.overloaded, "There is no thread left for the answers; try again.")))
    }
  }

  /// Lets no more come; threads end with their pass.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// What comes next of any of the answers; nil where the client has gone.
  ///
  /// - Throws: What one of them has thrown; the others end with it.
  func next(isGone: () -> Bool) throws(ServingError) -> (index: Int, news: Answer.News)? {
    repeat {
      guard !isGone() else {
        cancel()
        return nil
      }
    } while arrived.wait(timeout: .now() + Self.look) == .timedOut
    switch state.withLock({ $0.events.removeFirst() }) {
    case .news(let index, let news): return (index, news)
    case .failed(let error):
      cancel()
      throw error
    }
  }

  private func run() {
    while let index = state.withLock({ $0.waiting.popFirst() }) {
      do throws(ServingError) {
        let answer = try Answer(jobs[index], model)
        while let news = try answer.next(isCancelled: { isCancelled.load(ordering: .relaxed) }) {
          post(.news(index, news))
        }
      } catch {
        return post(.failed(error))
      }
      if isCancelled.load(ordering: .relaxed) { return }
    }
  }

  private func post(_ event: Event) {
    state.withLock { $0.events.append(event) }
    arrived.signal()
  }
}
