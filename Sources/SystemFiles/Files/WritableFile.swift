import CFMSystem
import Glibc

/// A file that is written at any place, by any number of threads at once; closed when the last reference goes.
public final class WritableFile: Sendable {
  /// The path that the file was opened with.
  public let path: String
  private let descriptor: Int32

  /// Opens the regular file at `path` for reading and writing, or creates it empty when nothing is there.
  ///
  /// - Throws: `FileError.system` or `.notRegular`.
  public convenience init(path: String) throws(FileError) {
    try self.init(path, O_NONBLOCK | O_NOFOLLOW, mode: 0o666)
  }

  /// Creates a file at `path`, where nothing is, and takes its name away: it is gone when the last reference goes, or the
  /// program ends.
  ///
  /// - Throws: `FileError.system`.
  convenience init(withoutNameAt path: String) throws(FileError) {
    try self.init(path, O_EXCL, mode: 0o600)
    _ = unsafe unlink(path)
  }

  private init(_ path: String, _ flags: Int32, mode: mode_t) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, mode)
    guard descriptor >= 0 else { throw .system(.create, path: path, code: errno) }
    do throws(FileError) {
      guard try FileStamp(descriptor: descriptor, path: path).isRegular else {
        throw FileError.notRegular(path: path)
      }
    } catch {
      close(descriptor)
      throw error
    }
    FileSystem.record(.create(path))
  }

  deinit {
    close(descriptor)
  }

  /// Bytes of the file now.
  public var size: Int {
    get throws(FileError) { try FileStamp(descriptor: descriptor, path: path).size }
  }

  /// Writes all of `bytes` from byte `offset` on; the file grows when they reach beyond its end.
  ///
  /// - Throws: `FileError.system(.write)`; then any part of the bytes may have been written.
  public func write(_ bytes: RawSpan, at offset: Int) throws(FileError) {
    try unsafe bytes.withUnsafeBytes { buffer throws(FileError) in
      try unsafe write(buffer, at: offset)
    }
  }

  /// Writes all of `bytes` from byte `offset` on; the file grows when they reach beyond its end.
  ///
  /// - Throws: `FileError.system(.write)`; then any part of the bytes may have been written.
  public func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    try unsafe write(bytes.span.bytes, at: offset)
  }

  /// The bytes of `range`, fewer where the file ends before.
  ///
  /// - Throws: `FileError.system(.read)`.
  public func read(_ range: Range<Int>) throws(FileError) -> [UInt8] {
    try readBytes(range, of: descriptor, path: path)
  }

  /// Makes the file `size` bytes long and reserves room for all of them, where the file system can.
  ///
  /// - Throws: `FileError.system`, for one when there is no room.
  public func reserve(_ size: Int) throws(FileError) {
    precondition(size >= 0, "a negative size")
    if size > 0 {
      while fallocate(descriptor, 0, 0, Int64(size)) != 0 {
        if errno == EINTR { continue }
        // Without this call the room cannot be promised, only the length set.
        guard [EOPNOTSUPP, ENOSYS, EINVAL].contains(errno) else {
          throw .system(.reserve, path: path, code: errno)
        }
        break
      }
    }
    try cut(to: size)
  }

  /// Makes the file `size` bytes long, by cutting it or by adding zeros.
  ///
  /// - Throws: `FileError.system(.cut)`.
  public func cut(to size: Int) throws(FileError) {
    guard ftruncate(descriptor, size) == 0 else { throw .system(.cut, path: path, code: errno) }
    FileSystem.record(.cut(path, to: size))
  }

  /// Brings the content to the disk.
  ///
  /// - Throws: `FileError.system(.sync)`.
  public func sync() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw .system(.sync, path: path, code: errno) }
    FileSystem.record(.sync(path))
  }

  @unsafe
  private func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileError) {
    precondition(offset >= 0, "write before the start")
    var done = 0
    while done < buffer.count {
      let count = unsafe pwrite(
        descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
        offset + done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system(.write, path: path, code: count < 0 ? errno : EIO) }
      done += count
    }
    unsafe FileSystem.record(.write(path, offset..<offset + buffer.count))
  }
}
