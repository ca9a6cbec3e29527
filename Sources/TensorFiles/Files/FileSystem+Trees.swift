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

  /// As ``makeReadOnly(_:)``, as far as the file system of `path` keeps permissions: those of other systems, as on many USB
  /// disks and shares, refuse them even to whoever has made the files.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func protect(_ path: String) throws(TensorFileError) {
    do throws(TensorFileError) {
      try makeReadOnly(path)
    } catch {
      switch error {
      case .system(.changeMode, _, EPERM), .system(.changeMode, _, ENOSYS),
        .system(.changeMode, _, ENOTSUP):
        return
      default: throw error
      }
    }
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

  /// Lets the owner read `path` and, when it is a directory, all that is in it.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func makeReadable(_ path: String) throws(TensorFileError) {
    guard let info = try info(path), let needed = neededToRead(info) else { return }
    // What may be read already may be somebody else's.
    if info.mode & needed != needed { try changeMode(path, info.mode | needed) }
    guard info.kind == .directory else { return }
    for entry in try list(path) { try makeReadable(FilePath.join(path, entry.name)) }
  }

  /// The first of `path` and all that is in it that its owner may not read; nil when he may read everything.
  ///
  /// - Throws: `TensorFileError.system`.
  public static func firstUnreadable(in path: String) throws(TensorFileError) -> String? {
    guard let info = try info(path), let needed = neededToRead(info) else { return nil }
    if info.mode & needed != needed { return path }
    guard info.kind == .directory else { return nil }
    for entry in try list(path) {
      if let found = try firstUnreadable(in: FilePath.join(path, entry.name)) { return found }
    }
    return nil
  }

  /// Permission bits without which an owner cannot read; nil for what has none of its own.
  private static func neededToRead(_ info: Info) -> UInt32? {
    switch info.kind {
    case .directory: 0o500
    case .file: 0o400
    case .symbolicLink, .other: nil
    }
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
    record(.changeMode(path, mode))
  }

  private static func remove(_ path: String, directory: Bool) throws(TensorFileError) {
    let status = unsafe directory ? rmdir(path) : unlink(path)
    guard status == 0 || errno == ENOENT else {
      throw .system(.remove, path: path, code: errno)
    }
    if status == 0 { record(.remove(path)) }
  }
}
