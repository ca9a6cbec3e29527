import Glibc

/// Operations on files and directories that say which path refused, and why.
public enum FileSystem {
  /// What stands under a path.
  public enum Kind: Sendable, Equatable {
    case file, directory, symbolicLink, other
  }

  /// What the system knows about a path, without following a link at its end.
  public struct Info: Sendable, Equatable {
    /// File, directory, link or something else.
    public let kind: Kind
    /// Bytes of a file.
    public let size: Int
    /// Seconds since 1970.
    public let modified: Double
    /// Seconds since 1970 at which content, names or permissions last changed; no program can set it.
    public let changed: Double
    /// Permission bits.
    public let mode: UInt32
    /// Number of the file system; with `inode`, it tells one file from every other.
    public let device: UInt64
    /// Number of the file in its file system.
    public let inode: UInt64
    /// How many names the file has.
    public let links: Int
    /// Bytes that it takes on the disk.
    public let allocated: Int

    /// Whether both are of one file.
    package func isSame(as other: Info) -> Bool { inode == other.inode && device == other.device }
  }

  /// An entry of a directory.
  public struct Entry: Sendable, Equatable {
    /// Last component of the path, which need not be a text.
    public let name: FileName
    /// File, directory, link or something else.
    public let kind: Kind
  }

  /// What stands under `path`, or nil when nothing does.
  ///
  /// - Throws: `FileError.system(.inspect)`.
  public static func info(_ path: String) throws(FileError) -> Info? {
    try info(RawPath(path))
  }

  /// What stands under `path`, or nil when nothing does.
  ///
  /// - Throws: `FileError.system(.inspect)`.
  package static func info(_ path: RawPath) throws(FileError) -> Info? {
    var status = stat()
    guard unsafe lstat(path.characters, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system(.inspect, path: "\(path)", code: errno)
    }
    return Info(
      kind: kind(status.st_mode), size: Int(status.st_size),
      modified: seconds(status.st_mtim), changed: seconds(status.st_ctim),
      mode: status.st_mode & 0o7777, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      links: Int(status.st_nlink), allocated: Int(status.st_blocks) * 512)
  }

  private static func seconds(_ time: timespec) -> Double {
    Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// What kind of thing stands under `path`; nil where nothing does, and where that cannot be found out.
  package static func kind(of path: String) -> Kind? { (try? info(path))?.kind }

  /// The absolute path of what stands under `path`, which leads there without links and steps upwards.
  ///
  /// It keeps its meaning whatever becomes of the working directory.
  /// - Throws: `FileError.system(.inspect)`, for one when nothing stands there, or `.notText` where it leads through a name
  ///   that is not UTF-8.
  public static func resolved(_ path: String) throws(FileError) -> String {
    guard let real = unsafe realpath(path, nil) else {
      throw .system(.inspect, path: path, code: errno)
    }
    defer { unsafe free(real) }
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .notText(path: FileName.spelledOut(bytes))
    }
    return text
  }

  /// The entries of the directory at `path` in byte order of their names, links not followed.
  ///
  /// - Throws: `FileError.system`.
  public static func list(_ path: String) throws(FileError) -> [Entry] {
    try list(RawPath(path))
  }

  /// The entries of the directory at `path`, as above.
  ///
  /// - Throws: `FileError.system`.
  package static func list(_ path: RawPath) throws(FileError) -> [Entry] {
    let names = try names(in: path)
    var entries: [Entry] = []
    for name in names {
      // An entry may vanish between the two calls; then it is simply not listed.
      if let info = try info(path.appending(name)) {
        entries.append(Entry(name: name, kind: info.kind))
      }
    }
    return entries
  }

