import Synchronization

/// Brings the events of downloads to whoever follows them.
///
/// Nothing that is published waits for an observer, and an observer holds at most three events.
package final class StatusHub: Sendable {
  private struct Follower {
    weak var observer: StatusObserver?
  }

  private struct State {
    /// The latest event of what is under way.
    var current: [String: AdapterEvent] = [:]
    var followers: [String: [Follower]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Says that `subject` is on its way; what follows is told through the feed.
  ///
  /// `subject` is an adapter's identifier or a base's signature or address. While one feed of a subject is open, others
  /// of the same subject are silent.
  package func begin(_ subject: String) -> StatusFeed {
    let leads = publish(.began, of: subject, isFirst: true)
    return StatusFeed(subject: subject, hub: leads ? self : nil)
  }

  /// Whether a feed of `subject` is open.
  package func isActive(_ subject: String) -> Bool {
    state.withLock { $0.current[subject] != nil }
  }

  /// The events of `subject` from now on; first the latest one if it is on its way.
  package func updates(of subject: String) -> StatusUpdates {
    let observer = StatusObserver()
    state.withLock { state in
      var followers = state.followers[subject, default: []]
      followers.removeAll { $0.observer == nil }
      followers.append(Follower(observer: observer))
      state.followers[subject] = followers
      if let current = state.current[subject] { observer.receive(current) }
    }
    return StatusUpdates(observer: observer)
  }

  /// Observers of `subject` that are still there.
  package func observerCount(of subject: String) -> Int {
    state.withLock { $0.followers[subject, default: []].count { $0.observer != nil } }
  }

  /// Tells all followers; false, and nothing is told, when a first event comes while something is under way.
  @discardableResult
  fileprivate func publish(
    _ event: AdapterEvent, of subject: String, isFirst: Bool = false
  ) -> Bool {
    state.withLock { state in
      if isFirst && state.current[subject] != nil { return false }
      state.current[subject] = event.isLast ? nil : event
      let observers = state.followers[subject, default: []].compactMap(\.observer)
      for observer in observers { observer.receive(event) }
      state.followers[subject] =
        event.isLast || observers.isEmpty ? nil : observers.map { Follower(observer: $0) }
      return true
    }
  }
}

/// The one who tells what happens to a subject; a feed that goes away without an end has failed with `.cancelled`.
package final class StatusFeed: Sendable {
  private let subject: String
  private let hub: StatusHub?
  private let isOpen = Mutex(true)

  fileprivate init(subject: String, hub: StatusHub?) {
    self.subject = subject
    self.hub = hub
  }

  deinit { end(.failed(.cancelled)) }

  /// Bytes came.
  package func progress(_ progress: DownloadProgress) { tell(.downloading(progress)) }

  /// It waits to be resumed.
  package func paused() { tell(.paused) }

  /// It goes on after a pause.
  package func resumed() { tell(.began) }

  /// It is installed.
  package func finished() { end(.finished) }

  /// It is not installed.
  package func failed(_ error: StoreError) { end(.failed(error)) }

  private func tell(_ event: AdapterEvent) {
    isOpen.withLock { isOpen in
      if isOpen { hub?.publish(event, of: subject) }
    }
  }

  private func end(_ event: AdapterEvent) {
    isOpen.withLock { isOpen in
      if isOpen { hub?.publish(event, of: subject) }
      isOpen = false
    }
  }
}
