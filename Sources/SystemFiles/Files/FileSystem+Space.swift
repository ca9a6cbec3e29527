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
  /// - Throws: `FileError.system(.inspect)`.
  public static func space(at path: String) throws(FileError) -> Space {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else {
      throw .system(.inspect, path: path, code: errno)
    }
    func bytes(_ blocks: UInt) -> Int {
      let (bytes, overflow) = Int(clamping: blocks)
        .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
      return overflow ? .max : bytes
    }
    return Space(free: bytes(status.f_bavail), capacity: bytes(status.f_blocks))
  }

  /// Bytes that this user may still write to the file system of `path`; nil where the system does not tell.
  public static func availableBytes(_ path: String) -> Int? { (try? space(at: path))?.free }
}
