import Glibc
import Synchronization

/// An advisory lock on a file or a directory, held until this value goes away or the process ends.
public final class FileLock: Sendable {
  private let descriptor: Atomic<Int32>

  /// Takes the lock on `path`, creating the file when it is missing; nil when another process holds it.
  ///
  /// - Throws: `FileError.system`.
  public init?(path: String) throws(FileError) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    descriptor = Atomic(file)
    guard file >= 0 else { throw .system(.create, path: path, code: errno) }
    FileSystem.record(.create(path))
    guard try Self.takes(file, path) else { return nil }
  }

  /// Takes the lock on the directory `path` itself, in which nothing appears; nil when another process holds it.
  ///
  /// - Throws: `FileError.system`.
  public init?(directory path: String) throws(FileError) {
    let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    descriptor = Atomic(file)
    guard file >= 0 else { throw .system(.open, path: path, code: errno) }
    guard try Self.takes(file, path) else { return nil }
  }

  /// Whether `file` is locked now; where not, the end of this value closes it, which comes also when its start fails.
  private static func takes(_ file: Int32, _ path: String) throws(FileError) -> Bool {
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .system(.lock, path: path, code: errno) }
    return false
  }

  /// Takes the lock on `path` together with any number of others, creating the file when it is missing.
  ///
  /// A file that is removed at this moment is created anew, so that whoever looks at the path sees the lock.
  ///
  /// - Throws: `FileError.system`, also when somebody keeps the lock for himself.
  public init(sharing path: String) throws(FileError) {
    var code: Int32 = 0
    for _ in 0..<100 {
      // A lock needs no right to write, so that a file of another user's will do.
      var file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      if file < 0 { file = unsafe open(path, O_RDONLY | O_CLOEXEC) }
      guard file >= 0 else { throw .system(.create, path: path, code: errno) }
      if flock(file, LOCK_SH | LOCK_NB) == 0, Self.isStill(file, at: path) {
        descriptor = Atomic(file)
        FileSystem.record(.create(path))
        return
      }
      code = errno
      close(file)
      sched_yield()
    }
    throw .system(.lock, path: path, code: code)
  }

  /// Whether somebody holds a lock on `path`, alone or together with others.
  ///
  /// Nothing is created: a lock that is looked for where it was just removed must not come back.
  public static func isHeld(_ path: String) -> Bool {
    var file = unsafe open(path, O_RDWR | O_CLOEXEC)
    if file < 0 { file = unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Whether somebody keeps the lock on `path` for himself; nil where that cannot be told, as on file systems without locks.
  ///
  /// Nothing is created, and those who look do not get in each other's way; but a lock that is asked for at the moment of a look is
  /// refused.
  public static func isTaken(_ path: String) -> Bool? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT || errno == ENOTDIR ? false : nil }
    defer { close(file) }
    if flock(file, LOCK_SH | LOCK_NB) == 0 { return false }
    return errno == EWOULDBLOCK ? true : nil
  }

  /// Whether `path` names the file of this lock still, so that others see it there.
  public func isStill(at path: String) -> Bool {
    Self.isStill(descriptor.load(ordering: .relaxed), at: path)
  }

  /// Gives the lock up, and closes its file, which some file systems keep in its folder for as long as it is open.
  package func release() {
    let file = descriptor.exchange(-1, ordering: .relaxed)
    if file >= 0 { close(file) }
  }

  private static func isStill(_ file: Int32, at path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    guard unsafe fstat(file, &opened) == 0, unsafe lstat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  deinit { release() }
}
