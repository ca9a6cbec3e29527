import CSystem
import Glibc

extension FileSystem {
  /// Gives the file `source` a second name, or copies it where the file system cannot.
  ///
  /// - Throws: `TensorFileError.system`; an existing `target` is an error.
  /// - Returns: true when both names now share one file.
  @discardableResult
  public static func linkOrCopy(
    _ source: String, to target: String
  ) throws(TensorFileError) -> Bool {
    if unsafe link(source, target) == 0 { return true }
    guard [EXDEV, EPERM, EMLINK, ENOTSUP, EACCES].contains(errno) else {
      throw .system(.link, path: target, code: errno)
    }
    try copyFile(source, to: target)
    return false
  }

  /// Copies the regular file `source` to the new file `target`, sharing blocks where the file system can, and brings it
  /// to the disk.
  ///
  /// - Throws: `TensorFileError.system` or `.notRegular`; an existing `target` is an error.
  public static func copyFile(_ source: String, to target: String) throws(TensorFileError) {
    let input = unsafe open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else { throw .system(.open, path: source, code: errno) }
    defer { close(input) }
    let stamp = try FileStamp(descriptor: input, path: source)
    guard stamp.isRegular else { throw .notRegular(path: source) }
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard output >= 0 else { throw .system(.create, path: target, code: errno) }
    defer { close(output) }
    do throws(TensorFileError) {
      try copyBytes(from: input, to: output, count: stamp.size, source: source, target: target)
      guard fsync(output) == 0 else { throw .system(.sync, path: target, code: errno) }
    } catch {
      unsafe unlink(target)
      throw error
    }
  }

  private static func copyBytes(
    from input: Int32, to output: Int32, count: Int, source: String, target: String
  ) throws(TensorFileError) {
    var left = count
    while left > 0 {
      let copied = copy_file_range(input, nil, output, nil, left, 0)
      if copied < 0 && errno == EINTR { continue }
      if copied < 0 && left == count {
        return try copyThroughMap(source, to: output, target: target)
      }
      guard copied >= 0 else { throw .system(.copy, path: target, code: errno) }
      guard copied > 0 else { throw .changed(path: source) }
      left -= copied
    }
  }

  /// For file systems that do not copy by themselves.
  static func copyThroughMap(
    _ source: String, to output: Int32, target: String
  ) throws(TensorFileError) {
    let file = try MappedFile(path: source)
    try writeAll(file.bytes, to: output, path: target)
    try file.checkUnchanged()
  }

  /// All bytes of the file `path`, which may have up to `limit`.
  ///
  /// - Throws: `TensorFileError.system`, `.notRegular` or `.tooLarge`.
  public static func read(_ path: String, limit: Int) throws(TensorFileError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .system(.open, path: path, code: errno) }
    defer { close(file) }
    let stamp = try FileStamp(descriptor: file, path: path)
    guard stamp.isRegular else { throw .notRegular(path: path) }
    guard stamp.size <= limit else { throw .tooLarge(path: path, size: stamp.size, limit: limit) }
    var bytes = [UInt8](repeating: 0, count: stamp.size)
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(file, $0.baseAddress.map { unsafe $0 + offset }, $0.count - offset, offset)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(.read, path: path, code: errno) }
      guard count > 0 else { throw .changed(path: path) }
      offset += count
    }
    return bytes
  }
}
