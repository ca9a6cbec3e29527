import CFMSystem
import Glibc

extension FileSystem {
  /// Renames `source` to `target`, replacing a file that stands there.
  ///
  /// The system refuses to move a read-only directory to another parent: take write permission away after the move.
  ///
  /// - Throws: `FileError.system(.rename)`.
  public static func rename(_ source: String, to target: String) throws(FileError) {
    try rename(RawPath(source), to: RawPath(target))
  }

  /// Renames `source` to `target`, as above.
  ///
  /// - Throws: `FileError.system(.rename)`.
  package static func rename(_ source: RawPath, to target: RawPath) throws(FileError) {
    guard unsafe Glibc.rename(source.characters, target.characters) == 0 else {
      throw .system(.rename, path: "\(target)", code: errno)
    }
    record(.rename("\(source)", to: "\(target)"))
  }

  /// Whether the system can rename something from the directory `first` into `second`: not from one file system to another,
  /// nor from one mount to another of the same.
  package static func canRename(from first: String, into second: String) -> Bool {
    var (one, other) = (stat(), stat())
    guard unsafe stat(first, &one) == 0, unsafe stat(second, &other) == 0 else { return true }
    guard one.st_dev == other.st_dev else { return false }
    // Mounts are compared before names are looked up: asked for a name that nothing has, the system changes nothing.
    let name = ".\(FilePath.randomName())"
    let (source, target) = (FilePath.join(first, name), FilePath.join(second, name))
    return unsafe Glibc.rename(source, target) == 0 || errno != EXDEV
  }

  /// Swaps what stands under two names of one file system, so that each always names something whole.
  ///
  /// Where the file system cannot swap, three renames do it, with a moment in which `second` names nothing.
  ///
  /// - Throws: `FileError.system`.
  public static func exchange(_ first: String, _ second: String) throws(FileError) {
    if try !exchangesAtOnce(first, second) { try exchangeByRenames(first, second) }
  }

  /// Swaps the two and says whether the file system can do so at once.
  ///
  /// - Throws: as `exchange`; where the answer is no, nothing has changed.
  public static func exchangesAtOnce(
    _ first: String, _ second: String
  ) throws(FileError) -> Bool {
    let exchangeFlag: UInt32 = 2
    if unsafe renameat2(AT_FDCWD, first, AT_FDCWD, second, exchangeFlag) == 0 {
      record(.exchange(first, second))
      return true
    }
    guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else {
      throw .system(.exchange, path: second, code: errno)
    }
    return false
  }

  /// The slow way of `exchange`.
  static func exchangeByRenames(_ first: String, _ second: String) throws(FileError) {
    let aside = FilePath.sibling(of: second)
    try rename(second, to: aside)
    do throws(FileError) {
      try rename(first, to: second)
    } catch {
      // Where somebody has brought it back already, that is as well.
      try? rename(aside, to: second)
      throw error
    }
    try rename(aside, to: first)
  }
}
