import Adapters
import FoundationEssentials
import SystemFiles

/// A directory of one process for one entry on its way into the store.
///
/// ```
/// ingest/<name>/lock    held from before the name is there until the process has done with it; only ever a hint
/// ingest/<name>/item/   what will be renamed to the installed name
/// ingest/<name>/part/   a download that has not ended
/// ```
/// `ingest` is that of the disk on which the installed name is, see ``StoreLayout/ingest(for:)``.
/// Nothing of it is visible under an installed name before the rename.
struct Ingest: Sendable {
  let path: String
  private let lock: FileLock?

  /// Where the entry is put together.
  var item: String { FilePath.join(path, "item") }

  /// Where a download is put together.
  var parts: String { FilePath.join(path, Self.parts) }

  static let parts = "part"

  /// Creates the directory, on the disk of `target`, which is a place of the store.
  init(
    in layout: StoreLayout, name: IngestName, for target: String
  ) throws(FileError) {
    try self.init(in: layout.ingest(for: target), name)
  }

  /// Creates the directory in `folder`.
  init(in folder: String, _ name: IngestName) throws(FileError) {
    path = FilePath.join(folder, name.text)
    // Whoever sees the name asks for the lock, and would take that of a moment later away.
    let hidden = FilePath.sibling(of: path)
    do throws(FileError) {
      try FileSystem.createDirectory(folder)
      try FileSystem.createDirectory(FilePath.join(hidden, "item"), lasts: false)
      lock = try Self.taken(Self.lock(in: hidden))
      try FileSystem.rename(hidden, to: path)
    } catch {
      try? FileSystem.removeTree(hidden)
      throw error
    }
  }

  /// The lock on the file `path`; nil on a file system without locks, which is no reason to fail: nothing correct depends on it.
  private static func taken(_ path: String) throws(FileError) -> FileLock? {
    do throws(FileError) {
      return try FileLock(path: path)
    } catch {
      guard case .system(.lock, _, _) = error else { throw error }
      return nil
    }
  }

  /// Where the lock of the directory at `path` is.
  static func lock(in path: String) -> String { FilePath.join(path, "lock") }

  /// Ends it after `error`: nothing is left but what an exchange has brought out, where the disk may still have that under its name.
  func abandon(after error: StoreError) {
    if error.fileError?.isUnconfirmed == true { return }
    try? remove()
  }

  /// Removes what is left of it.
  func remove() throws(FileError) {
    // On NFS and in FUSE a file that is removed while it is open keeps a name in its folder, which then has to stay.
    lock?.release()
    try FileSystem.removeTree(path)
  }
}

/// Removes what processes that ended too early have left, but for downloads that the next attempt can go on from.
struct IngestCollector: Sendable {
  let layout: StoreLayout
  private let boot: String
  private let process: String
  let now: Date

  /// Seconds after which the directory of somebody whose locks cannot be seen counts as abandoned.
  static let grace = 86400
  /// Seconds within which a directory gets its lock and its name.
  private static let making = 60

  /// Looks at `layout` with the eyes of `process`.
  init(_ layout: StoreLayout, _ process: ProcessFacts) {
    (self.layout, boot, self.process, now) = (
      layout, process.boot, process.identifier, process.now()
    )
  }

  /// The directories that nobody will finish, and entries that nobody here made.
  func survey() throws(FileError) -> (abandoned: [String], foreign: [String]) {
    var abandoned: [String] = []
    var foreign: [String] = []
    for (folder, entry) in try entries() {
      let path = FilePath.join(folder, "\(entry.name)")
      if let name = entry.name.text.flatMap(IngestName.init), entry.kind == .directory {
        if isAbandoned(name, at: path) { abandoned.append(path) }
      } else {
        foreign.append(path)
      }
    }
    return (abandoned, foreign)
  }

  /// What stands in the directories for what comes and goes, on whichever disk.
  func entries() throws(FileError) -> [(folder: String, entry: FileSystem.Entry)] {
    var found: [(folder: String, entry: FileSystem.Entry)] = []
    for folder in layout.ingests where try FileSystem.info(folder) != nil {
      found += try FileSystem.list(folder).map { (folder, $0) }
    }
    return found
  }

