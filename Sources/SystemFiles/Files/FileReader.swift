import Glibc

/// A file that is read piece by piece.
///
/// Unlike a mapping, a read of a bad disk or of a file that was cut is an error that can be caught.
public final class FileReader: Sendable {
  /// The path that the file was opened with.
  public let path: String
  /// Bytes that the file had when it was opened.
  public let size: Int
  let descriptor: Int32
  private let stamp: FileStamp

  /// Bytes that are read at once: few enough to stay in a processor's own cache.
  private static let piece = 256 << 10

  /// Opens the regular file at `path`, which may be empty.
  ///
  /// - Throws: `FileError.system`, `.notRegular` or `.isPointer`.
  public init(path: String) throws(FileError) {
    self.path = path
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(.open, path: path, code: errno) }
    do throws(FileError) {
      stamp = try FileStamp(descriptor: descriptor, path: path)
      guard stamp.isRegular else { throw .notRegular(path: path) }
      try refusePointer(descriptor, size: stamp.size, path: path)
    } catch {
      close(descriptor)
      throw error
    }
    size = stamp.size
  }

  deinit {
    close(descriptor)
  }

  /// Lets go of what the system keeps of the file in memory, so that what is read next is what became of it on the disk.
  ///
  /// What was written and not synced stays, and so do pages that somebody maps, and all where the disk is memory.
  package func forget() {
    // Only a hint: pages that stay are no error.
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  /// The bytes of `range`.
  ///
  /// - Throws: `FileError.system(.read)`, or `.changed` when the file ends before the range does.
  public func read(_ range: Range<Int>) throws(FileError) -> [UInt8] {
    // Before there is room made for what cannot come.
    guard range.upperBound <= size else { throw .changed(path: path) }
    let bytes = try readBytes(range, of: descriptor, path: path)
    guard bytes.count == range.count else { throw .changed(path: path) }
    return bytes
  }

  /// SHA-256 of the bytes of `range`, 64 lowercase hexadecimal digits; nil once `isCancelled` says so.
  ///
  /// - Throws: as `read`.
  public func sha256(
    _ range: Range<Int>, isCancelled: () -> Bool = { false }
  ) throws(FileError) -> String? {
    var digest = SHA256()
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
      if isCancelled() { return nil }
      digest.update(try read(start..<min(start + Self.piece, range.upperBound)))
    }
    return digest.finishHex()
  }

  /// Asks the system whether the file still has the size and the modification time that it was opened with.
  ///
  /// - Throws: `FileError.changed` when it has not.
  public func checkUnchanged() throws(FileError) {
    guard try FileStamp(descriptor: descriptor, path: path) == stamp else {
      throw .changed(path: path)
    }
  }

  /// Calls `body` with the bytes of `range`, a piece at a time.
  ///
  /// - Throws: as `read`, and what `body` throws.
  package func forEachPiece(
    of range: Range<Int>, _ body: ([UInt8]) throws(FileError) -> Void
  ) throws(FileError) {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
      try body(try read(start..<min(start + Self.piece, range.upperBound)))
    }
  }
}

/// Throws where an open file is what a clone has without Git LFS.
///
/// Source: <https://github.com/git-lfs/git-lfs/blob/v3.7.0/docs/spec.md>.
func refusePointer(_ descriptor: Int32, size: Int, path: String) throws(FileError) {
  // Such files have less than 1024 bytes, and begin so.
  let start = Array("version https://git-lfs.github.com/spec/".utf8)
  guard (start.count..<1024).contains(size) else { return }
  let bytes = try readBytes(0..<start.count, of: descriptor, path: path)
  guard bytes != start else { throw .isPointer(path: path) }
}

/// The bytes of `range` of an open file, however many calls that takes; fewer where the file ends before.
func readBytes(
  _ range: Range<Int>, of descriptor: Int32, path: String
) throws(FileError) -> [UInt8] {
  precondition(range.lowerBound >= 0, "read before the start")
  var bytes = [UInt8](repeating: 0, count: range.count)
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(
        descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done,
        range.lowerBound + done)
    }
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw .system(.read, path: path, code: errno) }
    if count == 0 { break }
    done += count
  }
  bytes.removeLast(bytes.count - done)
  return bytes
}
