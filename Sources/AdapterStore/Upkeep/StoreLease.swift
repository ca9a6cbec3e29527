import Adapters
import Synchronization
import SystemFiles

/// Says that somebody uses an installed adapter or base, for as long as this value lives.
///
/// A hint for `prune`, no more: an entry that is removed all the same stays readable for whoever has its files open. All leases
/// that a process has on an entry take one file descriptor together.
package final class StoreLease: Sendable {
  private let lock: FileLock?

  init(_ lock: FileLock?) { self.lock = lock }

  /// Whether the hint could be given: not where the store cannot be written, or its file system has no locks.
  var isHeld: Bool { lock != nil }
}

extension AdapterStore {
  /// Keeps `prune` from taking `adapter` while the answer lives.
  package func lease(_ adapter: InstalledAdapter) -> StoreLease {
    lease(adapter.identifier.description)
  }

  /// Keeps `prune` from taking adapters of `base`, should it be removed, while the answer lives.
  package func lease(_ base: InstalledBase) -> StoreLease {
    lease(base.signature)
  }

  /// Keeps `prune` from taking the entry that the file or folder at `path` belongs to, if it belongs to one.
  package func lease(at path: String) -> StoreLease {
    for area in [layout.adapters, layout.bases] where path.hasPrefix(area + "/") {
      let name = path.dropFirst(area.utf8.count + 1).prefix { $0 != "/" }
      if !name.isEmpty { return lease(String(name)) }
    }
    return StoreLease(nil)
  }

  private func lease(_ name: String) -> StoreLease {
    // Not into a store that is not there, and no error where it cannot be written.
    guard (try? FileSystem.info(root)) != nil,
      (try? FileSystem.createDirectory(layout.leases)) != nil
    else { return StoreLease(nil) }
    return StoreLease(LeaseLocks.lock(layout.lease(name)))
  }

  /// Whether somebody holds a lease on the entry `name`.
  func isLeased(_ name: String) -> Bool {
    FileLock.isHeld(layout.lease(name))
  }

  /// Removes the lease files of entries that are gone and that nobody holds, and what their files looked like.
  func collectLeases() {
    guard let entries = try? storeEntries() else { return }
    let names = [layout.leases, layout.checked].flatMap { (try? FileSystem.list($0)) ?? [] }
      .compactMap(\.name.text)
    let known = Set(entries.map(\.name))
    for name in names where !known.contains(name) && !isLeased(name) {
      for file in [layout.lease(name), layout.checked(name)] { try? FileSystem.removeTree(file) }
    }
  }
}

/// The locks of this process on lease files: one for each file, held as long as there is a lease.
private enum LeaseLocks {
  private struct Weak {
    weak var lock: FileLock?
  }

  private static let locks = Mutex<[String: Weak]>([:])

  /// The lock on the file at `path`; nil where there can be none.
  static func lock(_ path: String) -> FileLock? {
    locks.withLock { locks in
      // The store may have been removed meanwhile, and another one made in its place.
      if let lock = locks[path]?.lock, lock.isStill(at: path) { return lock }
      locks = locks.filter { $0.value.lock != nil }
      guard let lock = try? FileLock(sharing: path) else { return nil }
      locks[path] = Weak(lock: lock)
      return lock
    }
  }
}
