import FoundationEssentials
import Synchronization
import SystemFiles

/// A partial download that this process works on, in an ingest directory of its own.
final class PartialFile: Sendable {
  static let data = "data"
  static let journal = "journal"
  static let state = "state.json"

  let ingest: Ingest
  /// Its directory.
  let path: String
  private let bytes: WritableFile
  private let contents: Mutex<Contents>

  private struct Contents {
    var state: PartialState
    var journal: PartialJournal
    let file: WritableFile
    var length: Int

    /// Appends to the journal; what cannot be written is merely not known to others.
    mutating func log(_ line: String) {
      let bytes = Array(line.utf8)
      if (try? file.write(bytes, at: length)) != nil { length += bytes.count }
    }
  }

  /// Opens the partial at `path`, whose bytes, journal and state are in order.
  init(
    _ path: String, in ingest: Ingest, _ state: PartialState, _ journal: PartialJournal
  ) throws(FileError) {
    self.ingest = ingest
    self.path = path
    bytes = try WritableFile(path: FilePath.join(path, Self.data))
    let file = try WritableFile(path: FilePath.join(path, Self.journal))
    contents = Mutex(
      Contents(state: state, journal: journal, file: file, length: try file.size))
  }

  /// Reads the journal of the partial at `path`; empty when there is none.
  static func journal(at path: String) -> PartialJournal {
    PartialJournal(reading: journalBytes(at: path))
  }

  static func journalBytes(at path: String) -> [UInt8] {
    (try? FileSystem.read(FilePath.join(path, journal), limit: 64 << 20)) ?? []
  }

  var dataPath: String { FilePath.join(path, Self.data) }
  var entityTag: String? { contents.withLock(\.state.entityTag) }
  /// Bytes of the whole, once known.
  var total: Int? { contents.withLock(\.state.total) }
  /// Bytes that are there.
  var received: Int { contents.withLock { $0.journal.received.count } }
  /// What responses have said of the digest of the version that the bytes are of.
  var claims: [DigestClaim] { contents.withLock { $0.state.claims ?? [] } }
  /// Digests of the chunks that came whole.
  var chunks: [Int: String] { contents.withLock(\.journal.chunks) }
  var isComplete: Bool {
    contents.withLock { $0.state.total == $0.journal.received.count }
  }

  /// What has not come; without a known size, all after the last byte that has.
  var missing: [Range<Int>] {
    contents.withLock { contents in
      contents.journal.received.missing(in: 0..<(contents.state.total ?? .max))
    }
  }

  /// Starts again from nothing, with another version or size.
  ///
  /// The journal goes first: whoever finds these files must never take new bytes for old ones.
  func reset(
    entityTag: String?, total: Int?, claims: [DigestClaim] = [], now: Date
  ) throws(FileError) {
    try contents.withLock { contents throws(FileError) in
      try contents.file.cut(to: 0)
      // A loss of power must not bring back what it said, beside a state that speaks of another version.
      if contents.length > 0 { try contents.file.sync() }
      contents.length = 0
      contents.journal = PartialJournal()
      contents.state.entityTag = entityTag
      contents.state.total = total
      contents.state.claims = claims
      contents.state.updated = now
      try bytes.cut(to: 0)
      try contents.state.write(to: FilePath.join(path, Self.state))
    }
    if let total { try bytes.reserve(total) }
  }

  /// Bytes that could be written in its place; nil where the system does not tell.
  var room: Int? {
    FileSystem.availableBytes(path).map {
      $0.addingReportingOverflow((try? FileSystem.info(dataPath))?.allocated ?? 0)
    }.map { $0.overflow ? .max : $0.partialValue }
  }

  /// Remembers what a response about the same version says of its digest; the next time the state is written it is kept.
  func note(_ claims: [DigestClaim]) {
    contents.withLock { contents in
      let known = contents.state.claims ?? []
      contents.state.claims = known + claims.filter { !known.contains($0) }
    }
  }

  /// Writes down the size of the whole once it is known.
  func settle(total: Int, now: Date) throws(FileError) {
    try contents.withLock { contents throws(FileError) in
      contents.state.total = total
      contents.state.updated = now
      try bytes.cut(to: total)
    }
  }

  func write(_ span: RawSpan, at offset: Int) throws(FileError) {
    try bytes.write(span, at: offset)
    contents.withLock { contents in
      contents.journal.received.insert(offset..<offset + span.byteCount)
    }
  }

  func read(_ range: Range<Int>) throws(FileError) -> [UInt8] { try bytes.read(range) }

  /// Tells whoever comes after a crash that `range` was written.
  func log(received range: Range<Int>) {
    guard !range.isEmpty else { return }
    contents.withLock { $0.log(PartialJournal.line(received: range)) }
  }

  func log(chunk index: Int, digest: String) {
    contents.withLock { contents in
      contents.journal.chunks[index] = digest
      contents.log(PartialJournal.line(chunk: index, digest))
    }
  }

