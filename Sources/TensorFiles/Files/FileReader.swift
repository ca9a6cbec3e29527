import Glibc
import Kernels

/// A file that is read piece by piece.
///
/// Unlike a mapping, a read of a bad disk or of a file that was cut is an error that can be caught.
public final class FileReader: Sendable {
  /// The path that the file was opened with.
  public let path: String
  /// Bytes that the file had when it was opened.
  public let size: Int
  private let descriptor: Int32
  private let stamp: FileStamp

  /// Bytes that are read at once: few enough to stay in a processor's own cache.
  private static let piece = 256 << 10

  /// Opens the regular file at `path`, which may be empty.
  ///
  /// - Throws: `TensorFileError.system` or `.notRegular`.
  public init(path: String) throws(TensorFileError) {
    self.path = path
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(.open, path: path, code: errno) }
    do throws(TensorFileError) {
      stamp = try FileStamp(descriptor: descriptor, path: path)
      guard stamp.isRegular else { throw .notRegular(path: path) }
    } catch {
      close(descriptor)
      throw error
    }
    size = stamp.size
  }

  deinit {
    close(descriptor)
  }

  /// The bytes of `range`.
  ///
  /// - Throws: `TensorFileError.system(.read)`, or `.changed` when the file ends before the range does.
  public func read(_ range: Range<Int>) throws(TensorFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    try fill(&bytes, range.count, from: range.lowerBound)
    return bytes
  }

  /// SHA-256 of the bytes of `range`, 64 lowercase hexadecimal digits; nil once `isCancelled` says so.
  ///
  /// - Throws: as `read`.
  public func sha256(
    _ range: Range<Int>, isCancelled: () -> Bool = { false }
  ) throws(TensorFileError) -> String? {
    var digest = MessageDigest(.sha256)
    var buffer = [UInt8](repeating: 0, count: min(Self.piece, range.count))
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
      if isCancelled() { return nil }
      let count = min(Self.piece, range.upperBound - start)
      try fill(&buffer, count, from: start)
      digest.update(buffer, count: count)
    }
    return hexadecimal(digest.finish())
  }

  /// Asks the system whether the file still has the size and the modification time that it was opened with.
  ///
  /// - Throws: `TensorFileError.changed` when it has not.
  public func checkUnchanged() throws(TensorFileError) {
    guard try FileStamp(descriptor: descriptor, path: path) == stamp else {
      throw .changed(path: path)
    }
  }

  private func fill(
    _ buffer: inout [UInt8], _ count: Int, from start: Int
  ) throws(TensorFileError) {
    precondition(start >= 0 && count <= buffer.count, "the range is not in the file")
    var done = 0
    while done < count {
      let got = unsafe buffer.withUnsafeMutableBytes {
        unsafe pread(
          descriptor, $0.baseAddress.map { unsafe $0 + done }, count - done, start + done)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .system(.read, path: path, code: errno) }
      guard got > 0 else { throw .changed(path: path) }
      done += got
    }
  }
}
