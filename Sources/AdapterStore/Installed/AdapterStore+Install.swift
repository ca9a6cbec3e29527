public import Adapters
import LanguageModels
import SystemFiles

/// How an installation ended.
public enum InstallOutcome: String, Sendable, Codable {
  /// It was not there before.
  case installed
  /// It took the place of other content with the same identifier.
  case replaced
  /// The same content was there already, and nothing was copied.
  case alreadyInstalled
}

/// What an installation of an adapter came to.
public struct AdapterInstallation: Sendable {
  /// The adapter as it is in the store now.
  public internal(set) var adapter: InstalledAdapter
  /// How it ended.
  public let outcome: InstallOutcome
  /// The version that it took the place of, where there was one.
  public internal(set) var replaced: AdapterVersion?
  /// What the check of the package found: warnings at most.
  public let report: CheckReport
}

extension AdapterStore {
  /// Checks the package at `path`, copies it into the store, checks the copy, and makes it visible.
  func installPackage(
    _ path: String, _ policy: InstallPolicy
  ) async throws(StoreError) -> AdapterInstallation {
    try await apart { () throws(StoreError) in
      // What does not say what it is, nobody follows.
      guard let metadata = try? metadata(of: path) else { return try copy(path, policy) }
      let feed = hub.begin(metadata.adapterIdentifier.description)
      return settled(try feed.telling { () throws(StoreError) in try copy(path, policy) })
    }
  }

  private func copy(
    _ path: String, _ policy: InstallPolicy
  ) throws(StoreError) -> AdapterInstallation {
    let (metadata, report) = try acceptedPackage(path)
    let identifier = metadata.adapterIdentifier
    let target = layout.adapter(identifier)
    let before = occupant(of: target)?.version
    let files = try packageFiles(path)
    // Where it is taken away at this moment, it comes again.
    if try isInstalled(files, at: target), let adapter = try? adapter(identified: identifier) {
      return AdapterInstallation(adapter: adapter, outcome: .alreadyInstalled, report: report)
    }
    let origin = try storing { () throws(FileError) in try FileSystem.resolved(path) }
    var plan = IngestPlan(source: origin, files: files)
    plan.version = metadata.version
    plan.signers = policy.signers.map(\.pem)
    plan.mayReplace = { old, new throws(StoreError) in
      try policy.checkPackage(identifier, old, new)
    }
    let (outcome, receipt) = try ingest(plan, to: target) { item throws(StoreError) in
      // The source may have changed since it was checked; what counts is the copy.
      let copy = try acceptedPackage(FilePath.join(item, StoreLayout.package))
      guard copy.metadata.adapterIdentifier == identifier else {
        throw .damaged(path: path, reason: "the package changed while it was copied")
      }
      do throws(StoreError) {
        try policy.checkSignature(FilePath.join(item, StoreLayout.package))
      } catch {
        throw error.naming(path, insteadOf: FilePath.join(item, StoreLayout.package))
      }
    }
    return try installation(of: metadata, receipt, outcome, over: before, report)
  }

  /// What an installation came to, which found the version `before` and checked the copy with `report`.
  func installation(
    of metadata: AdapterMetadata, _ receipt: Receipt, _ outcome: Commit.Outcome,
    over before: AdapterVersion?, _ report: CheckReport?
  ) throws(StoreError) -> AdapterInstallation {
    let adapter = try committed(metadata, receipt)
    return AdapterInstallation(
      adapter: adapter, outcome: outcome.installOutcome,
      replaced: outcome == .replaced ? before : nil,
      report: report ?? CheckReport(package: adapter.path, findings: []))
  }

  /// What an installation came to, with the adapter as it is now: its facts were taken while it was still on its way.
  func settled(_ installation: AdapterInstallation) -> AdapterInstallation {
    var installation = installation
    if let now = try? adapter(identified: installation.adapter.identifier) {
      installation.adapter = now
    }
    return installation
  }

  /// Metadata and report of a package without errors.
  func acceptedPackage(
    _ path: String
  ) throws(StoreError) -> (metadata: AdapterMetadata, report: CheckReport) {
    do throws(AdapterError) {
      let report = try AdapterCheck.run(package: path, for: try contract(for: path)).openingDraft()
      guard report.isAccepted else { throw AdapterError.refused(report) }
      return (try metadata(of: path), report)
    } catch {
      throw StoreError(error)
    }
  }

  /// Contract of the installed base that the package at `path` names, if there is one.
  private func contract(for path: String) throws(AdapterError) -> BaseContract? {
    guard let metadata = try? metadata(of: path) else { return nil }
    return try? base(signed: metadata.baseModelSignature)?.contract
  }

  /// The files of the package that are installed, with their names in the store.
  private func packageFiles(_ path: String) throws(StoreError) -> [(path: String, source: String)] {
    let entries = try storing { () throws(FileError) in try FileSystem.list(path) }
    return entries.compactMap(\.name.text).filter(PackageFile.known.contains).map { name in
      (FilePath.join(StoreLayout.package, name), FilePath.join(path, name))
    }
  }

  /// Whether the entry at `target` holds the bytes of `files` already, undamaged.
  private func isInstalled(
    _ files: [(path: String, source: String)], at target: String
  ) throws(StoreError) -> Bool {
    let path = FilePath.join(target, StoreLayout.receipt)
    guard let receipt = Receipt(reading: path), receipt.files.count == files.count else {
      return false
    }
    let records = try storing { () throws(FileError) in
      try files.map { file throws(FileError) in
        try FileRecord(path: file.path, file: file.source)
      }
    }
    return isIntact(target, records)
  }
}

extension Commit.Outcome {
  /// What the caller is told.
  var installOutcome: InstallOutcome {
    switch self {
    case .installed: .installed
    case .replaced: .replaced
    case .present: .alreadyInstalled
    }
  }
}

extension StoreError {
  /// The store's view of what is wrong with a package.
  init(_ error: AdapterError) {
    switch error {
    case .notFound(let path): self = .noSource(path: path)
    case .refused(let report): self = .refused(report)
    case .invalidMetadata(let file, let findings):
      self = .refused(CheckReport(package: file, findings: findings))
    case .exists(let path): self = .occupied(path: path)
    case .file(let error): self = .storage(error)
    }
  }
}
