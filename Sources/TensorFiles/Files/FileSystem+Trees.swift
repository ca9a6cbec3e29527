import Glibc

/// Operations on a directory and everything in it; links are never followed.
extension FileSystem {
  /// Removes `path` and, when it is a directory, all that is in it; nothing there is no error.
  ///
  /// Read-only directories that this user owns are made writable first.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func removeTree(_ path: String) throws(TensorFileError) {
    guard let info = try info(path) else { return }
    guard info.kind == .directory else { return try remove(path, directory: false) }
    // Others may take the directory away, or put something into it, between two steps.
    for _ in 0..<100 {
      do throws(TensorFileError) {
        if info.mode & 0o700 != 0o700 { try changeMode(path, 0o700) }
        for entry in try list(path) { try removeTree(FilePath.join(path, entry.name)) }
        return try remove(path, directory: true)
      } catch {
        switch error {
        case .system(_, path, ENOENT): return
        case .system(.remove, path, ENOTEMPTY): continue
        default: throw error
        }
      }
    }
    throw .system(.remove, path: path, code: ENOTEMPTY)
  }

  /// Takes write permission away from `path` and, when it is a directory, all that is in it.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func makeReadOnly(_ path: String) throws(TensorFileError) {
    guard let info = try info(path), info.kind != .symbolicLink else { return }
    if info.kind == .directory {
      for entry in try list(path) { try makeReadOnly(FilePath.join(path, entry.name)) }
    }
    try changeMode(path, info.mode & ~0o222)
  }

  /// Gives the owner write permission on `path` and, when it is a directory, all that is in it.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func makeWritable(_ path: String) throws(TensorFileError) {
    guard let info = try info(path), info.kind != .symbolicLink else { return }
    try changeMode(path, info.mode | (info.kind == .directory ? 0o700 : 0o600))
    if info.kind == .directory {
      for entry in try list(path) { try makeWritable(FilePath.join(path, entry.name)) }
    }
  }

  /// Gives the owner of the directory `path` all permissions on it.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func openToOwner(_ path: String) throws(TensorFileError) {
    guard let info = try info(path), info.kind == .directory else { return }
    try changeMode(path, info.mode | 0o700)
  }

  /// Brings `path` and, when it is a directory, all that is in it to the disk.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func syncTree(_ path: String) throws(TensorFileError) {
    guard let info = try info(path) else { return }
    switch info.kind {
    case .file: try syncFile(path)
    case .directory:
      for entry in try list(path) { try syncTree(FilePath.join(path, entry.name)) }
      try syncDirectory(path)
    case .symbolicLink, .other: break
    }
  }

  private static func changeMode(_ path: String, _ mode: UInt32) throws(TensorFileError) {
    guard unsafe chmod(path, mode) == 0 else {
      throw .system(.changeMode, path: path, code: errno)
    }
  }

  private static func remove(_ path: String, directory: Bool) throws(TensorFileError) {
    let status = unsafe directory ? rmdir(path) : unlink(path)
    guard status == 0 || errno == ENOENT else {
      throw .system(.remove, path: path, code: errno)
    }
  }
}
