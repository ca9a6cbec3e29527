import CFMSystem
import Glibc

extension FileSystem {
  /// Gives the file `source` a second name, or copies it where the file system cannot; `progress` is told as of a copy.
  ///
  /// - Throws: `FileError.system`; an existing `target` is an error.
  /// - Returns: true when both names now share one file.
  @discardableResult
  public static func linkOrCopy(
    _ source: String, to target: String, progress: (_ bytes: Int) -> Void = { _ in }
  ) throws(FileError) -> Bool {
    if unsafe link(source, target) == 0 {
      record(.link(source, to: target))
      return true
    }
    guard [EXDEV, EPERM, EMLINK, ENOTSUP, ENOSYS, EACCES].contains(errno) else {
      throw .system(.link, path: target, code: errno)
    }
    try copyFile(source, to: target, progress: progress)
    return false
  }

  /// Copies the regular file `source` to the new file `target`, sharing blocks where the file system can, and brings it
  /// to the disk; `progress` is told of each run of bytes that is there.
  ///
  /// - Throws: `FileError.system` or `.notRegular`; an existing `target` is an error.
  public static func copyFile(
    _ source: String, to target: String, progress: (_ bytes: Int) -> Void = { _ in }
  ) throws(FileError) {
    let input = try FileReader(path: source)
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard output >= 0 else { throw .system(.create, path: target, code: errno) }
    record(.create(target))
    defer { close(output) }
    do throws(FileError) {
      try copyBytes(from: input, to: output, target: target, progress)
      record(.write(target, 0..<input.size))
      try input.checkUnchanged()
      guard fsync(output) == 0 else { throw .system(.sync, path: target, code: errno) }
      record(.sync(target))
    } catch {
      if unsafe unlink(target) == 0 { record(.remove(target)) }
      throw error
    }
  }

  /// Bytes that the system copies at once: as many as there is nothing to say of meanwhile.
  private static let run = 64 << 20

  private static func copyBytes(
    from input: FileReader, to output: Int32, target: String, _ progress: (Int) -> Void
  ) throws(FileError) {
    var left = input.size
    while left > 0 {
      let copied = copy_file_range(input.descriptor, nil, output, nil, min(left, run), 0)
      if copied < 0 && errno == EINTR { continue }
      if copied < 0 && left == input.size {
        return try copyPieces(of: input, to: output, target: target, progress)
      }
      guard copied >= 0 else { throw .system(.copy, path: target, code: errno) }
      guard copied > 0 else { throw .changed(path: input.path) }
      left -= copied
      progress(copied)
    }
  }

  /// For file systems that do not copy by themselves.
  static func copyPieces(
    of input: FileReader, to output: Int32, target: String, _ progress: (Int) -> Void = { _ in }
  ) throws(FileError) {
    try input.forEachPiece(of: 0..<input.size) { piece throws(FileError) in
      try writeAll(TensorBytes(piece), to: output, path: target)
      progress(piece.count)
    }
  }

  /// All bytes of the file `path`, which may have up to `limit`.
  ///
  /// - Throws: `FileError.system`, `.notRegular` or `.tooLarge`.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let file = try FileReader(path: path)
    guard file.size <= limit else { throw .tooLarge(path: path, size: file.size, limit: limit) }
    return try file.read(0..<file.size)
  }
}
