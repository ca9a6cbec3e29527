package import FoundationEssentials
import SystemFiles

/// The partial downloads of a store, whoever began them.
///
/// ```
/// ingest/<name>/part/<key>/data         bytes, at their final offsets
/// ingest/<name>/part/<key>/journal      which of them have come
/// ingest/<name>/part/<key>/state.json   what they are of
/// ```
struct PartialDownloads: Sendable {
  let collector: IngestCollector

  /// One partial download as it was found.
  struct Entry: Sendable {
    let ingest: String
    let path: String
    let key: String
    let name: IngestName
    let state: PartialState
  }

  /// Those whose state can be read; another one counts as absent.
  func entries() throws(FileError) -> [Entry] {
    var found: [Entry] = []
    for (folder, entry) in try collector.entries() where entry.kind == .directory {
      guard let text = entry.name.text, let name = IngestName(text) else { continue }
      found += Self.entries(in: FilePath.join(folder, text), name)
    }
    return found
  }

  static func entries(in ingest: String, _ name: IngestName) -> [Entry] {
    let parts = FilePath.join(ingest, Ingest.parts)
    // A directory that goes away meanwhile has nothing to offer.
    let keys = ((try? FileSystem.list(parts)) ?? []).compactMap(\.name.text)
    return keys.compactMap { key in
      let path = FilePath.join(parts, key)
      let state = PartialState(reading: FilePath.join(path, PartialFile.state))
      return state.map { Entry(ingest: ingest, path: path, key: key, name: name, state: $0) }
    }
  }

  /// Whether somebody is still at work on it, as far as can be told.
  func isActive(_ entry: Entry) -> Bool {
    !entry.state.released && collector.hasOwner(entry.name, at: entry.ingest)
  }

  /// Those of the address of `file` that nobody works on, with their bytes, the most complete first.
  func idle(_ file: RemoteFile) throws(FileError) -> [(entry: Entry, received: Int)] {
    let key = PartialState.key(file)
    return try entries().filter { $0.key == key && !isActive($0) }
      .map { ($0, PartialFile.journal(at: $0.path).received.count) }
      .sorted { $0.1 > $1.1 }
  }

  /// Those that `file` can go on from.
  func adoptable(_ file: RemoteFile) throws(FileError) -> [Entry] {
    try idle(file).map(\.entry).filter { $0.state.serves(file) }
  }

  /// Removes those of the address of `file`, which is whole: nothing can go on from them any more.
  func clear(_ file: RemoteFile) {
    for (entry, _) in (try? idle(file)) ?? [] {
      try? FileSystem.removeTree(entry.path)
      tidy(entry.ingest)
    }
  }

  /// Removes `ingest`, out of which a partial was taken: it holds nothing else, unless its process has more of them.
  func tidy(_ ingest: String) {
    let rest = try? UsageSurvey.list(RawPath(FilePath.join(ingest, Ingest.parts)))
    guard rest == [], let name = IngestName(FilePath.name(of: ingest)),
      !collector.hasOwner(name, at: ingest)
    else { return }
    try? FileSystem.removeTree(ingest)
  }
}

/// A download that has not ended yet, or has ended too early.
package struct PartialDownload: Sendable, Equatable, Codable {
  /// Directory of its bytes and of what is known of them.
  package let path: String
  /// Address that it comes from, without credentials.
  package let url: String
  /// Path of the file within the entry that it is for.
  package let file: String
  /// Bytes that are there.
  package let received: Int
  /// Bytes of the whole, once known.
  package let total: Int?
  /// Bytes that it takes on the disk, room that is reserved for the rest included.
  package let size: Int
  /// When it was begun.
  package let created: Date
  /// When it was last written down.
  package let updated: Date
  /// Whether somebody is at work on it now; anything else is taken up by the next download of the same address.
  package let isActive: Bool

  /// Seconds by which the clocks of machines that share a store may differ.
  static let clockSlack: TimeInterval = 60

  /// Seconds since it was last written down; nil where the clock was wrong then, or is now, as that lies ahead.
  package func age(at now: Date) -> TimeInterval? {
    let age = now.timeIntervalSince(updated)
    return age < -Self.clockSlack ? nil : max(0, age)
  }
}