  /// Creates the directory `path` and what is missing above it.
  ///
  /// Who may do what there is for the user's umask to say, as a group may share it; of what is private, only the owner
  /// may do anything. The names of what it creates are on the disk when it returns, unless `lasts` is false, as for what
  /// is only on its way.
  ///
  /// - Throws: `FileError.system`.
  public static func createDirectory(
    _ path: String, isPrivate: Bool = false, lasts: Bool = true
  ) throws(FileError) {
    let mode: mode_t = isPrivate ? 0o700 : 0o777
    if unsafe mkdir(path, mode) == 0 { return try created(path, lasts) }
    switch errno {
    case EEXIST where try isDirectory(path): return
    case ENOENT where FilePath.parent(of: path) != path:
      try createDirectory(FilePath.parent(of: path), isPrivate: isPrivate, lasts: lasts)
      if unsafe mkdir(path, mode) == 0 { return try created(path, lasts) }
      guard errno == EEXIST else { throw .system(.makeDirectory, path: path, code: errno) }
    default: throw .system(.makeDirectory, path: path, code: errno)
    }
  }

  private static func created(_ path: String, _ lasts: Bool) throws(FileError) {
    record(.makeDirectory(path))
    guard lasts else { return }
    do throws(FileError) {
      try syncDirectory(FilePath.parent(of: path))
    } catch {
      // A folder into which one may put something, but not look.
      guard error.isDenied else { throw error }
    }
  }

  /// Brings the names in the directory `path` to the disk.
  ///
  /// - Throws: `FileError.system(.sync)`.
  public static func syncDirectory(_ path: String) throws(FileError) {
    try sync(RawPath(path), isDirectory: true)
  }

  /// Brings what was done with the name `path` to the disk: that something has got it, or nothing has it any more.
  ///
  /// - Throws: `FileError.system(.confirm)`; then it is done all the same, and may be undone by a loss of power.
  public static func confirm(_ path: String) throws(FileError) {
    do throws(FileError) {
      try syncDirectory(FilePath.parent(of: path))
    } catch {
      guard case .system(_, _, let code) = error else { throw error }
      throw .system(.confirm, path: path, code: code)
    }
  }

  /// Brings the content of the file `path` to the disk.
  ///
  /// - Throws: `FileError.system(.sync)`.
  public static func syncFile(_ path: String) throws(FileError) {
    try sync(RawPath(path), isDirectory: false)
  }

  static func sync(_ path: RawPath, isDirectory: Bool) throws(FileError) {
    let file = unsafe open(
      path.characters, O_RDONLY | O_CLOEXEC | (isDirectory ? O_DIRECTORY : 0))
    guard file >= 0 else { throw .system(.open, path: "\(path)", code: errno) }
    defer { close(file) }
    // Some file systems cannot sync a directory and say EINVAL; their renames are as safe as they get.
    guard fsync(file) == 0 || errno == EINVAL else {
      throw .system(.sync, path: "\(path)", code: errno)
    }
    record(.sync("\(path)"))
  }

  /// Whether `path` is a directory, or a link to one.
  public static func isDirectory(following path: String) -> Bool {
    (try? isDirectory(path)) ?? false
  }

  /// Whether something stands under `path`, and, where that is a link, under what it leads to.
  package static func exists(following path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// Whether this process may put something into the directory at `path`.
  ///
  /// Root may write where nobody may, but not in what the kernel makes up, such as `/proc`, which has no room for files.
  package static func isWritable(directory path: String) -> Bool {
    guard unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 else { return false }
    guard let info = try? FileSystem.info(path), info.mode & 0o222 == 0 else { return true }
    return (try? space(at: path))?.capacity != 0
  }

  static func isDirectory(_ path: String) throws(FileError) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw .system(.inspect, path: path, code: errno)
    }
    return kind(status.st_mode) == .directory
  }

  static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFLNK: .symbolicLink
    default: .other
    }
  }

  private static func names(in path: RawPath) throws(FileError) -> [FileName] {
    guard let directory = unsafe opendir(path.characters) else {
      throw .system(.list, path: "\(path)", code: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [FileName] = []
    errno = 0
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: UInt8.self, capacity: 256) {
          let field = unsafe UnsafeBufferPointer(start: $0, count: 256)
          return unsafe FileName(bytes: Array(field.prefix { $0 != 0 }))
        }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .system(.list, path: "\(path)", code: errno) }
    return names.sorted()
  }
}
