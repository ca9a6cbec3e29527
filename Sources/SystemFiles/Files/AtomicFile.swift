import Glibc

/// A file that appears under its name complete, or not at all.
///
/// Bytes go to a hidden sibling in the same directory; `commit()` brings them to the disk and renames the sibling over
/// the name, so that readers see the old file or the new one. A value that goes away uncommitted removes the sibling.
public struct AtomicFile: ~Copyable {
  /// Where the file will appear.
  public let path: String
  /// Bytes written so far.
  public private(set) var count = 0
  private let sibling: String
  private let descriptor: Int32
  private var isOpen = true
  private var buffer: [UInt8] = []

  /// Creates the sibling of `path`.
  ///
  /// - Throws: `FileError.notRegular` for a device or a pipe, which nothing may take the place of, or `.system(.create)`.
  public init(path: String) throws(FileError) {
    self.path = path
    sibling = FilePath.sibling(of: path)
    let isInTheWay = FileSystem.kind(of: path) == .other
    descriptor =
      isInTheWay ? -1 : unsafe open(sibling, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard !isInTheWay else { throw .notRegular(path: path) }
    guard descriptor >= 0 else { throw .system(.create, path: path, code: errno) }
    FileSystem.record(.create(sibling))
  }

  deinit {
    if isOpen {
      close(descriptor)
      if unsafe unlink(sibling) == 0 { FileSystem.record(.remove(sibling)) }
    }
  }

  /// Appends `bytes`.
  ///
  /// - Throws: `FileError.system(.write)`.
  public mutating func write(_ bytes: [UInt8]) throws(FileError) {
    if bytes.count < 4096 {
      buffer += bytes
      count += bytes.count
      if buffer.count >= 65_536 { try flush() }
    } else {
      try write(TensorBytes(bytes))
    }
  }

  /// Appends `bytes`.
  ///
  /// - Throws: `FileError.system(.write)`.
  public mutating func write(_ bytes: TensorBytes) throws(FileError) {
    try flush()
    try writeAll(bytes, to: descriptor, path: path)
    FileSystem.record(.write(sibling, count..<count + bytes.count))
    count += bytes.count
  }

  /// Appends zeros up to the next multiple of `alignment`.
  ///
  /// - Throws: `FileError.system(.write)`.
  public mutating func pad(to alignment: Int) throws(FileError) {
    let rest = count % alignment
    if rest > 0 { try write([UInt8](repeating: 0, count: alignment - rest)) }
  }

  /// Brings everything to the disk and the file to its name.
  ///
  /// - Throws: `FileError.system`; then nothing has changed under the name, but for `.confirm`: see `FileSystem.confirm`.
  public consuming func commit() throws(FileError) {
    try flush()
    guard fsync(descriptor) == 0 else { throw .system(.sync, path: path, code: errno) }
    FileSystem.record(.sync(sibling))
    try FileSystem.rename(sibling, to: path)
    isOpen = false
    close(descriptor)
    try FileSystem.confirm(path)
  }

  private mutating func flush() throws(FileError) {
    guard !buffer.isEmpty else { return }
    try writeAll(TensorBytes(buffer), to: descriptor, path: path)
    FileSystem.record(.write(sibling, count - buffer.count..<count))
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes a whole file in one call.
  ///
  /// - Throws: `FileError.system`.
  public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    var file = try AtomicFile(path: path)
    try file.write(bytes)
    try file.commit()
  }
}

/// Writes all of `bytes`, however many calls that takes.
func writeAll(
  _ bytes: TensorBytes, to descriptor: Int32, path: String
) throws(FileError) {
  var offset = 0
  while offset < bytes.count {
    let written = unsafe bytes.slice(offset..<bytes.count).withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    if written < 0 && errno == EINTR { continue }
    if written < 0 && errno == EFAULT {
      // A call does not fault on pages that a mapped file lost, a copy does; whoever mapped it finds out by asking.
      let copy = TensorBytes(bytes.slice(offset..<min(offset + 65_536, bytes.count)).array)
      try writeAll(copy, to: descriptor, path: path)
      offset += copy.count
      continue
    }
    guard written > 0 else { throw .system(.write, path: path, code: written < 0 ? errno : EIO) }
    offset += written
  }
}
