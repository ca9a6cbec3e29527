import Adapters
import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// What an ingest directory is filled with.
  struct IngestPlan: Sendable {
    /// Absolute path or address that it comes from, credentials and all: what is kept of it is for the receipt to say.
    let source: String
    /// Paths within the item, with the files to copy there.
    let files: [(path: String, source: String)]
    /// Whether files may share their bytes with the source.
    var links = false
    var base: BaseRecord?
    var version: AdapterVersion?
    var catalog: String?
    /// Digests of files that are in place and were digested there already.
    var records: [FileRecord] = []
    var sources: [FileSource]?
    var hub: HubOrigin?
    /// The keys, in PEM, that were demanded: `verify` has looked for them.
    var signers: [String] = []
    /// Told how many bytes of how many are copied and digested.
    var progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    /// Throws when what is installed may not make room for what comes; asked at the moment of the exchange.
    var mayReplace: @Sendable (_ old: Occupant, _ new: Receipt) throws(StoreError) -> Void = {
      (_: Occupant, _: Receipt) throws(StoreError) in
    }
  }

  /// Copies, verifies and seals `plan`, and brings it to `target`.
  ///
  /// `verify` looks at the copy, at the path that it is given.
  ///
  /// - Returns: how it came to stand there, with its receipt.
  /// - Throws: `StoreError`; then nothing has changed at `target`, but as ``Commit/run(_:to:isPresent:)`` says.
  func ingest(
    _ plan: IngestPlan, to target: String, verify: (String) throws(StoreError) -> Void
  ) throws(StoreError) -> (outcome: Commit.Outcome, receipt: Receipt) {
    try complete(try beginIngest(for: target), plan, to: target, verify: verify)
  }

  /// A directory of this process for what comes to `target`, after a look at what others have left.
  func beginIngest(for target: String) throws(StoreError) -> Ingest {
    try StorePlace(root: root).check()
    collector.collect()
    return try storing { () throws(FileError) in try newIngest(for: target) }
  }

  /// A directory of this process, on the disk of `target`.
  func newIngest(for target: String) throws(FileError) -> Ingest {
    try Ingest(in: layout, name: IngestName(process), for: target)
  }

  /// The rest of an installation, once `ingest` is there; it is removed in any case.
  func complete(
    _ ingest: Ingest, _ plan: IngestPlan, to target: String,
    verify: (String) throws(StoreError) -> Void
  ) throws(StoreError) -> (outcome: Commit.Outcome, receipt: Receipt) {
    do {
      try storing { () throws(FileError) in
        try FileSystem.createDirectory(FilePath.parent(of: target))
      }
      // Where no keys are demanded, those of what is installed are.
      let kept = plan.signers.isEmpty ? signers(at: target) : []
      var plan = plan
      plan.signers += kept
      let receipt = try fill(ingest.item, plan) { item throws(StoreError) in
        try verify(item)
        try checkSigners(kept, item, plan.version, over: target)
      }
      try process.interruption(.commit)
      let outcome = try Commit.run(ingest.item, to: target) { () throws(StoreError) in
        if isIntact(target, receipt.files) {
          try vouch(target, receipt)
          return true
        }
        try checkFormat(target)
        if let old = occupant(of: target) {
          try plan.mayReplace(old, receipt)
          // It was replaced, or held to keys, since it was asked for them.
          if let signers = old.receipt?.signers, receipt.signers == nil || !kept.isEmpty,
            receipt.signers != signers
          {
            throw .busy(path: target)
          }
        }
        return false
      }
      // A linked file may be written to by its owner at any time.
      if outcome != .present, !plan.links { noteChecked(receipt, in: target) }
      try process.interruption(.cleanUp)
      // The entry is installed whatever happens to the rest.
      try? ingest.remove()
      return (outcome, receipt)
    } catch let error as StoreError {
      ingest.abandon(after: error)
      throw error
    } catch {
      // Only a simulated death comes here, and the dead clean up nothing.
      throw .busy(path: target)
    }
  }

  private func fill(
    _ item: String, _ plan: IngestPlan, _ verify: (String) throws(StoreError) -> Void
  ) throws -> Receipt {
    try process.interruption(.copy)
    var isLinked = plan.links
    let size = plan.files.reduce(0) { $0 + ((try? FileSystem.info($1.source))?.size ?? 0) }
    let total = plan.links ? size : 2 * size
    var done = 0
    func tell(_ bytes: Int) {
      done = min(done + bytes, total)
      plan.progress(done, total)
    }
    try storing { () throws(FileError) in
      for file in plan.files {
        let target = FilePath.join(item, file.path)
        try FileSystem.createDirectory(FilePath.parent(of: target))
        if plan.links {
          let isOne = try FileSystem.linkOrCopy(file.source, to: target, progress: tell)
          isLinked = isLinked && isOne
        } else {
          try FileSystem.copyFile(file.source, to: target, progress: tell)
        }
      }
    }
    try Self.checkCancelled(plan)
    try process.interruption(.digest)
    let records = try plan.records + digest(item, plan.files.map(\.path), progress: tell)
    try Self.checkCancelled(plan)
    try process.interruption(.verify)
    try verify(item)
    try process.interruption(.receipt)
    let receipt = Receipt(plan, files: records, at: process.now(), by: tool)
    try receipt.write(to: FilePath.join(item, StoreLayout.receipt))
    try process.interruption(.seal)
    try storing { () throws(FileError) in
      // A linked file is still the user's own: its permissions stay.
      if !isLinked { try protectAll(in: item) }
      try FileSystem.syncTree(item)
    }
    return receipt
  }

  /// Ends a copy that nobody waits for; what was downloaded is whole, and stays.
  private static func checkCancelled(_ plan: IngestPlan) throws(StoreError) {
    if !plan.files.isEmpty, Task.isCancelled { throw .cancelled }
  }

  /// The records of the files `paths` in the directory `item`, as they are on the disk; `progress` is told of each run of bytes.
  func digest(
    _ item: String, _ paths: [String], progress: (_ bytes: Int) -> Void = { _ in }
  ) throws(StoreError) -> [FileRecord] {
    try storing { () throws(FileError) in
      try paths.map { path throws(FileError) in
        try FileRecord(
          path: path, file: FilePath.join(item, path), fromDisk: true, progress: progress)
      }
    }
  }

  /// Takes write permission from everything inside; a directory that is renamed has to keep its own.
  private func protectAll(in item: String) throws(FileError) {
    for entry in try FileSystem.list(item) {
      try FileSystem.protect(try FilePath.join(item, entry.name))
    }
  }

  /// Whether the entry at `target` is a receipt for `files` together with exactly these bytes.
  func isIntact(_ target: String, _ files: [FileRecord]) -> Bool {
    guard let receipt = Receipt(reading: FilePath.join(target, StoreLayout.receipt)),
      receipt.hasSameContent(as: files)
    else { return false }
    return files.allSatisfy { file in
      (try? FileRecord(path: file.path, file: FilePath.join(target, file.path))) == file
    }
  }

  /// As ``discard(_:missing:)``, of an adapter or a base, unless it holds what is not the store's.
  ///
  /// - Throws: `StoreError.occupied` for one that does, `.storage` also where that cannot be seen.
  func discardEntry(_ target: String, missing: StoreError? = nil) throws(StoreError) {
    guard try Commit.isOurs(target) else { throw .occupied(path: target) }
    try discard(target, missing: missing)
  }

  /// Takes what stands at `target` away in one rename, then removes it.
  ///
  /// Of several who do so at once one succeeds; the others throw `missing`, where it is given.
  func discard(_ target: String, missing: StoreError? = nil) throws(StoreError) {
    // Not before: what is to be removed may be among what was abandoned.
    defer { collector.collect() }
    do throws(StoreError) {
      try discardOnce(target)
    } catch {
      if let missing, error.fileError?.isMissing == true { throw missing }
      throw error
    }
  }

  private func discardOnce(_ target: String) throws(StoreError) {
    do throws(FileError) {
      try setOut(target)
    } catch {
      // A full disk has no room for another name, and is what somebody wants to make room on: it goes where it stands.
      guard error.isFull, FileSystem.kind(of: target) != nil else { throw .storage(error) }
      try storing { () throws(FileError) in try FileSystem.removeTree(target) }
    }
  }

  /// Renames `target` to a place out of sight, and removes it there.
  private func setOut(_ target: String) throws(FileError) {
    let ingest = try newIngest(for: target)
    do throws(FileError) {
      try FileSystem.rename(target, to: FilePath.join(ingest.path, "removed"))
    } catch {
      try? ingest.remove()
      guard case .system(.rename, _, let code) = error else { throw error }
      // It is about what was to go, and not about the place that it was to have.
      throw .system(.remove, path: target, code: code)
    }
    // Until then a loss of power may bring it back, which then has to be whole.
    try FileSystem.confirm(target)
    // What is gone is gone; the rest may be another user's, who takes it away the next time.
    try? ingest.remove()
  }

  var collector: IngestCollector {
    IngestCollector(layout, process)
  }
}

extension Receipt {
  /// The receipt of what was installed by `plan`.
  init(_ plan: AdapterStore.IngestPlan, files: [FileRecord], at now: Date, by tool: String) {
    self.init(
      source: plan.source, installed: now, tool: tool, files: files, base: plan.base,
      version: plan.version, catalog: plan.catalog, sources: plan.sources, hub: plan.hub,
      signers: plan.signers)
  }
}
