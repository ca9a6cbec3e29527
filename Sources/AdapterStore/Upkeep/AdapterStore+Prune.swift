import Adapters
import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// What is of no more use: nothing is changed.
  ///
  /// References decide, and times that were written down; times of files decide nothing. A base whose receipt cannot be
  /// read still counts as installed, and what cannot be understood is left alone.
  ///
  /// - Throws: `StoreError.storage` when the store cannot be read. A store that does not exist has nothing to prune.
  public func prunable(_ selection: PruneSelection = PruneSelection()) throws(StoreError)
    -> [Prunable]
  {
    var items: [Prunable] = []
    for kind in Prunable.Kind.allCases where selection.kinds.contains(kind) {
      switch kind {
      case .adapter: items += try prunableAdapters()
      case .compiled: items += try prunableCompiled()
      case .partial: items += try prunablePartials()
      case .ingest: items += try prunableIngests()
      }
    }
    let now = process.now()
    return items.filter { selection.includes($0, now: now) }
  }

  /// Removes `items`, each after another look: what is of use again, or in use, stays.
  ///
  /// - Throws: `StoreError.storage` when the store cannot be read, `.cancelled` between two items.
  @discardableResult
  public func prune(_ items: [Prunable]) throws(StoreError) -> [PruneResult] {
    var results: [PruneResult] = []
    // Every removal collects what was abandoned, so that goes first to be counted.
    for item in items.filter({ $0.kind == .ingest }) + items.filter({ $0.kind != .ingest }) {
      if Task.isCancelled { throw .cancelled }
      results.append(try prune(item))
    }
    collector.collect()
    collectLeases()
    return results
  }

  private func prune(_ item: Prunable) throws(StoreError) -> PruneResult {
    let exists = try storing { () throws(FileError) in try FileSystem.info(item.path) != nil }
    guard exists else { return PruneResult(item: item, outcome: .gone, reason: nil) }
    guard try isPrunable(item) else { return PruneResult(item: item, outcome: .kept, reason: nil) }
    do throws(StoreError) {
      try remove(item)
      return PruneResult(item: item, outcome: .removed, reason: nil)
    } catch {
      return PruneResult(item, failure: error)
    }
  }

  /// Whether it still is of no use and not in use: a base may have come since, or a session have begun.
  private func isPrunable(_ item: Prunable) throws(StoreError) -> Bool {
    guard item.kind != .adapter else {
      guard let metadata = try? metadata(of: FilePath.join(item.path, StoreLayout.package)) else {
        return false
      }
      let signature = metadata.baseModelSignature
      return try !baseNames().contains(signature) && !isLeased(item.name) && !isLeased(signature)
    }
    let now = try prunable(PruneSelection(kinds: [item.kind]))
    return now.contains { $0.path == item.path && !$0.isInUse }
  }

  /// Signatures of all bases, those without a readable receipt included, and those that wait to be installed again.
  private func baseNames() throws(StoreError) -> Set<String> {
    let names = try entries(of: layout.bases).compactMap(\.name.text).filter(isSignature)
    return try lostBases().union(names)
  }

  /// Signatures of damaged bases that `doctor` has set aside.
  func lostBases() throws(StoreError) -> Set<String> {
    let place = layout.lostAndFound(for: layout.bases)
    let names = try storing { () throws(FileError) in
      try FileSystem.info(place) == nil ? [] : FileSystem.list(place).compactMap(\.name.text)
    }
    return Set(names.map { String($0.prefix { $0 != "." }) }.filter(isSignature))
  }

  private func remove(_ item: Prunable) throws(StoreError) {
    switch item.kind {
    case .adapter: try discardEntry(item.path)
    case .compiled, .partial: try discard(item.path)
    case .ingest: try storing { () throws(FileError) in try collector.remove(item.path) }
    }
  }

  /// Adapters for bases that are not there.
  private func prunableAdapters() throws(StoreError) -> [Prunable] {
    let bases = try baseNames()
    return try adapters().adapters.compactMap { adapter in
      let signature = adapter.metadata.baseModelSignature
      guard !bases.contains(signature) else { return nil }
      let name = adapter.identifier.description
      return Prunable(
        kind: .adapter, name: name, path: layout.adapter(adapter.identifier),
        size: reclaimable(layout.adapter(adapter.identifier)),
        reason: "its base \(signature.prefix(7)) is not installed",
        recorded: adapter.receipt?.installed, isInUse: isLeased(name) || isLeased(signature))
    }
  }

  /// What was compiled from files of no installed adapter or base, for a base that is not there, or by an earlier program.
  private func prunableCompiled() throws(StoreError) -> [Prunable] {
    let entries = try storeEntries()
    let bases = try baseNames()
    let adapterFiles = Self.digests(of: entries.filter { $0.kind == .adapter })
    let baseFiles = Self.digests(of: entries.filter { $0.kind == .base })
    func reason(_ contents: CompiledEntry) -> (text: String, created: Date?)? {
      func absent(_ signature: String) -> String? {
        bases.contains(signature) ? nil : "its base \(signature.prefix(7)) is not installed"
      }
      switch contents {
      case .draft(let draft?):
        let isInstalled = adapterFiles.map { $0.contains(draft.draftSHA256) } ?? true
        let text =
          isInstalled || draft.hasPackage
          ? (draft.hasBase ? nil : absent(draft.baseSignature)) : "its adapter is not installed"
        return text.map { ($0, draft.created) }
      case .base(let base?):
        let isReplaced = baseFiles.map { !$0.contains(base.modelSHA256) } ?? false
        let text =
          absent(base.baseSignature)
          ?? (isReplaced ? "another file is installed as its base now" : nil)
        return text.map { ($0, base.created) }
      case .older(let record): return ("an earlier fmadapter compiled it", record.created)
      case .newer, .draft(nil), .base(nil): return nil
      }
    }
    return try compiledEntries().compactMap { entry, contents in
      guard let reason = reason(contents) else { return nil }
      return Prunable(
        kind: .compiled, name: entry.name, path: entry.path, size: reclaimable(entry.path),
        reason: reason.text, recorded: reason.created, isInUse: isLeased(entry.name))
    }
  }

  /// Of all files of `entries`; nil where one has no receipt, as any file may be one of its.
  private static func digests(of entries: [StoreEntry]) -> Set<String>? {
    let receipts = entries.map { Receipt(reading: $0.receiptPath) }
    return receipts.contains(nil) ? nil : Set(receipts.flatMap { $0?.files.map(\.sha256) ?? [] })
  }

  /// Downloads that nobody is at work on.
  private func prunablePartials() throws(StoreError) -> [Prunable] {
    try partials().filter { !$0.isActive }.map { partial in
      Prunable(
        kind: .partial, name: partial.name, path: partial.path, size: reclaimable(partial.path),
        reason: "the download of \(partial.url) was not finished", recorded: partial.updated,
        isInUse: false)
    }
  }

  /// What installations have left, but for partial downloads, which are listed as such.
  private func prunableIngests() throws(StoreError) -> [Prunable] {
    let partials = Set(
      try partials().map { FilePath.parent(of: FilePath.parent(of: $0.path)) })
    let abandoned = try storing { () throws(FileError) in try collector.survey().abandoned }
    return abandoned.filter { !partials.contains($0) }.map { path in
      let name = FilePath.name(of: path)
      let created = IngestName(name).map { Date(timeIntervalSince1970: TimeInterval($0.created)) }
      return Prunable(
        kind: .ingest, name: name, path: path, size: reclaimable(path),
        reason: "its installation was interrupted", recorded: created, isInUse: false)
    }
  }

  /// Bytes that the removal of `path` gives back.
  func reclaimable(_ path: String) -> Int {
    var survey = UsageSurvey()
    return (try? survey.item(.other, "", RawPath(path)))?.reclaimable ?? 0
  }
}
