import Adapters
import TensorFiles

extension AdapterStore {
  /// Called with what a download has come to, on any thread.
  public typealias DownloadObserver = @Sendable (DownloadProgress) -> Void

  /// Downloads the package in the folder at `address`, such as `https://host/name.fmadapter/`, checks it, and makes it
  /// visible.
  ///
  /// What an earlier attempt has brought is used again. Nothing is fetched when the server has still the version that
  /// is installed.
  ///
  /// - Throws: `StoreError.network`, `.notOnServer`, `.corrupted`, `.refused`, `.occupied`, `.storage`, or `.cancelled`;
  ///   then nothing has changed under the installed name.
  @discardableResult
  public func installAdapter(
    from address: String, control: DownloadControl = DownloadControl(),
    progress: @escaping DownloadObserver = { _ in }
  ) async throws(StoreError) -> AdapterInstallation {
    try await install(RemotePackage(url: address), control: control, progress: progress)
  }

  /// Downloads `package`, checks it, and makes it visible; other calls are answered meanwhile.
  ///
  /// - Throws: as ``installAdapter(from:control:progress:)``, and `.invalidCatalog` for what no package has.
  package func install(
    _ package: RemotePackage, control: DownloadControl = DownloadControl(),
    progress: @escaping DownloadObserver
  ) async throws(StoreError) -> AdapterInstallation {
    try package.check()
    let subject = package.identifier?.description ?? package.url
    return try await downloading(subject, from: package.url, control, progress) {
      progress async throws(StoreError) in
      if let present = try await self.present(package) { return present }
      let ingest = try self.beginIngest()
      let plan: IngestPlan
      let metadata: AdapterMetadata
      do throws(StoreError) {
        (plan, metadata) = try await self.download(package, to: ingest.item, control, progress)
      } catch {
        try? ingest.remove()
        throw error
      }
      return try self.finish(ingest, plan, metadata.adapterIdentifier)
    }
  }

  private func finish(
    _ ingest: Ingest, _ plan: IngestPlan, _ identifier: AdapterIdentifier
  ) throws(StoreError) -> AdapterInstallation {
    var report: CheckReport?
    let target = layout.adapter(identifier)
    let (outcome, _) = try complete(ingest, plan, to: target) { item throws(StoreError) in
      report = try acceptedPackage(FilePath.join(item, StoreLayout.package)).report
    }
    let adapter = try adapter(identified: identifier)
    return AdapterInstallation(
      adapter: adapter, outcome: outcome.installOutcome,
      report: report ?? CheckReport(package: adapter.path, findings: []))
  }

  /// Brings the files into `item`: the metadata first, so that what is wrong by name costs little.
  private func download(
    _ package: RemotePackage, to item: String, _ control: DownloadControl,
    _ progress: @escaping DownloadObserver
  ) async throws(StoreError) -> (IngestPlan, AdapterMetadata) {
    try storing { () throws(TensorFileError) in
      try FileSystem.createDirectory(FilePath.join(item, StoreLayout.package))
    }
    var plan = IngestPlan(source: package.url, files: [])
    plan.sources = []
    var metadata: AdapterMetadata?
    for name in PackageFile.known {
      guard let file = try await file(name, of: package) else { continue }
      let target = FilePath.join(item, file.path)
      let result = try await downloader.download(
        file, to: target, control: control, progress: progress)
      plan.records.append(result.record)
      plan.sources?.append(
        FileSource(path: file.path, url: file.url, entityTag: result.entityTag))
      if name == PackageFile.metadata {
        metadata = try accepted(FilePath.parent(of: target), of: package)
      }
    }
    guard let metadata else {
      throw .invalidCatalog(
        url: WebAddress.shown(package.url), reason: "it lists no \(PackageFile.metadata)")
    }
    plan.version = package.version ?? metadata.version
    plan.catalog = package.catalog
    return (plan, metadata)
  }

  /// Where the file `name` comes from; nil when the package has none.
  private func file(
    _ name: String, of package: RemotePackage
  ) async throws(StoreError) -> RemoteFile? {
    guard package.files.isEmpty else {
      return package.files.first { $0.path == RemotePackage.path(name) }
    }
    let file = package.usual(name)
    if name == PackageFile.metadata || name == PackageFile.weights { return file }
    return try await downloader.exists(file.url) ? file : nil
  }

  /// The metadata of the package at `path`, which has to be the one that was promised.
  private func accepted(
    _ path: String, of package: RemotePackage
  ) throws(StoreError) -> AdapterMetadata {
    let metadata: AdapterMetadata
    do throws(AdapterError) {
      metadata = try self.metadata(of: path)
    } catch {
      throw StoreError(error)
    }
    if let promised = package.identifier, promised != metadata.adapterIdentifier {
      throw .corrupted(
        url: WebAddress.shown(package.url),
        reason: "the package is \(metadata.adapterIdentifier) where \(promised) was promised")
    }
    return metadata
  }

  /// The adapter if it is installed as `package` has it now.
  private func present(
    _ package: RemotePackage
  ) async throws(StoreError) -> AdapterInstallation? {
    let source = WebAddress.shown(package.url)
    let installed = try adapters().adapters.first { adapter in
      guard let promised = package.identifier else { return adapter.receipt?.source == source }
      return adapter.identifier == promised
    }
    guard let adapter = installed, let receipt = adapter.receipt,
      await downloader.isCurrent(
        receipt, files: package.files,
        address: { package.usual(FilePath.name(of: $0.path)).url }),
      isIntact(layout.adapter(adapter.identifier), receipt.files)
    else { return nil }
    try restamp(adapter, as: package.version, of: package.catalog, from: package.url)
    return AdapterInstallation(
      adapter: try self.adapter(identified: adapter.identifier), outcome: .alreadyInstalled,
      report: try acceptedPackage(adapter.path).report)
  }
}