  func sync() throws(FileError) { try bytes.sync() }

  /// Gives it up in order: what has come waits for the next download, if that can go on from it.
  func release(now: Date) {
    guard received > 0, contents.withLock(\.state.isResumable) else { return remove() }
    contents.withLock { contents in
      contents.state.released = true
      contents.state.updated = now
      // A full disk may refuse; then it waits until this process has ended.
      try? contents.state.write(to: FilePath.join(path, Self.state))
    }
  }

  /// Removes it with its directory.
  func remove() { try? ingest.remove() }
}

extension PartialFile {
  /// The partial download of `file`, on the disk of `target`: what others have left, or a new one.
  ///
  /// Of several processes that want the same partial, one gets it, by one rename.
  static func open(
    _ file: RemoteFile, in store: StoreLayout, for target: String, _ process: ProcessFacts
  ) throws(FileError) -> PartialFile {
    let name = IngestName(process)
    let key = PartialState.key(file)
    let candidates = try PartialDownloads(collector: IngestCollector(store, process)).adoptable(
      file)
    let ingest = try Ingest(in: store, name: name, for: target)
    do throws(FileError) {
      let path = FilePath.join(ingest.parts, key)
      try FileSystem.createDirectory(ingest.parts, lasts: false)
      for candidate in candidates where take(candidate, to: path) {
        var state = candidate.state
        (state.file, state.sha256) = (file.path, file.sha256)
        if let partial = try adopt(path, in: ingest, state, process) { return partial }
        try FileSystem.removeTree(path)
      }
      return try create(path, in: ingest, file, process)
    } catch {
      try? ingest.remove()
      throw error
    }
  }

  private static func create(
    _ path: String, in ingest: Ingest, _ file: RemoteFile, _ process: ProcessFacts
  ) throws(FileError) -> PartialFile {
    try FileSystem.createDirectory(path, lasts: false)
    let now = process.now()
    let state = PartialState(
      url: file.shown, file: file.path, sha256: file.sha256, boot: process.boot, created: now,
      updated: now)
    try state.write(to: FilePath.join(path, Self.state))
    return try PartialFile(path, in: ingest, state, PartialJournal())
  }

  /// Moves a partial into this process's directory; false when another was quicker.
  private static func take(_ candidate: PartialDownloads.Entry, to path: String) -> Bool {
    guard (try? FileSystem.rename(candidate.path, to: path)) != nil else { return false }
    // Its process lives and would keep the empty directory.
    if candidate.state.released { try? FileSystem.removeTree(candidate.ingest) }
    return true
  }

  /// Takes over what is at `path` after a look at every byte; nil when nothing of it can be used.
  ///
  /// Its former owner may live, whatever its lock said, and write on; so all work goes on in copies, which it
  /// cannot reach. It empties the journal before it writes anything else than what the journal says; a journal
  /// that has only grown while the bytes were copied vouches for them.
  private static func adopt(
    _ path: String, in ingest: Ingest, _ state: PartialState, _ process: ProcessFacts
  ) throws(FileError) -> PartialFile? {
    let before = journalBytes(at: path)
    let data = FilePath.join(path, Self.data)
    let copy = FilePath.join(path, "copy")
    try FileSystem.removeTree(copy)
    guard try FileSystem.info(data)?.kind == .file else { return nil }
    do throws(FileError) {
      try FileSystem.copyFile(data, to: copy)
    } catch {
      // A full disk is no reason to lose what was fetched: put it where the next attempt finds it.
      try? putBack(path, in: ingest, state, process)
      throw error
    }
    guard journalBytes(at: path).starts(with: before) else { return nil }
    let journal = try PartialJournal(reading: before).verified(copy, state, boot: process.boot)
    guard !journal.received.ranges.isEmpty else { return nil }
    try FileSystem.rename(copy, to: data)
    try AtomicFile.write(Array(journal.text.utf8), to: FilePath.join(path, Self.journal))
    var adopted = state
    adopted.boot = process.boot
    adopted.updated = process.now()
    adopted.released = false
    try adopted.write(to: FilePath.join(path, Self.state))
    return try PartialFile(path, in: ingest, adopted, journal)
  }

  private static func putBack(
    _ path: String, in ingest: Ingest, _ state: PartialState, _ process: ProcessFacts
  ) throws(FileError) {
    // A directory of its own, whose state says that it is free, and whose lock keeps it until it is there.
    let name = IngestName(process)
    let home = try Ingest(in: FilePath.parent(of: ingest.path), name)
    try FileSystem.createDirectory(home.parts)
    var state = state
    state.released = true
    try? state.write(to: FilePath.join(path, Self.state))
    try FileSystem.rename(path, to: FilePath.join(home.parts, FilePath.name(of: path)))
    withExtendedLifetime(home) {}
  }
}
