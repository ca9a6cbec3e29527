import Dispatch
import Synchronization

/// Lets so many requests be answered at once, and the others wait: fair among those who ask, and among models.
///
/// Who has the fewest answers on the way is next, whoever came first among those. A request holds as many bytes of keys and values as its
/// answer may need, so that none runs out of them on the way.
final class Admission: Sendable {
  /// A request that is being answered, until nobody refers to this.
  final class Place: Sendable {
    private let leave: @Sendable () -> Void

    fileprivate init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
  }

  private struct Waiting {
    let id: Int
    let client: String
    let model: String
    let adapters: [String]
    let bytes: Int
    /// Answers that are generated at once.
    let answers: Int
    let admitted: DispatchSemaphore
  }

  private struct State {
    var count = 0
    var running: [Int: Waiting] = [:]
    var waiting: [Waiting] = []
    var isClosed = false
  }

  private let width: Int
  private let queueLength: Int
  private let limit: Int
  private let state = Mutex(State())
  /// How often one that waits looks whether somebody still wants its answer.
  private static let look = DispatchTimeInterval.milliseconds(50)

  init(_ options: ServingOptions) {
    (width, queueLength, limit) = (options.width, options.queueLength, options.cacheBytes)
  }

  /// Requests that are being answered, and that wait.
  var counts: (running: Int, waiting: Int) {
    state.withLock { ($0.running.count, $0.waiting.count) }
  }

  /// The adapters of the requests that are being answered, and of those that wait, each named once.
  var adapters: (running: [String], waiting: [String]) {
    let (running, waiting) = state.withLock { (Array($0.running.values), $0.waiting) }
    return (
      Set(running.flatMap(\.adapters)).sorted(), Set(waiting.flatMap(\.adapters)).sorted()
    )
  }

  /// Lets nobody in any more; those who wait are refused.
  func close() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isClosed = true
      return state.waiting
    }
    for request in waiting { request.admitted.signal() }
  }

  /// Waits for a place; nil where the client went away meanwhile.
  ///
  /// - Throws: `.overloaded` where too many wait, `.unavailable` once it is closed, `.invalidRequest` for more bytes than there are.
  func enter(
    client: String, model: String, adapters: [String] = [], bytes: Int, answers: Int = 1,
    isGone: () -> Bool
  ) throws(ServingError) -> Place? {
    guard bytes <= limit else {
      throw ServingError(
        .invalidRequest,
        "The request and its longest answer have no room: lower the maximum of tokens, shorten the prompt, or give the server more memory for keys and values.",
        code: "context_length_exceeded")
    }
    let request = try state.withLock { state throws(ServingError) -> Waiting in
      if state.isClosed { throw Self.closed }
      guard state.waiting.count < queueLength else {
        throw ServingError(.overloaded, "Too many requests are waiting; try again.")
      }
      state.count += 1
      let request = Waiting(
        id: state.count, client: client, model: model, adapters: adapters, bytes: bytes,
        answers: answers, admitted: DispatchSemaphore(value: 0))
      state.waiting.append(request)
      admit(&state)
      return request
    }
    while request.admitted.wait(timeout: .now() + Self.look) == .timedOut {
      if isGone() {
        leave(request.id)
        return nil
      }
    }
    guard state.withLock({ $0.running[request.id] != nil }) else { throw Self.closed }
    return Place { [self] in leave(request.id) }
  }

  private static let closed = ServingError(.unavailable, "The server is about to end.")

  private func leave(_ id: Int) {
    state.withLock { state in
      state.running[id] = nil
      state.waiting.removeAll { $0.id == id }
      admit(&state)
    }
  }

  private func admit(_ state: inout State) {
    while !state.waiting.isEmpty {
      let running = state.running.values.reduce(0) { $0 + $1.answers }
      let held = state.running.values.reduce(0) { $0 + $1.bytes }
      func load(_ request: Waiting) -> Int {
        state.running.values.reduce(0) { load, other in
          let isAlike = [other.client == request.client, other.model == request.model]
          return load + isAlike.count { $0 } * other.answers
        }
      }
      let order = state.waiting.indices.sorted {
        (load(state.waiting[$0]), $0) < (load(state.waiting[$1]), $1)
      }
      // What needs more than there is waits for it, and nobody passes it, or it would wait for ever.
      guard let next = order.first, state.waiting[next].bytes <= limit - held,
        state.waiting[next].answers <= width - running
      else { return }
      let request = state.waiting.remove(at: next)
      state.running[request.id] = request
      request.admitted.signal()
    }
  }
}
