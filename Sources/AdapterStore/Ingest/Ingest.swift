import Adapters
import FoundationEssentials
import Glibc
import TensorFiles

/// A directory of one process for one entry on its way into the store.
///
/// ```
/// ingest/<name>/lock    held while the process works; only ever a hint
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
  ) throws(TensorFileError) {
    let folder = layout.ingest(for: target)
    path = FilePath.join(folder, name.text)
    try FileSystem.createDirectory(folder)
    try FileSystem.createDirectory(FilePath.join(path, "item"), lasts: false)
    // File systems without locks are no reason to fail: nothing correct depends on this one.
    lock = try? FileLock(path: FilePath.join(path, "lock"))
  }

  /// Ends it after `error`: nothing is left but what an exchange has brought out, where the disk may still have that under its name.
  func abandon(after error: StoreError) {
    if case .storage(let fault) = error, fault.isUnconfirmed { return }
    try? remove()
  }

  /// Removes what is left of it.
  func remove() throws(TensorFileError) {
    // On NFS and in FUSE a file that is removed while it is open keeps a name in its folder, which then has to stay.
    lock?.release()
    try FileSystem.removeTree(path)
  }
}

/// Removes what processes that ended too early have left, but for downloads that the next attempt can go on from.
struct IngestCollector: Sendable {
  let layout: StoreLayout
  let boot: String
  let now: Date

  /// Seconds after which another machine's directory counts as abandoned.
  static let grace = 86400

  /// The directories that nobody will finish, and entries that nobody here made.
  func survey() throws(TensorFileError) -> (abandoned: [String], foreign: [String]) {
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
  func entries() throws(TensorFileError) -> [(folder: String, entry: FileSystem.Entry)] {
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
  func remove(_ path: String) throws(TensorFileError) {
    for area in layout.areas where FileSystem.isDirectory(following: area) {
      try FileSystem.syncDirectory(area)
    }
    try FileSystem.removeTree(path)
  }

  /// Whether a process that lives works in the directory, as far as can be told from here.
  func hasOwner(_ name: IngestName, at path: String) -> Bool {
    if name.boot == boot, isAlive(name.process) { return true }
    return FileLock.isHeld(FilePath.join(path, "lock"))
  }

  private func isAbandoned(_ name: IngestName, at path: String) -> Bool {
    if hasOwner(name, at: path) { return false }
    if name.boot != boot, Int(now.timeIntervalSince1970) - name.created <= Self.grace {
      return false
    }
    return !PartialShelf.entries(in: path, name).contains { isKept($0.state) }
  }

  /// Whether a partial download can be taken up again, and is recent enough by the time that it states.
  func isKept(_ state: PartialState) -> Bool {
    state.isResumable
      && now.timeIntervalSince(state.updated) <= Double(DownloadPolicy.partialLifetime)
  }

  private func isAlive(_ process: Int32) -> Bool {
    kill(process, 0) == 0 || errno == EPERM
  }
}

/// Name of a directory under `ingest/`: who made it and when, so that it is known from the moment it exists.
///
/// `<16 random digits>-<boot>-<process>-<seconds since 1970>`; `boot` are 8 digits of the running system's own id,
/// which differ between machines that share a store and between two starts of one machine.
struct IngestName: Sendable, Equatable {
  let random: String
  let boot: String
  let process: Int32
  let created: Int

  init(boot: String, process: Int32, created: Date) {
    random = FilePath.randomName()
    self.boot = boot
    self.process = process
    self.created = Int(created.timeIntervalSince1970)
  }

  /// Takes a name apart; nil when somebody else made it.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.count == 16, parts[1].utf8.count == 8,
      let process = Int32(parts[2]), process > 0, let created = Int(parts[3])
    else { return nil }
    random = String(parts[0])
    boot = String(parts[1])
    self.process = process
    self.created = created
  }

  var text: String { "\(random)-\(boot)-\(process)-\(created)" }

  /// The running system's id, or zeros where it has none.
  static func currentBoot() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let digits = text.filter(\.isHexDigit).prefix(8)
    return digits.count == 8 ? digits.lowercased() : "00000000"
  }
}