  /// Where the entry at `path` belongs if it has lost its name: a replacement on a file system that cannot exchange took it
  /// away, and was killed before it gave it to another.
  static func place(ofNameless path: String) -> String? {
    // A name of so many characters may have been cut.
    guard let name = FilePath.original(ofSibling: FilePath.name(of: path)), name.count < 64,
      isSignature(name) || (try? AdapterIdentifier(name)) != nil,
      FileSystem.kind(of: path) == .directory
    else { return nil }
    let place = FilePath.join(FilePath.parent(of: path), name)
    return FileSystem.kind(of: place) == nil ? place : nil
  }

  /// Gives entries their names back, removes the abandoned directories and returns them; what cannot be removed waits for the
  /// next time.
  ///
  /// A replacement that lives meets its name as if somebody else had come in between, and begins anew.
  @discardableResult
  func collect() -> [String] {
    for area in [layout.adapters, layout.bases] {
      for name in ((try? FileSystem.list(area)) ?? []).compactMap(\.name.text) {
        let path = FilePath.join(area, name)
        if let place = Self.place(ofNameless: path) { try? FileSystem.rename(path, to: place) }
      }
    }
    guard let abandoned = try? survey().abandoned else { return [] }
    return abandoned.filter { (try? remove($0)) != nil }
  }

  /// Removes the directory at `path`, once the disk has what stands under the names of entries: what had one of them before may be in
  /// it, and would be needed after a loss of power.
  func remove(_ path: String) throws(FileError) {
    for area in layout.areas where FileSystem.isDirectory(following: area) {
      try FileSystem.syncDirectory(area)
    }
    try FileSystem.removeTree(path)
  }

  /// Whether a process that lives works in the directory, as far as can be told from here.
  ///
  /// Its lock tells, in whichever container the process is, and ends with it. Where locks do not work, only this process is known to live.
  func hasOwner(_ name: IngestName, at path: String) -> Bool {
    FileLock.isTaken(Ingest.lock(in: path)) ?? (name.process == process || age(name) <= Self.grace)
  }

  private func age(_ name: IngestName) -> Int { Int(now.timeIntervalSince1970) - name.created }

  private func isAbandoned(_ name: IngestName, at path: String) -> Bool {
    if name.isBeingMade { return age(name) > Self.making }
    if hasOwner(name, at: path) { return false }
    if name.boot != boot, age(name) <= Self.grace { return false }
    return !PartialDownloads.entries(in: path, name).contains { isKept($0.state) }
  }

  /// Whether a partial download can be taken up again, and is recent enough by the time that it states.
  func isKept(_ state: PartialState) -> Bool {
    state.isResumable
      && now.timeIntervalSince(state.updated) <= Double(DownloadPolicy.partialLifetime)
  }
}

/// Name of a directory under `ingest/`: who made it and when, so that it is known from the moment it exists.
///
/// `<16 random digits>-<boot>-<process>-<seconds since 1970>`; `boot` are 8 digits of the running system's own id,
/// which differ between machines that share a store and between two starts of one machine, but not between containers.
struct IngestName: Sendable, Equatable {
  let text: String
  let boot: String
  /// 16 random digits of the process; of an earlier program its number in the system, which says nothing.
  let process: String
  let created: Int
  /// Whether the directory has not got its name yet.
  var isBeingMade = false

  init(boot: String, process: String, created: Date) {
    (self.boot, self.process) = (boot, process)
    self.created = Int(created.timeIntervalSince1970)
    text = "\(FilePath.randomName())-\(boot)-\(process)-\(self.created)"
  }

  /// A new name for a directory that `process` makes now.
  init(_ process: ProcessFacts) {
    self.init(boot: process.boot, process: process.identifier, created: process.now())
  }

  /// Takes a name apart; nil when somebody else made it.
  init?(_ name: String) {
    let original = FilePath.original(ofSibling: name)
    text = original ?? name
    isBeingMade = original != nil
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.count == 16, parts[1].utf8.count == 8,
      parts[2].utf8.count == 16 || Int32(parts[2]) ?? 0 > 0, let created = Int(parts[3])
    else { return nil }
    (boot, process) = (String(parts[1]), String(parts[2]))
    self.created = created
  }

  /// The running system's id, or zeros where it has none.
  static func currentBoot() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let digits = text.filter(\.isHexDigit).prefix(8)
    return digits.count == 8 ? digits.lowercased() : "00000000"
  }
}
