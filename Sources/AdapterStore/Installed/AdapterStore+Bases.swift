import Adapters
import SystemFiles
import TensorFiles

extension AdapterStore {
  /// Brings the model at `path` into the store.
  ///
  /// Of a model that is split over several files `path` is the first; they become one file, whatever `transfer` says.
  /// `progress` is told how many bytes of how many are done: each is copied and digested, or digested alone.
  func installModel(
    _ path: String, _ name: String?, _ sha256: String?, _ transfer: BaseTransfer,
    _ policy: InstallPolicy, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
  ) async throws(StoreError) -> BaseInstallation {
    try await apart { () throws(StoreError) in
      try copy(path, name, sha256, transfer, policy, progress)
    }
  }

  private func copy(
    _ path: String, _ name: String?, _ sha256: String?, _ transfer: BaseTransfer,
    _ policy: InstallPolicy, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(StoreError) -> BaseInstallation {
    guard try storing({ () throws(FileError) in try FileSystem.info(path) }) != nil else {
      throw .noSource(path: path)
    }
    let wanted = try contract(ofModel: path)
    if GGUFPartName(path) != nil {
      let file = try storing { () throws(FileError) in try GGUFFile(path: path) }
      if file.parts.count > 1 {
        guard sha256 == nil else { throw Self.severalFiles(path, file.parts.count) }
        return try installJoined(file, name, policy, progress)
      }
    }
    let record = record(name ?? Self.baseName(ofFile: path), wanted, path)
    let target = layout.base(record.signature)
    // A second name for a symbolic link would be a link again, and as easily broken.
    let model = try storing { () throws(FileError) in try FileSystem.resolved(path) }
    var plan = IngestPlan(source: model, files: [(StoreLayout.model, model)])
    plan.base = record
    plan.links = transfer == .link
    plan.progress = progress
    plan.mayReplace = { old, new throws(StoreError) in try policy.checkBase(old, new) }
    let (outcome, receipt) = try ingest(plan, to: target) { item throws(StoreError) in
      let copy = try contract(ofModel: FilePath.join(item, StoreLayout.model))
      guard copy == record.contract else {
        throw .damaged(path: path, reason: "the file changed while it was copied")
      }
      let file = FilePath.join(item, StoreLayout.model)
      if let sha256 { try Self.check(file, sha256, from: path) }
    }
    try use(record.signature, ifOnly: true)
    return BaseInstallation(try committed(record, receipt), outcome.installOutcome)
  }

  private static func severalFiles(_ path: String, _ count: Int) -> StoreError {
    .invalidBase(
      path: path,
      reason: "it is \(count) files, and the given SHA-256 is for one\(remedy: "leave it out")")
  }

  /// That the file at `path`, which came from `source`, is the one that is meant.
  private static func check(
    _ path: String, _ sha256: String, from source: String
  ) throws(StoreError) {
    let found = try storing { () throws(FileError) in try SHA256.hex(ofFile: path) }
    guard found == sha256.lowercased() else {
      throw .corrupted(url: source, reason: "it has SHA-256 \(found), not \(sha256)")
    }
  }

  /// Brings the model that `make` writes to the path that it is given into the store; `source` is the folder or the file that
  /// it is made from, and `name` what it is called, if not as that.
  ///
  /// Only a model that `isConverted` has got its signature here, as its receipt says.
  @discardableResult
  package func installBase(
    madeFrom source: String, name: String? = nil, isConverted: Bool = true,
    policy: InstallPolicy = InstallPolicy(), by make: @escaping @Sendable (String) throws -> Void
  ) async throws -> BaseInstallation {
    try await apart {
      let folder = try storing { () throws(FileError) in try FileSystem.resolved(source) }
      return try installMade(
        from: folder, named: name ?? FilePath.name(of: folder), isConverted: isConverted, policy,
        by: make)
    }
  }

  private func installMade(
    from source: String, named name: String, isConverted: Bool, _ policy: InstallPolicy,
    digesting: (_ bytes: Int) -> Void = { _ in }, by make: (String) throws -> Void
  ) throws -> BaseInstallation {
    let ingest = try beginIngest(for: layout.bases)
    var plan = IngestPlan(source: source, files: [])
    do {
      let path = FilePath.join(ingest.item, StoreLayout.model)
      try make(path)
      plan.base = record(name, try contract(ofModel: path), path, isMadeHere: isConverted)
      plan.records = try digest(ingest.item, [StoreLayout.model], progress: digesting)
    } catch {
      try? ingest.remove()
      throw error
    }
    return try finish(ingest, plan, policy)
  }

  /// Brings the parts of `file` into the store as one.
  private func installJoined(
    _ file: GGUFFile, _ name: String?, _ policy: InstallPolicy, _ progress: (Int, Int) -> Void
  ) throws(StoreError) -> BaseInstallation {
    do {
      // The first part may be a link to a file of another name.
      let folder = try FileSystem.resolved(FilePath.parent(of: file.path))
      var (done, all) = (0, 0)
      return try installMade(
        from: FilePath.join(folder, FilePath.name(of: file.path)),
        named: name ?? Self.baseName(ofFile: file.path), isConverted: false, policy,
        digesting: { bytes in
          done = min(done + bytes, all)
          progress(done, all)
        },
        by: { path in
          try file.writeWhole(to: path) { written, total in
            if Task.isCancelled { throw StoreError.cancelled }
            (done, all) = (written, 2 * total)
            progress(done, all)
          }
        })
    } catch let error as StoreError {
      throw error
    } catch let error as FileError {
      throw .storage(error)
    } catch {
      throw .damaged(path: file.path, reason: "\(error)")
    }
  }

  /// The installed bases by signature, and what in their directory cannot be used.
  ///
  /// - Throws: `StoreError.storage` when the store itself cannot be read. A store that does not exist is empty.
  public func bases() throws(StoreError) -> (bases: [InstalledBase], problems: [StoreProblem]) {
    var records: [(Receipt, BaseRecord)] = []
    var problems: [StoreProblem] = []
    for entry in try entries(of: layout.bases) {
      guard entry.kind == .directory, let name = entry.name.text, isSignature(name) else {
        problems.append(Self.foreign(FilePath.join(layout.bases, "\(entry.name)")))
        continue
      }
      switch inspectBase(name) {
      case .success(let record): records.append(record)
      case .failure(let unusable): problems.append(unusable.problem)
      }
    }
    let current = try currentSignature(of: records.map(\.1.signature))
    let bases = records.map { receipt, record in
      installed(record, receipt, isCurrent: record.signature == current)
    }
    return (bases, problems)
  }

  /// The base in use: the chosen one, or the only one.
  ///
  /// - Throws: `StoreError.noCurrentBase`; `.damaged`, `.newer` or `.storage` when it is there and cannot be used.
  public func currentBase() throws(StoreError) -> InstalledBase {
    let bases = try bases().bases
    guard let base = bases.first(where: \.isCurrent) else {
      let unusable = try unusableBases()
      if let chosen = unusable[chosenSignature] { throw chosen.error }
      if bases.isEmpty, let only = unusable.min(by: { $0.key < $1.key }) { throw only.value.error }
      throw .noCurrentBase(installed: bases.count)
    }
    return base
  }

  /// The base that `text` names: a name or a title, or the first 4 or more digits of a signature.
  ///
  /// - Throws: `StoreError.noBase` or `.ambiguous`; `.damaged`, `.newer` or `.storage` when it is there and cannot be used.
  public func base(named text: String) throws(StoreError) -> InstalledBase {
    let (bases, typed) = (try bases().bases, TypedName(text))
    let named = Set(typed.matches(bases) { [$0.name, $0.title] }.map(\.signature))
    let matches = bases.filter { named.contains($0.signature) || typed.begins($0.signature) }
    switch matches.count {
    case 0:
      if let unusable = try unusableBase(typed, isAlone: bases.isEmpty) { throw unusable.error }
      throw .noBase(text, known: bases.map(\.title))
    case 1: return matches[0]
    default: throw .ambiguous(text, candidates: matches.map(\.signature))
    }
  }

  /// What is there and cannot be used that `typed` names; with `isAlone`, where no base can be used, also one whose receipt cannot
  /// tell what it is called.
  private func unusableBase(
    _ typed: TypedName, isAlone: Bool
  ) throws(StoreError) -> UnusableBase? {
    let unusable = try unusableBases().sorted { $0.key < $1.key }
    let named = typed.matches(unusable) { [$0.value.name].compactMap(\.self) }.first
    let meant =
      named ?? unusable.first { typed.begins($0.key) }
      ?? (isAlone ? unusable.first { $0.value.name == nil } : nil)
    return meant?.value
  }

  /// Makes the base that `text` names the one in use.
  ///
  /// - Throws: `StoreError.noBase`, `.ambiguous` or `.storage`.
  @discardableResult
  public func useBase(_ text: String) throws(StoreError) -> InstalledBase {
    let chosen = try base(named: text)
    try use(chosen.signature)
    return try base(signed: chosen.signature) ?? chosen
  }

  /// Removes the base that `text` names; its adapters stay and become obsolete.
  ///
  /// - Throws: `StoreError.noBase`, `.ambiguous`, `.occupied` or `.storage`.
  @discardableResult
  public func removeBase(_ text: String) throws(StoreError) -> InstalledBase {
    let base = try base(named: text)
    try discardEntry(layout.base(base.signature), missing: .noBase(text, known: []))
    replaceCurrent(base.signature)
    return base
  }

  /// Takes the place of a base that is gone in the file that names the one in use: the only one left is it, or none.
  private func replaceCurrent(_ removed: String) {
    // Another process may have chosen since. What cannot be written 'doctor' mends.
    guard chosenSignature == removed, let rest = try? bases().bases else { return }
    if rest.count == 1 {
      try? use(rest[0].signature)
    } else {
      try? FileSystem.removeTree(layout.current)
    }
  }

  /// The installed base with this signature, if there is one.
  func base(signed signature: String) throws(StoreError) -> InstalledBase? {
    try bases().bases.first { $0.signature == signature }
  }

  /// The base that has just come into the store with `receipt`.
  ///
  /// Another process may have removed it since: what was asked for was done all the same.
  func committed(
    _ record: BaseRecord, _ receipt: Receipt
  ) throws(StoreError) -> InstalledBase {
    try base(signed: record.signature) ?? installed(record, receipt, isCurrent: false)
  }

  private func installed(
    _ record: BaseRecord, _ receipt: Receipt, isCurrent: Bool
  ) -> InstalledBase {
    let path = FilePath.join(layout.base(record.signature), StoreLayout.model)
    var contract = record.contract
    contract.path = path
    return InstalledBase(
      name: record.name, path: path, contract: contract, receipt: receipt, isCurrent: isCurrent)
  }

  /// Makes the base the one in use; with `ifOnly` where there is no other, of whichever program.
  func use(_ signature: String, ifOnly: Bool) throws(StoreError) {
    if ifOnly {
      guard try bases().bases.count == 1, try unusableBases().isEmpty else { return }
    }
    try use(signature)
  }

  func use(_ signature: String) throws(StoreError) {
    try storing { () throws(FileError) in
      try AtomicFile.write(Array((signature + "\n").utf8), to: layout.current)
    }
  }

  func contract(ofModel path: String) throws(StoreError) -> BaseContract {
    do {
      return try readBase(path)
    } catch {
      throw .invalidBase(path: path, reason: "\(error)")
    }
  }

  /// What is recorded of the model at `path`, which is what it is whatever it says of itself.
  func record(
    _ name: String, _ contract: BaseContract, _ path: String, isMadeHere: Bool = false
  ) -> BaseRecord {
    BaseRecord(
      name: name, contract: contract, identity: (try? identifyBase(path)) ?? nil,
      isMadeHere: isMadeHere)
  }

  /// The chosen signature if it is installed; the only installed one if none was chosen.
  private func currentSignature(of installed: [String]) throws(StoreError) -> String? {
    let chosen = chosenSignature
    if installed.contains(chosen) { return chosen }
    guard installed.count == 1 else { return nil }
    // One that was chosen and cannot be used is not replaced in silence by another that can.
    return unusableBase(chosen) == nil ? installed.first : nil
  }

  /// What the file says that names the base in use; of any text.
  var chosenSignature: String {
    let bytes = (try? FileSystem.read(layout.current, limit: 100)) ?? []
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  /// The file's name without its last ending, and without the number of a part.
  package static func baseName(ofFile path: String) -> String {
    if let part = GGUFPartName(path) { return FilePath.name(of: part.stem) }
    let name = FilePath.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
