import Dispatch
import Foundation
import Kernels
import Synchronization
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct AdmissionTests {
  private func admission(width: Int = 1, queue: Int = 10, bytes: Int = 100) -> Admission {
    var options = ServingOptions(cacheBytes: bytes)
    (options.width, options.queueLength) = (width, queue)
    return Admission(options)
  }

  private func enter(
    _ admission: Admission, _ client: String = "a", _ model: String = "m", bytes: Int = 10
  ) throws(ServingError) -> Admission.Place? {
    try admission.enter(client: client, model: model, bytes: bytes, isGone: { false })
  }

  @Test func answersCountEachForThemselves() throws {
    let admission = admission(width: 4)
    func enter(_ answers: Int) throws(ServingError) -> Admission.Place? {
      try admission.enter(
        client: "a", model: "m", bytes: 1, answers: answers, isGone: { true })
    }
    var first = try enter(3)
    #expect(first != nil)
    // One that waits is asked whether anybody is there for it.
    #expect(try enter(2) == nil)
    let second = try enter(1)
    #expect(second != nil)
    first = nil
    #expect(try enter(4) == nil)
    #expect(try enter(3) != nil)
  }

  /// Waits on threads of their own, in an order that is known, and notes who comes when.
  private func order(
    _ admission: Admission, _ first: inout Admission.Place?, _ others: [(String, String)]
  ) throws -> [Int] {
    let came = Mutex<[Int]>([])
    let done = DispatchSemaphore(value: 0)
    for (index, other) in others.enumerated() {
      let started = OwnThread.run {
        let place = try? admission.enter(
          client: other.0, model: other.1, bytes: 10, isGone: { false })
        came.withLock { $0.append(index) }
        withExtendedLifetime(place) {}
        done.signal()
      }
      #expect(started)
      while admission.counts.waiting < index + 1 { sched_yield() }
    }
    first = nil
    for _ in others { done.wait() }
    return came.withLock { $0 }
  }

  @Test func whoAsksLeastIsNext() throws {
    let admission = admission(width: 2)
    let kept = try enter(admission, "a", "m")
    var first = try enter(admission, "b", "n")
    // Client a has an answer on its way, and model m.
    let came = try order(admission, &first, [("a", "m"), ("a", "o"), ("c", "o"), ("d", "o")])
    #expect(came.first == 2)
    withExtendedLifetime(kept) {}
  }

  @Test func placesAreCounted() throws {
    let admission = admission(width: 2)
    var places = [try enter(admission), try enter(admission)]
    #expect(admission.counts == (2, 0))
    places.removeAll()
    #expect(admission.counts == (0, 0))
  }

  @Test func oneThatIsGoneWaitsNoLonger() throws {
    let admission = admission()
    let place = try enter(admission)
    let other = try admission.enter(client: "b", model: "m", bytes: 1, isGone: { true })
    #expect(other == nil && admission.counts == (1, 0))
    withExtendedLifetime(place) {}
  }

  @Test func tooManyAreRefused() throws {
    let admission = admission(queue: 0)
    let error = #expect(throws: ServingError.self) { try enter(admission) }
    #expect(error?.kind == .overloaded)
    let large = #expect(throws: ServingError.self) { try enter(admission, bytes: 101) }
    #expect(large?.kind == .invalidRequest)
    admission.close()
    #expect(#expect(throws: ServingError.self) { try enter(admission) }?.kind == .unavailable)
  }
}
