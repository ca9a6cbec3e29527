import Glibc

/// An advisory lock on a file, held until this value goes away or the process ends.
public final class FileLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock on `path`, creating the file when it is missing; nil when another process holds it.
  ///
  /// - Throws: `TensorFileError.system`.
  public init?(path: String) throws(TensorFileError) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .system(.create, path: path, code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { return nil }
      throw .system(.lock, path: path, code: code)
    }
  }

  deinit {
    close(descriptor)
  }
}
