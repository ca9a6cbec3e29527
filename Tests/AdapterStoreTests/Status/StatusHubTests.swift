import Dispatch
import Testing

@testable import AdapterStore

@Suite struct StatusHubTests {
  private let hub = StatusHub()

  private static func bytes(_ count: Int) -> DownloadProgress {
    DownloadProgress(file: "weights", received: count, total: 100)
  }

  private func all(_ updates: StatusUpdates) async -> [AdapterEvent] {
    var events: [AdapterEvent] = []
    for await event in updates { events.append(event) }
    return events
  }

  @Test func twoObserversGetTheSame() async {
    let (first, second) = (hub.updates(of: "a"), hub.updates(of: "a"))
    let other = hub.updates(of: "b")
    let feed = hub.begin("a")
    feed.progress(Self.bytes(10))
    feed.finished()
    let expected: [AdapterEvent] = [.began, .downloading(Self.bytes(10)), .finished]
    #expect(await all(first) == expected)
    #expect(await all(second) == expected)
    hub.begin("b").failed(.cancelled)
    #expect(await all(other) == [.began, .failed(.cancelled)])
  }

  @Test func aWaitingObserverIsWokenByEach() async {
    let updates = hub.updates(of: "a")
    let follower = Task { await all(updates) }
    let feed = hub.begin("a")
    feed.progress(Self.bytes(1))
    feed.failed(.busy(path: "x"))
    let events = await follower.value
    #expect(events.first == .began)
    #expect(events.last == .failed(.busy(path: "x")))
  }

  /// Looks at a hub whenever a task of its goes on.
  private final class LookingExecutor: TaskExecutor {
    private let hub: StatusHub
    private let queue = DispatchQueue(label: "looking")

    init(_ hub: StatusHub) { self.hub = hub }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      _ = hub.isActive("a")
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// No lock is held while a follower is woken, whose executor may do anything then.
  @Test(.timeLimit(.minutes(15))) func aFollowersExecutorMayLookAtTheHub() async {
    let updates = hub.updates(of: "a")
    let (taken, taking) = AsyncStream<Void>.makeStream()
    let follower = Task(executorPreference: LookingExecutor(hub)) {
      for await _ in updates { taking.yield() }
    }
    let feed = hub.begin("a")
    var turns = taken.makeAsyncIterator()
    _ = await turns.next()
    // Of so many, some come while the follower waits already.
    for count in 0..<500 {
      feed.progress(Self.bytes(count))
      _ = await turns.next()
    }
    feed.finished()
    await follower.value
    #expect(!hub.isActive("a"))
  }

  @Test func theLatestProgressStandsForAllOthers() async {
    let updates = hub.updates(of: "a")
    let feed = hub.begin("a")
    for count in 0..<100_000 { feed.progress(Self.bytes(count)) }
    feed.paused()
    feed.resumed()
    feed.progress(Self.bytes(7))
    feed.finished()
    #expect(await all(updates) == [.began, .downloading(Self.bytes(7)), .finished])
  }

  @Test(
    arguments: [
      ([.began], [.began]),
      ([.began, .paused], [.began, .paused]),
      ([.began, .paused, .began], [.began]),
      ([.began, .downloading(bytes(1)), .paused], [.began, .paused]),
      ([.began, .paused, .downloading(bytes(2))], [.began, .downloading(bytes(2))]),
      ([.paused, .downloading(bytes(2))], [.downloading(bytes(2))]),
    ] as [([AdapterEvent], [AdapterEvent])])
  func whatIsKeptOf(_ events: [AdapterEvent], _ kept: [AdapterEvent]) async {
    let observer = StatusObserver()
    for event in events + [.finished] { _ = observer.receive(event) }
    #expect(await all(StatusUpdates(observer: observer)) == kept + [.finished])
  }

