public import Adapters
import SystemFiles

extension AdapterStore {
  /// The installed adapters by identifier, and what in their directory cannot be used.
  ///
  /// - Throws: `StoreError.storage` when the store itself cannot be read. A store that does not exist is empty.
  public func adapters() throws(StoreError) -> (
    adapters: [InstalledAdapter], problems: [StoreProblem]
  ) {
    let situation = try situation()
    let offers = keptOffers()
    var adapters: [InstalledAdapter] = []
    var problems: [StoreProblem] = []
    let entries = try entries(of: layout.adapters)
    let readings = entries.concurrentMap { self.read($0.name, $0.kind, situation) }
    for (entry, reading) in zip(entries, readings) {
      let path = FilePath.join(layout.adapters, "\(entry.name)")
      switch reading {
      case .success(let adapter):
        adapters.append(completed(adapter, by: offers))
        if adapter.receipt == nil { problems.append(Self.noReceipt(path)) }
      case .failure(let problem): problems.append(problem.problem)
      }
    }
    return (adapters, problems + ingestProblems())
  }

  /// The adapter that `text` names: an identifier, or a name of which one adapter fits the base in use.
  ///
  /// - Throws: `StoreError.noAdapter`; `.damaged`, `.newer` or `.storage` when it is there and cannot be read; `.ambiguous`
  ///   when several have the name and none, or more than one, is for the base in use.
  public func adapter(named text: String) throws(StoreError) -> InstalledAdapter {
    let (all, typed) = (try adapters().adapters, TypedName(text))
    let exact = typed.matches(all) { [$0.identifier.description] }
    let named = typed.matches(all) { [$0.identifier.name] }
    let fitting = named.filter { $0.facts.contains(.fitsCurrentBase) }
    if let only = exact.first ?? (fitting.count == 1 ? fitting.first : nil) { return only }
    let candidates = fitting.isEmpty ? named : fitting
    switch candidates.count {
    case 0:
      if let unreadable = try unreadableAdapter(named: text) { throw unreadable.error }
      throw .noAdapter(text, known: all.map(\.identifier.description))
    case 1: return candidates[0]
    default: throw .ambiguous(text, candidates: candidates.map(\.identifier.description))
    }
  }

  private func unreadableAdapter(named text: String) throws(StoreError) -> UnreadableAdapter? {
    TypedName(text).matches(try unreadableAdapters()) {
      [$0.identifier.description, $0.identifier.name]
    }.first
  }

  /// The adapters that are there and cannot be read, by identifier.
  func unreadableAdapters() throws(StoreError) -> [UnreadableAdapter] {
    let situation = try situation()
    func unreadable(_ entry: FileSystem.Entry) -> UnreadableAdapter? {
      guard case .failure(let unusable) = read(entry.name, entry.kind, situation) else {
        return nil
      }
      return unusable.adapter
    }
    // One that is removed or replaced as it is read is nothing to complain of: what is read twice, and then still there, is.
    return try entries(of: layout.adapters).filter { unreadable($0) != nil }.compactMap { entry in
      let found = unreadable(entry)
      return found.flatMap { FileSystem.kind(of: layout.adapter($0.identifier)) == nil ? nil : $0 }
    }
  }

  /// Removes the adapter that `text` names, as ``adapter(named:)`` finds it, or whose identifier it is.
  ///
  /// An entry whose files cannot be read is removed, too; one whose files are not known, or not all the store's, is not.
  ///
  /// - Throws: `StoreError.noAdapter`, `.ambiguous`, `.occupied` or `.storage`.
  @discardableResult
  public func removeAdapter(_ text: String) throws(StoreError) -> AdapterIdentifier {
    if let identifier = try? AdapterIdentifier(text) {
      let path = layout.adapter(identifier)
      let exists = try storing { () throws(FileError) in try FileSystem.info(path) != nil }
      if exists {
        try discard(identifier, named: text)
        return identifier
      }
    }
    let identifier: AdapterIdentifier
    do throws(StoreError) {
      identifier = try adapter(named: text).identifier
    } catch {
      guard let unreadable = try unreadableAdapter(named: text), unreadable.error == error
      else { throw error }
      if error.code == .newer { throw error }
      identifier = unreadable.identifier
    }
    try discard(identifier, named: text)
    return identifier
  }

  /// Removes the entry of `identifier`, which `text` has named and which another process may have removed since.
  func discard(_ identifier: AdapterIdentifier, named text: String) throws(StoreError) {
    try discardEntry(layout.adapter(identifier), missing: .noAdapter(text, known: []))
  }

  /// The installed adapter with this identifier.
  func adapter(identified identifier: AdapterIdentifier) throws(StoreError) -> InstalledAdapter {
    switch read(FileName(identifier.description), .directory, try situation()) {
    case .success(let adapter): return completed(adapter, by: keptOffers())
    case .failure:
      try checkFormat(layout.adapter(identifier))
      // Another process has removed it since.
      throw .noAdapter(identifier.description, known: [])
    }
  }

  /// The adapter that has just come into the store with `receipt`.
  ///
  /// Another process may have removed it since: what was asked for was done all the same.
  func committed(
    _ metadata: AdapterMetadata, _ receipt: Receipt
  ) throws(StoreError) -> InstalledAdapter {
    let identifier = metadata.adapterIdentifier
    if let adapter = try? adapter(identified: identifier) { return adapter }
    return InstalledAdapter(
      identifier: identifier,
      path: FilePath.join(layout.adapter(identifier), StoreLayout.package), metadata: metadata,
      receipt: receipt, facts: try situation().facts(of: metadata))
  }

