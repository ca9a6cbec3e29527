import Glibc

/// Operations on a directory and everything in it; links are never followed.
extension FileSystem {
  /// Removes `path` and, when it is a directory, all that is in it; nothing there is no error.
  ///
  /// Read-only directories that this user owns are made writable first.
  ///
  /// - Throws: `FileError.system`.
  public static func removeTree(_ path: String) throws(FileError) {
    try removeTree(RawPath(path))
  }

  private static func removeTree(_ path: RawPath) throws(FileError) {
    guard let info = try info(path) else { return }
    guard info.kind == .directory else { return try remove(path, directory: false) }
    let place = "\(path)"
    // Others may take the directory away, or put something into it, between two steps.
    for _ in 0..<100 {
      do throws(FileError) {
        if info.mode & 0o700 != 0o700 { try changeMode(path, 0o700) }
        for entry in try list(path) { try removeTree(path.appending(entry.name)) }
        return try remove(path, directory: true)
      } catch {
        switch error {
        case .system(_, place, ENOENT): return
        case .system(.remove, place, ENOTEMPTY): continue
        default: throw error
        }
      }
    }
    throw .system(.remove, path: place, code: ENOTEMPTY)
  }

  /// Takes write permission away from `path` and, when it is a directory, all that is in it.
  ///
  /// - Throws: `FileError.system`.
  public static func makeReadOnly(_ path: String) throws(FileError) {
    try walk(RawPath(path)) { path, info throws(FileError) in
      if info.kind != .symbolicLink { try changeMode(path, info.mode & ~0o222) }
    }
  }

  /// As ``makeReadOnly(_:)``, as far as the file system of `path` keeps permissions: those of other systems, as on many USB
  /// disks and shares, refuse them even to whoever has made the files.
  ///
  /// - Throws: `FileError.system`.
  public static func protect(_ path: String) throws(FileError) {
    do throws(FileError) {
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
  /// - Throws: `FileError.system`.
  public static func makeWritable(_ path: String) throws(FileError) {
    try walk(RawPath(path)) { path, info throws(FileError) in
      guard info.kind != .symbolicLink else { return }
      try changeMode(path, info.mode | (info.kind == .directory ? 0o700 : 0o600))
    }
  }

  /// Gives the owner of the directory `path` all permissions on it.
  ///
  /// - Throws: `FileError.system`.
  public static func openToOwner(_ path: String) throws(FileError) {
    guard let info = try info(path), info.kind == .directory else { return }
    try changeMode(RawPath(path), info.mode | 0o700)
  }

  /// Lets the owner read `path` and, when it is a directory, all that is in it.
  ///
  /// - Throws: `FileError.system`.
  public static func makeReadable(_ path: String) throws(FileError) {
    try walk(RawPath(path)) { path, info throws(FileError) in
      // What may be read already may be somebody else's.
      guard let needed = neededToRead(info), info.mode & needed != needed else { return }
      try changeMode(path, info.mode | needed)
    }
  }

  /// The first of `path` and all that is in it that its owner may not read; nil when he may read everything.
  ///
  /// - Throws: `FileError.system`.
  public static func firstUnreadable(in path: String) throws(FileError) -> String? {
    try firstUnreadable(in: RawPath(path))
  }

  private static func firstUnreadable(in path: RawPath) throws(FileError) -> String? {
    guard let info = try info(path), let needed = neededToRead(info) else { return nil }
    if info.mode & needed != needed { return "\(path)" }
    guard info.kind == .directory else { return nil }
    for entry in try list(path) {
      if let found = try firstUnreadable(in: path.appending(entry.name)) { return found }
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
  /// - Throws: `FileError.system`.
  public static func syncTree(_ path: String) throws(FileError) {
    try walk(RawPath(path)) { path, info throws(FileError) in
      switch info.kind {
      case .file: try sync(path, isDirectory: false)
      case .directory: try sync(path, isDirectory: true)
      case .symbolicLink, .other: break
      }
    }
  }

  /// Calls `body` with `path` and all that is in it, a directory before its entries; nothing there is no error.
  private static func walk(
    _ path: RawPath, _ body: (RawPath, Info) throws(FileError) -> Void
  ) throws(FileError) {
    guard let info = try info(path) else { return }
    try body(path, info)
    guard info.kind == .directory else { return }
    for entry in try list(path) { try walk(path.appending(entry.name), body) }
  }

  private static func changeMode(_ path: RawPath, _ mode: UInt32) throws(FileError) {
    guard unsafe chmod(path.characters, mode) == 0 else {
      throw .system(.changeMode, path: "\(path)", code: errno)
    }
    record(.changeMode("\(path)", mode))
  }

  private static func remove(_ path: RawPath, directory: Bool) throws(FileError) {
    let status = unsafe directory ? rmdir(path.characters) : unlink(path.characters)
    guard status == 0 || errno == ENOENT else {
      throw .system(.remove, path: "\(path)", code: errno)
    }
    if status == 0 { record(.remove("\(path)")) }
  }
}