extension AdapterStore {
  /// The partial downloads in the store, in order of their paths; none in a store that does not exist.
  package func partials() throws(StoreError) -> [PartialDownload] {
    try StorePlace(root: root).check()
    let partials = PartialDownloads(collector: collector)
    let entries = try storing { () throws(FileError) in try partials.entries() }
    return entries.map { entry in
      let data = (try? FileSystem.info(FilePath.join(entry.path, PartialFile.data)))
      return PartialDownload(
        path: entry.path, url: entry.state.url, file: entry.state.file,
        received: PartialFile.journal(at: entry.path).received.count, total: entry.state.total,
        size: data?.size ?? 0, created: entry.state.created, updated: entry.state.updated,
        isActive: partials.isActive(entry))
    }
  }
}

/// What is written down about a partial download, in `state.json` beside its bytes.
struct PartialState: Sendable, Equatable, Codable {
  /// Version of this file's meaning: 1.
  var formatVersion = 1
  /// Address of the origin, without credentials.
  var url: String
  /// Path of the file within the entry that it is for.
  var file: String
  /// Digest that the whole has to have, where it is known.
  var sha256: String?
  /// Strong validator of the version that the bytes are of.
  var entityTag: String?
  /// Bytes of the whole, once known.
  var total: Int?
  /// What responses have said of the digest of this version.
  var claims: [DigestClaim]?
  /// The running system that wrote the bytes; another one may have lost those that were not yet on the disk.
  var boot: String
  /// When it was begun.
  var created: Date
  /// When this was written.
  var updated: Date
  /// Whether its process has given it up in order, and lives on.
  var released = false
}

extension PartialState {
  /// The name of what has come of `file`; the signature of a storage service in its address may be a fresh one.
  static func key(_ file: RemoteFile) -> String { WebAddress.key(file.url) }

  /// Whether `file`, of the same address, can go on from its bytes: the server is asked for more of their version where it
  /// has a name, whatever digest was promised then; otherwise the same digest has to be promised now.
  func serves(_ file: RemoteFile) -> Bool {
    entityTag != nil || (sha256 != nil && sha256 == file.sha256)
  }

  /// Whether a later download can go on from its bytes: only where something tells that they are of the same version.
  var isResumable: Bool { entityTag != nil || sha256 != nil }

  /// Reads the state at `path`; nil when it is missing, unreadable, impossible, or of another version.
  init?(reading path: String) {
    guard
      let state: PartialState = StoredJSON.read(path, limit: 1 << 20, dates: .secondsSince1970),
      state.formatVersion == 1, (0...FileRecord.sizeLimit).contains(state.total ?? 0),
      [state.created, state.updated].allSatisfy(Self.isSound)
    else { return nil }
    self = state
    url = WebAddress.shown(url)
  }

  /// Whether `date` is one of the years 1970 to 9999, of which seconds and texts can be made.
  private static func isSound(_ date: Date) -> Bool {
    (0..<253_402_300_800).contains(date.timeIntervalSince1970)
  }

  /// Writes the state to `path`, all or nothing.
  func write(to path: String) throws(FileError) {
    try StoredJSON.write(self, to: path, dates: .secondsSince1970)
  }
}

extension PartialDownload {
  /// A short name for it, the same for all partials of one address: `partial-` and 8 digits.
  package var name: String { Self.name(of: path) }

  /// The name of the one that is kept at `path`.
  static func name(of path: String) -> String { "partial-" + FilePath.name(of: path).prefix(8) }
}

extension AdapterStore {
  /// Removes the partial downloads that are called `name`, unless somebody is at work on one, and returns them.
  @discardableResult
  package func removePartials(named name: String) throws(StoreError) -> [PartialDownload] {
    let all = try partials()
    let chosen = all.filter { $0.name == name }
    guard !chosen.isEmpty else { throw .noAdapter(name, known: all.map(\.name)) }
    if let active = chosen.first(where: \.isActive) { throw .busy(path: active.path) }
    let partials = PartialDownloads(collector: collector)
    for partial in chosen {
      try discard(partial.path, missing: .noAdapter(name, known: []))
      partials.tidy(FilePath.parent(of: FilePath.parent(of: partial.path)))
    }
    return chosen
  }
}