  /// Whether nothing is installed as `identifier` any more.
  func isGone(_ identifier: AdapterIdentifier) -> Bool {
    FileSystem.kind(of: layout.adapter(identifier)) == nil
  }

  /// What `metadata.json` in the package at `path` says.
  func metadata(of path: String) throws(AdapterError) -> AdapterMetadata {
    let file = FilePath.join(path, PackageFile.metadata)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.read(file, limit: 8 << 20)
    } catch {
      throw .file(error)
    }
    return try AdapterMetadata(parsing: bytes, file: file)
  }

  /// The entries of a directory of the store; none when it does not exist.
  ///
  /// - Throws: `StoreError.noStore`, `.storage`.
  func entries(of path: String) throws(StoreError) -> [FileSystem.Entry] {
    let isThere = try storing { () throws(FileError) in try FileSystem.info(path) != nil }
    guard isThere else {
      try StorePlace(root: root).check()
      return []
    }
    return try storing { () throws(FileError) in
      try FileSystem.list(path).filter { !StoreLayout.isReserved($0.name) }
    }
  }

  /// What decides which facts hold.
  private struct Situation {
    /// Those of all bases that are there, whether or not they can be used.
    let signatures: Set<String>
    let current: String?

    func facts(of metadata: AdapterMetadata) -> AdapterStatus {
      var facts: AdapterStatus = [.downloaded]
      if metadata.baseModelSignature == current { facts.insert(.fitsCurrentBase) }
      if !signatures.contains(metadata.baseModelSignature) { facts.insert(.obsolete) }
      return facts
    }
  }

  private struct Unusable: Error {
    let problem: StoreProblem
    /// What it is, where it is an adapter.
    var adapter: UnreadableAdapter?
  }

  private func situation() throws(StoreError) -> Situation {
    let bases = try bases().bases
    return Situation(
      signatures: Set(bases.map(\.signature)).union(try unusableBases().keys),
      current: bases.first(where: \.isCurrent)?.signature)
  }

  private func read(
    _ name: FileName, _ kind: FileSystem.Kind, _ situation: Situation
  ) -> Result<InstalledAdapter, Unusable> {
    let path = FilePath.join(layout.adapters, "\(name)")
    guard kind == .directory, let text = name.text, let identifier = try? AdapterIdentifier(text)
    else {
      return .failure(Unusable(problem: Self.foreign(path)))
    }
    let package = FilePath.join(path, StoreLayout.package)
    let receiptPath = FilePath.join(path, StoreLayout.receipt)
    let receipt = Receipt(reading: receiptPath)
    func unusable(_ problem: StoreProblem, _ error: StoreError) -> Result<
      InstalledAdapter, Unusable
    > {
      .failure(
        Unusable(
          problem: problem, adapter: UnreadableAdapter(identifier: identifier, error: error)))
    }
    if receipt == nil, let newer = Receipt.newer(at: receiptPath) {
      return unusable(newer.problem, newer.error)
    }
    do throws(AdapterError) {
      let metadata = try metadata(of: package)
      guard metadata.adapterIdentifier == identifier else {
        let actual = metadata.adapterIdentifier.description
        return unusable(
          Self.misplaced(path, actual),
          .damaged(path: path, reason: "the package inside is \(actual)"))
      }
      return .success(
        InstalledAdapter(
          identifier: identifier, path: package, metadata: metadata, receipt: receipt,
          facts: situation.facts(of: metadata)))
    } catch {
      let metadata = FilePath.join(package, PackageFile.metadata)
      if let denial = StoreProblem.denial(of: metadata, in: path, "adapter") {
        return unusable(denial.problem, denial.error)
      }
      return unusable(
        StoreProblem(
          rule: "adapter.unreadable", path: path, message: "The adapter cannot be read: \(error).",
          remedy: "Install it again, or remove it by its identifier."),
        .damaged(path: path, reason: "the adapter cannot be read: \(Self.firstLine(error))"))
    }
  }

  /// What is wrong, without a list of all that was found.
  private static func firstLine(_ error: AdapterError) -> String {
    String(error.text.problem.prefix { $0 != "\n" })
  }

  static func foreign(_ path: String) -> StoreProblem {
    guard IngestCollector.place(ofNameless: path) == nil else {
      return StoreProblem(
        rule: "entry.nameless", path: path,
        message: "A replacement was interrupted before this had its name again.",
        remedy: "Nothing to do: the next installation gives it back.")
    }
    return StoreProblem(
      rule: "foreign", path: path, message: "This is not the store's.",
      remedy: "Move it elsewhere; the store neither uses nor removes it.")
  }

  static func misplaced(
    _ path: String, _ actual: String, _ kind: String = "package"
  ) -> StoreProblem {
    StoreProblem(
      rule: kind == "base" ? "base.misplaced" : "adapter.misplaced", path: path,
      message: "The \(kind) inside is \(actual).",
      remedy: "Install \(actual) from its source, and remove this one.")
  }

  static func noReceipt(_ path: String) -> StoreProblem {
    StoreProblem(
      rule: "receipt.missing", path: path, message: "The receipt is missing or cannot be read.",
      remedy: "Install it again to be able to verify it.")
  }

  private func ingestProblems() -> [StoreProblem] {
    guard let survey = try? collector.survey() else { return [] }
    return survey.abandoned.map(Self.interrupted) + survey.foreign.map(Self.foreign)
  }

  static func interrupted(_ path: String) -> StoreProblem {
    StoreProblem(
      rule: "ingest.abandoned", path: path, message: "An installation was interrupted.",
      remedy: "Nothing to do: the next installation removes it.")
  }
}
