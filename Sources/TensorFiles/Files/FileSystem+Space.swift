import Glibc

extension FileSystem {
  /// How much a file system holds.
  public struct Space: Sendable, Equatable {
    /// Bytes that this user may still write.
    public let free: Int
    /// Bytes of the whole file system.
    public let capacity: Int
  }

  /// The space of the file system that `path` is on.
  ///
  /// - Throws: `TensorFileError.system(.inspect)`.
  public static func space(at path: String) throws(TensorFileError) -> Space {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else {
      throw .system(.inspect, path: path, code: errno)
    }
    let unit = Int(status.f_frsize)
    return Space(
      free: Int(clamping: status.f_bavail) * unit, capacity: Int(clamping: status.f_blocks) * unit)
  }
}