  @Test func aLateObserverGetsTheStateFirst() async {
    let feed = hub.begin("a")
    let afterBegin = hub.updates(of: "a")
    feed.progress(Self.bytes(50))
    let afterProgress = hub.updates(of: "a")
    feed.paused()
    let afterPause = hub.updates(of: "a")
    feed.finished()
    #expect(await all(afterBegin) == [.began, .paused, .finished])
    #expect(await all(afterProgress) == [.paused, .finished])
    #expect(await all(afterPause) == [.paused, .finished])
    #expect(!hub.isActive("a"))
  }

  @Test func afterTheEndAnObserverWaitsForTheNext() async {
    hub.begin("a").finished()
    let updates = hub.updates(of: "a")
    hub.begin("a").failed(.cancelled)
    #expect(await all(updates) == [.began, .failed(.cancelled)])
  }

  @Test func aCancelledObserverEndsAndTheOthersGoOn() async {
    let (cancelled, other) = (hub.updates(of: "a"), hub.updates(of: "a"))
    let feed = hub.begin("a")
    let task = Task { await all(cancelled) }
    task.cancel()
    let seen = await task.value
    #expect(seen.isEmpty || seen == [.began])
    feed.finished()
    #expect(await all(other) == [.began, .finished])
  }

  @Test func observersThatLeaveAreDropped() async {
    do {
      let updates = hub.updates(of: "a")
      #expect(hub.observerCount(of: "a") == 1)
      _ = updates
    }
    #expect(hub.observerCount(of: "a") == 0)
    let feed = hub.begin("a")
    for await event in hub.updates(of: "a") where event == .began { break }
    #expect(hub.observerCount(of: "a") == 0)
    feed.finished()
  }

  @Test func ofSeveralAtOnceTheFirstIsTold() async {
    let updates = hub.updates(of: "a")
    let first = hub.begin("a")
    let second = hub.begin("a")
    second.progress(Self.bytes(3))
    second.failed(.busy(path: "x"))
    #expect(hub.isActive("a"))
    first.finished()
    first.failed(.cancelled)
    #expect(await all(updates) == [.began, .finished])
  }

  @Test(
    arguments: [
      ("at once", [], [.began]),
      ("while bytes come", [.downloading(bytes(1))], [.began, .downloading(bytes(1))]),
      ("paused", [.paused], [.began, .paused]),
      ("after a pause", [.paused, .began], [.began]),
    ] as [(String, [AdapterEvent], [AdapterEvent])])
  func whatIsFoundOutOnTheWayIsToldToo(
    _ name: String, before: [AdapterEvent], told: [AdapterEvent]
  ) async {
    let (address, adapter) = (hub.updates(of: "https://a"), hub.updates(of: "a"))
    let feed = hub.begin("https://a")
    for event in before {
      switch event {
      case .downloading(let progress): feed.progress(progress)
      case .paused: feed.paused()
      default: feed.resumed()
      }
    }
    #expect(!hub.isActive("a"))
    feed.isKnown(as: "a")
    feed.isKnown(as: "a")
    #expect(hub.isActive("a"))
    feed.finished()
    #expect(await all(adapter) == told + [.finished])
    #expect(await all(address).last == .finished)
    #expect(!hub.isActive("a") && !hub.isActive("https://a"))
  }

  @Test func whatIsFoundOutTooLateOrIsOnItsWayAlreadyIsNotTold() async {
    let updates = hub.updates(of: "a")
    let (first, second) = (hub.begin("a"), hub.begin("https://a"))
    second.isKnown(as: "a")
    second.failed(.busy(path: "x"))
    second.isKnown(as: "b")
    #expect(hub.isActive("a") && !hub.isActive("b"))
    first.finished()
    #expect(await all(updates) == [.began, .finished])
  }

  @Test func aFeedThatIsForgottenHasFailed() async {
    let updates = hub.updates(of: "a")
    do { _ = hub.begin("a") }
    #expect(await all(updates) == [.began, .failed(.cancelled)])
  }
}
