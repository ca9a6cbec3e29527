import Glibc
import SystemFiles

/// The lock on what one process at a time does, or that another process has it.
enum LockAttempt: Sendable {
  /// Ours, for as long as this value lives; without a lock where the file system has none, as everybody goes ahead then.
  case acquired(FileLock?)
  /// Another's.
  case taken

  /// Asks for the lock on the file `path`, which saves work and no more: whatever keeps it away, we go ahead.
  init(path: String) {
    do throws(FileError) {
      self = try FileLock(path: path).map(LockAttempt.acquired) ?? .taken
    } catch {
      self = .acquired(nil)
    }
  }

  /// Asks for the lock on the folder `path` itself.
  ///
  /// - Throws: `FileError.system` where it could not even be asked for, as for want of descriptors.
  init(directory path: String) throws(FileError) {
    do throws(FileError) {
      self = try FileLock(directory: path).map(LockAttempt.acquired) ?? .taken
    } catch {
      guard case .system(.lock, _, _) = error else { throw error }
      self = .acquired(nil)
    }
  }

  /// Waits up to `seconds` for the lock on the folder `path`; nil where its file system has none, and everybody goes ahead.
  ///
  /// - Throws: `StoreError.busy`, `.cancelled` or `.storage`.
  static func wait(forDirectory path: String, seconds: Double) throws(StoreError) -> FileLock? {
    let pause = 0.05
    var waited = 0.0
    while true {
      if Task.isCancelled { throw .cancelled }
      let attempt = try storing { () throws(FileError) in try LockAttempt(directory: path) }
      if case .acquired(let lock) = attempt { return lock }
      guard waited < seconds else { throw .busy(path: path) }
      usleep(UInt32(pause * 1e6))
      waited += pause
    }
  }
}
