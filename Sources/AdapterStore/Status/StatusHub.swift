import Synchronization

/// Brings the events of downloads to whoever follows them.
///
/// Nothing that is published waits for an observer, and an observer holds at most three events.
final class StatusHub: Sendable {
  private struct Follower {
    weak var observer: StatusObserver?
  }

  private struct State {
    /// The latest event of what is under way.
    var current: [String: AdapterEvent] = [:]
    var followers: [String: [Follower]] = [:]
  }

  private let state = Mutex(State())

  /// Says that `subject` is on its way; what follows is told through the feed.
  ///
  /// `subject` is an adapter's identifier or a base's signature or address. While one feed of a subject is open, others
  /// of the same subject are silent.
  func begin(_ subject: String) -> StatusFeed {
    let feed = StatusFeed(hub: self)
    feed.isKnown(as: subject)
    return feed
  }

  /// Whether a feed of `subject` is open.
  func isActive(_ subject: String) -> Bool {
    state.withLock { $0.current[subject] != nil }
  }

  /// The events of `subject` from now on; first the latest one if it is on its way.
  func updates(of subject: String) -> StatusUpdates {
    let observer = StatusObserver()
    state.withLock { state in
      var followers = state.followers[subject, default: []]
      followers.removeAll { $0.observer == nil }
      followers.append(Follower(observer: observer))
      state.followers[subject] = followers
      // Nobody waits for it yet.
      if let current = state.current[subject] { _ = observer.receive(current) }
    }
    return StatusUpdates(observer: observer)
  }

  /// Observers of `subject` that are still there.
  func observerCount(of subject: String) -> Int {
    state.withLock { $0.followers[subject, default: []].count { $0.observer != nil } }
  }

  /// Tells all followers, and gives back those that are to be woken for it; nil, and nothing is told, when a first event comes while
  /// something is under way.
  fileprivate func publish(
    _ event: AdapterEvent, of subject: String, isFirst: Bool = false
  ) -> [StatusObserver.Waking]? {
    state.withLock { state in
      if isFirst && state.current[subject] != nil { return nil }
      state.current[subject] = event.isLast ? nil : event
      let observers = state.followers[subject, default: []].compactMap(\.observer)
      let woken = observers.flatMap { $0.receive(event) }
      state.followers[subject] =
        event.isLast || observers.isEmpty ? nil : observers.map { Follower(observer: $0) }
      return woken
    }
  }
}

/// The one who tells what happens to a subject; a feed that goes away without an end has failed with `.cancelled`.
final class StatusFeed: Sendable {
  private struct State {
    /// Those that this is the first feed of.
    var subjects: [String] = []
    var latest = AdapterEvent.began
  }

  private let hub: StatusHub
  private let state = Mutex(State())

  fileprivate init(hub: StatusHub) { self.hub = hub }

  deinit { tell(.failed(.cancelled)) }

  /// What is on its way is `subject`, too: who follows that hears where it stands, and all that comes.
  ///
  /// What comes from an address says only on the way what it is.
  func isKnown(as subject: String) {
    let woken = state.withLock { state -> [StatusObserver.Waking] in
      guard !state.latest.isLast, !state.subjects.contains(subject),
        let woken = hub.publish(.began, of: subject, isFirst: true)
      else { return [] }
      state.subjects.append(subject)
      guard state.latest != .began else { return woken }
      return woken + (hub.publish(state.latest, of: subject) ?? [])
    }
    for waiting in woken { waiting.wake() }
  }

  /// Bytes came.
  func progress(_ progress: DownloadProgress) { tell(.downloading(progress)) }

  /// It waits to be resumed.
  func paused() { tell(.paused) }

  /// It goes on after a pause.
  func resumed() { tell(.began) }

  /// It is installed.
  func finished() { tell(.finished) }

  /// It is not installed.
  func failed(_ error: StoreError) { tell(.failed(error)) }

  private func tell(_ event: AdapterEvent) {
    let woken = state.withLock { state -> [StatusObserver.Waking] in
      guard !state.latest.isLast else { return [] }
      state.latest = event
      return state.subjects.flatMap { hub.publish(event, of: $0) ?? [] }
    }
    for waiting in woken { waiting.wake() }
  }
}

extension StatusFeed {
  /// What `body` returns, after its end has been told.
  func telling<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    do throws(StoreError) {
      let result = try body()
      finished()
      return result
    } catch {
      failed(error)
      throw error
    }
  }
}
