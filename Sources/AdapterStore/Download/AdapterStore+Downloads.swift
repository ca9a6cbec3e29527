import Kernels
import Synchronization
import SystemFiles

extension AdapterStore {
  /// Pauses the download that is known by this address or identifier; false when there is none.
  @discardableResult
  public func pause(_ name: String) -> Bool { control(name) { $0.pause() } }

  /// Lets the download that is known by this address or identifier go on; false when there is none.
  @discardableResult
  public func resume(_ name: String) -> Bool { control(name) { $0.resume() } }

  /// Ends the download that is known by this address or identifier, and keeps what has come; false when there is none.
  @discardableResult
  public func cancel(_ name: String) -> Bool { control(name) { $0.cancel() } }

  private func control(_ name: String, _ body: (DownloadControl) -> Void) -> Bool {
    let controls = downloads.controls(of: name)
    controls.forEach(body)
    return !controls.isEmpty
  }

  /// Runs `body` when no other process downloads the same, as far as locks tell; followers of `subject` hear of it.
  ///
  /// `body` is told whether another process did, while it waited, and says what comes where the subject does not.
  func downloading<R: Sendable>(
    _ subject: String, from url: String, _ control: DownloadControl,
    _ progress: @escaping InstallObserver,
    _ body:
      @escaping @Sendable (
        _ feed: StatusFeed, _ progress: @escaping InstallObserver, _ hasWaited: Bool
      ) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    downloads.begin(control, as: [subject, url])
    defer { downloads.end(control, as: [subject, url]) }
    let feed = hub.begin(subject)
    do throws(StoreError) {
      let (attempt, hasWaited) = try await downloader.lock(url, control, progress)
      defer { downloader.unlock(attempt, url) }
      let observer = Self.observer(feed, control, progress)
      // A pause is for who fetches; a cancellation also ends what copies, joins or converts.
      let result = try await control.interruptible(byPause: false, on: TaskThread()) {
        () async -> Result<R, StoreError> in
        do throws(StoreError) {
          return .success(try await body(feed, observer, hasWaited))
        } catch {
          return .failure(error)
        }
      }.get()
      feed.finished()
      return result
    } catch {
      feed.failed(error)
      throw error
    }
  }

  private static func observer(
    _ feed: StatusFeed, _ control: DownloadControl, _ progress: @escaping InstallObserver
  ) -> InstallObserver {
    let wasPaused = Mutex(false)
    return { now in
      let isPaused = control.isPaused
      let before = wasPaused.withLock { was in
        defer { was = isPaused }
        return was
      }
      if isPaused && !before { feed.paused() }
      if !isPaused && before { feed.resumed() }
      if !isPaused { feed.progress(now) }
      progress(now)
    }
  }
}

/// The downloads of one store in this process, by what they are known as: an identifier, or an address.
final class DownloadsInProgress: Sendable {
  private let controls = Mutex<[String: [DownloadControl]]>([:])

  /// All that go by `name`: of several downloads of one address, the others wait for the first.
  func controls(of name: String) -> [DownloadControl] { controls.withLock { $0[name] ?? [] } }

  func begin(_ control: DownloadControl, as names: Set<String>) {
    controls.withLock { for name in names { $0[name, default: []].append(control) } }
  }

  func end(_ control: DownloadControl, as names: Set<String>) {
    controls.withLock {
      for name in names {
        let others = ($0[name] ?? []).filter { $0 !== control }
        $0[name] = others.isEmpty ? nil : others
      }
    }
  }
}

extension Downloader {
  /// Waits until no other process downloads what is known as `name`, as far as locks tell; whether one did.
  func lock(
    _ name: String, _ control: DownloadControl,
    _ progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> (attempt: LockAttempt, hasWaited: Bool) {
    // Without a place for locks everybody goes ahead.
    try? FileSystem.createDirectory(layout.locks)
    let path = lockPath(name)
    let shown = WebAddress.shown(name)
    var hasWaited = false
    while true {
      try await control.pass()
      let attempt = surroundings.lock(path)
      if case .acquired = attempt { return (attempt, hasWaited) }
      hasWaited = true
      progress(
        DownloadProgress(file: shown, waiting: "another process is downloading it"))
      await control.interruptible { await surroundings.sleep(0.2) }
    }
  }

  /// Lets others have the lock.
  func unlock(_ attempt: LockAttempt, _ name: String) {
    guard case .acquired(let lock?) = attempt else { return }
    // Removed while it is held: who opened it before meets an empty file that nobody else will lock, and goes ahead.
    withExtendedLifetime(lock) { try? FileSystem.removeTree(lockPath(name)) }
  }

  private func lockPath(_ name: String) -> String {
    FilePath.join(layout.locks, WebAddress.key(name))
  }
}
