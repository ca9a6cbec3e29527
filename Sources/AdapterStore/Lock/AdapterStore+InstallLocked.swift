import Adapters
import SystemFiles

extension AdapterStore {
  /// Brings exactly the adapters of `lock` into the store, or none of them.
  ///
  /// All are fetched, compared with their digests and checked before the first is shown; what is here already, to the byte, stays. They
  /// come from the places in the lock file, or from `mirror` alone: copies of catalogs' folders, or a
  /// registry. Others that are installed stay.
  ///
  /// - Throws: `StoreError.lock` for a place that cannot be asked, and as ``installAdapter(_:policy:control:)``; then nothing has changed,
  ///   unless the disk refuses one of the last renames.
  @discardableResult
  package func install(
    _ lock: LockFile, mirror: CatalogSource? = nil, policy: InstallPolicy = InstallPolicy(),
    control: DownloadControl = DownloadControl()
  ) async throws(StoreError) -> [AdapterInstallation] {
    defer { control.endProgress() }
    var staged: [StagedAdapter] = []
    var results: [AdapterInstallation] = []
    var copies: LockMirror?
    if let mirror { copies = try await self.mirror(mirror) }
    do throws(StoreError) {
      for entry in lock.adapters {
        try await control.pass()
        try checkFormat(layout.adapter(entry.identifier))
        if let present = try present(entry, policy) {
          results.append(present)
        } else {
          staged.append(try await stage(entry, copies, policy, control))
        }
      }
      try await control.pass()
    } catch {
      for stage in staged { try? stage.ingest.remove() }
      throw error
    }
    while let next = staged.first {
      staged.removeFirst()
      do throws(StoreError) {
        results.append(settled(try finish(next.ingest, next.plan, next.metadata, policy)))
      } catch {
        for stage in staged { try? stage.ingest.remove() }
        throw error
      }
    }
    return results.sorted { "\($0.adapter.identifier)" < "\($1.adapter.identifier)" }
  }

  /// An adapter that is whole and checked, and not shown yet.
  private struct StagedAdapter {
    let ingest: Ingest
    let plan: IngestPlan
    let metadata: AdapterMetadata
  }

  /// The adapter of `entry` if it is installed with these bytes.
  private func present(
    _ entry: LockedAdapter, _ policy: InstallPolicy
  ) throws(StoreError) -> AdapterInstallation? {
    guard let adapter = try? adapter(identified: entry.identifier),
      let receipt = adapter.receipt, receipt.hasFiles(of: entry.adapter),
      adapter.version == entry.version,
      isIntact(layout.adapter(entry.identifier), receipt.files)
    else { return nil }
    try policy.checkSignature(adapter.path)
    if !policy.signers.isEmpty { try hold(adapter, to: policy.signers) }
    return AdapterInstallation(
      adapter: adapter, outcome: .alreadyInstalled,
      report: CheckReport(package: adapter.path, findings: []))
  }

  private func stage(
    _ entry: LockedAdapter, _ mirror: LockMirror?, _ policy: InstallPolicy,
    _ control: DownloadControl
  ) async throws(StoreError) -> StagedAdapter {
    let place = entry.place(mirror)
    let ingest = try beginIngest(for: layout.adapters)
    do throws(StoreError) {
      var (plan, metadata) = try await filling(
        ingest.item, with: entry, from: place, policy, control)
      let package = FilePath.join(ingest.item, StoreLayout.package)
      do throws(StoreError) {
        _ = try acceptedPackage(package)
        try policy.checkSignature(package)
        if policy.signers.isEmpty {
          let target = layout.adapter(entry.identifier)
          try checkSigners(signers(at: target), ingest.item, entry.version, over: target)
        }
      } catch {
        throw error.naming(place.address, insteadOf: package)
      }
      plan.catalog = entry.catalog
      // The place that it belongs to, whichever mirror it came from.
      if mirror != nil { plan.sources = nil }
      return StagedAdapter(ingest: ingest, plan: plan, metadata: metadata)
    } catch {
      try? ingest.remove()
      throw error
    }
  }

  /// Brings the files of `entry` into `item`, and compares them with their digests.
  private func filling(
    _ item: String, with entry: LockedAdapter, from place: LockedPlace, _ policy: InstallPolicy,
    _ control: DownloadControl
  ) async throws(StoreError) -> (IngestPlan, AdapterMetadata) {
    if case .folder(let folder) = place { return try copying(to: item, entry, from: folder) }
    let package = RemotePackage(
      url: entry.source, identifier: entry.identifier,
      files: try await remote(entry.adapter.files, at: place.address, by: .lock),
      version: entry.version, catalog: entry.catalog)
    return try await download(package, to: item, policy, control, control.tell) { _ in }
  }

  private func copying(
    to item: String, _ entry: LockedAdapter, from folder: String
  ) throws(StoreError) -> (IngestPlan, AdapterMetadata) {
    let package = FilePath.join(item, StoreLayout.package)
    var plan = IngestPlan(source: entry.source, files: [])
    plan.version = entry.version
    for file in entry.adapter.files {
      let source = FilePath.join(folder, file.path)
      let target = FilePath.join(package, file.path)
      let record = try storing { () throws(FileError) -> FileRecord? in
        guard try FileSystem.info(source) != nil else { return nil }
        try FileSystem.createDirectory(package)
        try FileSystem.copyFile(source, to: target)
        return try FileRecord(path: RemotePackage.path(file.path), file: target, fromDisk: true)
      }
      guard let record else { throw .notInFolder(path: source) }
      try file.check(record.size, record.sha256, at: source, by: "the lock file")
      plan.records.append(record)
    }
    do throws(AdapterError) {
      return (plan, try metadata(of: package))
    } catch {
      throw StoreError(error).naming(folder, insteadOf: package)
    }
  }
}

/// Where the files of a locked adapter are asked for.
private enum LockedPlace {
  case folder(String)
  /// Of a folder, or of a registry.
  case address(String)

  /// It as people know it.
  var address: String {
    switch self {
    case .folder(let place), .address(let place): place
    }
  }
}

extension LockedAdapter {
  fileprivate func place(_ mirror: LockMirror?) -> LockedPlace {
    let place = mirror?.place(of: adapter) ?? source
    if let path = CatalogSource(listed: place)?.path { return .folder(path) }
    return place.hasPrefix("/") ? .folder(place) : .address(place)
  }
}
