import Adapters
import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// Replaces what `verification` found damaged by the recorded bytes, from where the entry came from.
  ///
  /// Only damaged parts are read from there. The entry is put together anew beside the old one and exchanged for it, so
  /// that whoever has the old one open keeps it. Files that are not in the receipt are moved to `lost+found`.
  ///
  /// - Throws: `StoreError.damaged` when the right bytes cannot be had, `.newer`, `.occupied`, `.cancelled` or
  ///   `.storage`; then nothing has changed, but for `.storage` with `FileOperation.confirm`.
  @discardableResult
  public func repair(
    _ verification: EntryVerification
  ) async throws(StoreError) -> RepairResult {
    try await repair(verification, by: downloader)
  }

  /// Replaces what `verification` found damaged by the recorded bytes, fetched by `downloads`.
  func repair(
    _ verification: EntryVerification, by downloads: (any Downloading)?
  ) async throws(StoreError) -> RepairResult {
    try await apart { () async throws(StoreError) in try await mend(verification, downloads) }
  }

  private func mend(
    _ verification: EntryVerification, _ downloads: (any Downloading)?
  ) async throws(StoreError) -> RepairResult {
    let entry = verification.entry
    try Self.checkRepairable(verification)
    if entry.kind == .compiled {
      // It holds nothing that the next compilation does not find again.
      try discard(entry.path)
      return RepairResult(entry: entry, isRepaired: true, fetched: 0, sources: [], reason: nil)
    }
    guard let receipt = Receipt(reading: entry.receiptPath) else {
      try checkFormat(entry.path)
      throw .damaged(
        path: entry.receiptPath, reason: "it says what was installed, and cannot be read")
    }
    let ingest = try beginIngest(for: entry.path)
    do {
      let yield = try await rebuild(verification, receipt, downloads, in: ingest.item)
      try process.interruption(.commit)
      try setAsideExtras(of: verification)
      _ = try Commit.run(ingest.item, to: entry.path) { () throws(StoreError) in
        try checkFormat(entry.path)
        return Self.isWhole(entry.path, receipt)
      }
      try process.interruption(.cleanUp)
      try? ingest.remove()
      return RepairResult(
        entry: entry, isRepaired: true, fetched: yield.fetched, sources: yield.sources.sorted(),
        reason: nil)
    } catch let error as StoreError {
      ingest.abandon(after: error)
      throw error
    } catch {
      // Only a simulated death comes here, and the dead clean up nothing.
      throw .busy(path: entry.path)
    }
  }

  /// Refuses what other bytes do not mend.
  private static func checkRepairable(_ verification: EntryVerification) throws(StoreError) {
    let path = verification.entry.path
    for damage in verification.damage {
      switch damage.kind {
      case .denied:
        let accessDenied: Int32 = 13
        let place = damage.file == "." ? path : FilePath.join(path, damage.file)
        throw .storage(.system(.open, path: place, code: accessDenied))
      case .misplaced:
        throw .damaged(path: path, reason: "what is inside is \(damage.reason ?? "another")")
      default: break
      }
    }
  }

  /// The entry with the right bytes in `item`: damaged files anew, the others under a second name.
  private func rebuild(
    _ verification: EntryVerification, _ receipt: Receipt, _ downloads: (any Downloading)?,
    in item: String
  ) async throws -> RepairJob.Yield {
    try process.interruption(.copy)
    let damaged = Set(verification.damage.map(\.file))
    var yield = RepairJob.Yield()
    for record in receipt.files {
      let old = FilePath.join(verification.entry.path, record.path)
      let new = FilePath.join(item, record.path)
      if damaged.contains(record.path) {
        try storing { () throws(FileError) in
          try FileSystem.createDirectory(FilePath.parent(of: new))
        }
        let sources = repairSources(of: record, verification.entry, receipt, downloads)
        let job = RepairJob(record: record, damaged: old, sources: sources)
        do throws(StoreError) {
          try await job.run(to: new, &yield)
        } catch {
          guard error.code == .damaged, let catalog = receipt.catalog else { throw error }
          throw StoreError.catalogLost(catalog, error)
        }
        try storing { () throws(FileError) in try FileSystem.protect(new) }
      } else {
        try carry(record.path, from: verification.entry.path, to: item)
      }
    }
    try process.interruption(.verify)
    try await check(item, verification.entry, receipt)
    try process.interruption(.receipt)
    // As it is: it may say what only a later program reads.
    try carry(StoreLayout.receipt, from: verification.entry.path, to: item)
    let carried = Receipt(reading: FilePath.join(item, StoreLayout.receipt))
    guard carried?.hasSameContent(as: receipt.files) == true else {
      throw StoreError.busy(path: verification.entry.path)
    }
    try process.interruption(.seal)
    try seal(item)
    return yield
  }

  /// Where the file of `record` came from, and then where catalogs list the same bytes, as far as they were read: one of
  /// them may be its own, which has moved.
  private func repairSources(
    of record: FileRecord, _ entry: StoreEntry, _ receipt: Receipt,
    _ downloads: (any Downloading)?
  ) -> [RepairSource] {
    let origin = receipt.repairSources(of: record, downloads)
    let offers = (try? AdapterIdentifier(entry.name)).flatMap { keptOffers()[$0] } ?? []
    // The version itself first, and one of each catalog: several versions may have a file in common.
    let isSame = { (offer: CatalogOffer) in offer.adapter.version == receipt.version }
    var (found, asked) = (origin, Set<CatalogSource>())
    for offer in offers.filter(isSame) + offers.filter({ !isSame($0) }) {
      let listed = offer.repairSources(of: record, downloads)
      guard !listed.isEmpty, asked.insert(offer.catalog).inserted else { continue }
      found += listed.filter { source in !origin.contains { $0.place == source.place } }
    }
    return found
  }

  /// Nothing comes under an installed name unread.
  private func check(
    _ item: String, _ entry: StoreEntry, _ receipt: Receipt
  ) async throws(StoreError) {
    let copy = StoreEntry(kind: entry.kind, name: entry.name, path: item)
    let width = ProcessInfo.processInfo.activeProcessorCount
    let verifier = EntryVerifier(entry: copy, receipt: receipt, width: width) { _ in }
    guard let damage = try await verifier.run().damage.first else { return }
    throw .damaged(path: entry.path, reason: "it changed while it was repaired: \(damage)")
  }

  private func setAsideExtras(of verification: EntryVerification) throws(StoreError) {
    for damage in verification.damage where damage.kind == .extra {
      let path = FilePath.join(verification.entry.path, damage.file)
      try setAside(path, as: "\(verification.entry.name)-\(FilePath.name(of: path))")
    }
  }

  /// Moves what the store did not put at `path` to `lost+found`, under a name that is free; returns where it is.
  ///
  /// A name that is no text stands at the end of `path` as people see it.
  @discardableResult
  func setAside(_ path: String, as name: String) throws(StoreError) -> String {
    let folder = layout.lostAndFound(for: path)
    let target = FilePath.join(
      folder, "\(name.prefix(100)).\(FilePath.randomName().prefix(8))")
    try storing { () throws(FileError) in
      try FileSystem.createDirectory(folder)
      let parent = FilePath.parent(of: path)
      // Installed packages are read-only folders, out of which nothing can be moved.
      if FilePath.name(of: parent) == StoreLayout.package { try FileSystem.makeWritable(parent) }
      try FileSystem.rename(try Self.entry(shownAs: path), to: RawPath(target))
    }
    return target
  }

  /// The path of what is there, or else of a name that is no text and is shown so.
  private static func entry(shownAs path: String) throws(FileError) -> RawPath {
    guard try FileSystem.info(path) == nil else { return RawPath(path) }
    let (parent, name) = (FilePath.parent(of: path), FilePath.name(of: path))
    let found = try FileSystem.list(parent).first { "\($0.name)" == name }
    return found.map { RawPath(parent).appending($0.name) } ?? RawPath(path)
  }

  /// Whether the entry at `path` is what `receipt` says.
  private static func isWhole(_ path: String, _ receipt: Receipt) -> Bool {
    guard let found = Receipt(reading: FilePath.join(path, StoreLayout.receipt)),
      found.hasSameContent(as: receipt.files)
    else { return false }
    return receipt.files.allSatisfy { file in
      // A link may lead to the right bytes today.
      guard (try? FileSystem.info(FilePath.join(path, file.path)))?.kind == .file else {
        return false
      }
      return (try? FileRecord(path: file.path, file: FilePath.join(path, file.path))) == file
    }
  }
}

/// What the repair of one entry came to.
public struct RepairResult: Sendable, Equatable, Codable {
  /// The adapter or base.
  package let entry: StoreEntry
  /// Whether every byte is the recorded one now.
  public let isRepaired: Bool
  /// Bytes that came from elsewhere: damaged parts alone.
  package let fetched: Int
  /// Where they came from: addresses and paths.
  package let sources: [String]
  /// Why it could not be repaired; a sentence.
  public let reason: String?
}

/// Where the right bytes of a file may be had.
struct RepairSource: Sendable {
  /// A path or an address.
  let place: String
  /// The bytes of a range, to be compared with their digest by whoever asks.
  let read: @Sendable (Range<Int>) async throws(StoreError) -> [UInt8]
}
