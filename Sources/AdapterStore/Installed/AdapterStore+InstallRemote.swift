import Adapters
import SystemFiles

extension AdapterStore {
  /// Downloads the package in the folder at `address`.
  func installPackage(
    from address: String, _ policy: InstallPolicy, _ control: DownloadControl,
    _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> AdapterInstallation {
    try WebAddress.check(address)
    return try await install(
      RemotePackage(url: address), policy: policy, control: control, progress: progress)
  }

  /// Downloads `package`, checks it, and makes it visible; other calls are answered meanwhile.
  ///
  /// - Throws: as ``installAdapter(_:policy:control:)``, and `.invalidCatalog` for what no package has.
  func install(
    _ package: RemotePackage, policy: InstallPolicy = InstallPolicy(),
    control: DownloadControl = DownloadControl(), progress: @escaping InstallObserver
  ) async throws(StoreError) -> AdapterInstallation {
    try package.check()
    let subject = package.identifier?.description ?? package.url
    let result = try await downloading(subject, from: package.url, control, progress) {
      feed, progress, hasWaited async throws(StoreError) in
      let package = await self.withPublishedDigests(package, control)
      if let present = try await self.present(package, hasWaited, feed) { return present }
      let ingest = try self.beginIngest(for: self.layout.adapters)
      let plan: IngestPlan
      let metadata: AdapterMetadata
      do throws(StoreError) {
        (plan, metadata) = try await self.download(
          package, to: ingest.item, policy, control, progress
        ) { feed.isKnown(as: $0.description) }
      } catch {
        try? ingest.remove()
        throw error
      }
      return try self.finish(ingest, plan, metadata, policy)
    }
    return settled(result)
  }

  func finish(
    _ ingest: Ingest, _ plan: IngestPlan, _ metadata: AdapterMetadata, _ policy: InstallPolicy
  ) throws(StoreError) -> AdapterInstallation {
    let identifier = metadata.adapterIdentifier
    var report: CheckReport?
    var plan = plan
    plan.signers = policy.signers.map(\.pem)
    let before = occupant(of: layout.adapter(identifier))?.version
    // What a catalog offers was held against what is installed when it was chosen.
    if plan.catalog == nil {
      plan.mayReplace = { old, new throws(StoreError) in
        try policy.checkPackage(identifier, old, new)
      }
    }
    let target = layout.adapter(identifier)
    let (outcome, receipt) = try complete(ingest, plan, to: target) { item throws(StoreError) in
      let path = FilePath.join(item, StoreLayout.package)
      do throws(StoreError) {
        report = try acceptedPackage(path).report
        try policy.checkSignature(path)
      } catch {
        throw error.naming(plan.source, insteadOf: path)
      }
    }
    return try installation(of: metadata, receipt, outcome, over: before, report)
  }

  /// Brings the files into `item`: the metadata first, so that what is wrong by name costs little.
  func download(
    _ package: RemotePackage, to item: String, _ policy: InstallPolicy,
    _ control: DownloadControl, _ progress: @escaping InstallObserver,
    _ isKnown: (AdapterIdentifier) -> Void
  ) async throws(StoreError) -> (IngestPlan, AdapterMetadata) {
    try storing { () throws(FileError) in
      try FileSystem.createDirectory(FilePath.join(item, StoreLayout.package))
    }
    var plan = IngestPlan(source: package.url, files: [])
    plan.sources = []
    var metadata: AdapterMetadata?
    for name in PackageFile.known {
      guard var file = try await file(name, of: package, control) else { continue }
      file.needsDigest = policy.requiresDigest
      if name == PackageFile.weights { file.claims += package.weightsClaim(metadata) }
      let target = FilePath.join(item, file.path)
      let result = try await downloader.download(
        file, to: target, control: control, progress: progress)
      plan.records.append(result.record)
      plan.sources?.append(
        FileSource(
          path: file.path, url: file.url, entityTag: result.entityTag,
          vouchers: result.vouchers.map(\.rawValue)))
      if name == PackageFile.metadata {
        let found = try accepted(FilePath.parent(of: target), of: package)
        isKnown(found.adapterIdentifier)
        try checkFormat(layout.adapter(found.adapterIdentifier))
        if package.catalog == nil {
          try checkVersion(found.adapterIdentifier, found.version, policy)
        }
        metadata = found
      }
    }
    guard let metadata else {
      throw .invalidCatalog(
        url: WebAddress.shown(package.url), reason: "it lists no \(PackageFile.metadata)")
    }
    plan.version = package.version ?? metadata.version
    plan.catalog = package.catalog
    plan.hub = package.hub
    return (plan, metadata)
  }

  /// Where the file `name` comes from; nil when the package has none.
  private func file(
    _ name: String, of package: RemotePackage, _ control: DownloadControl
  ) async throws(StoreError) -> RemoteFile? {
    guard package.files.isEmpty else {
      return package.files.first { $0.path == RemotePackage.path(name) }
    }
    var file = package.usual(name)
    if !PackageFile.required.contains(name) {
      guard try await downloader.exists(file.url) else { return nil }
    }
    if let known = package.digests[file.path] {
      file.claims = known
    } else {
      file.claims = await downloader.publishedDigests(of: file, list: package.digestList, control)
    }
    return file
  }

  /// `package` with what is published beside its files, where no catalog lists them.
  private func withPublishedDigests(
    _ package: RemotePackage, _ control: DownloadControl
  ) async -> RemotePackage {
    guard package.files.isEmpty else { return package }
    var package = package
    package.digestList = await downloader.digestList(
      beside: package.usual(PackageFile.metadata).url, control)
    for name in PackageFile.required {
      let file = package.usual(name)
      package.digests[file.path] = await downloader.publishedDigests(
        of: file, list: package.digestList, control)
    }
    return package
  }

  /// The metadata of the package at `path`, which has to be the one that was promised.
  private func accepted(
    _ path: String, of package: RemotePackage
  ) throws(StoreError) -> AdapterMetadata {
    let metadata: AdapterMetadata
    do throws(AdapterError) {
      metadata = try self.metadata(of: path)
    } catch {
      throw StoreError(error).naming(package.url, insteadOf: path)
    }
    if let promised = package.identifier, promised != metadata.adapterIdentifier {
      throw .corrupted(
        url: WebAddress.shown(package.url),
        reason: "the package is \(metadata.adapterIdentifier) where \(promised) was promised")
    }
    try metadata.checkVersion(package.version, at: WebAddress.shown(package.url))
    return metadata
  }

  /// The adapter if it is installed as `package` has it now.
  private func present(
    _ package: RemotePackage, _ hasWaited: Bool, _ feed: StatusFeed
  ) async throws(StoreError) -> AdapterInstallation? {
    let installed = try adapters().adapters.first { adapter in
      package.identifier.map { $0 == adapter.identifier }
        ?? (adapter.receipt?.isFrom(package.url) == true)
    }
    guard let adapter = installed, let receipt = adapter.receipt else { return nil }
    let isSame: Bool
    if let hub = package.hub {
      isSame = receipt.hub?.hasSameBytes(as: hub) == true
    } else {
      isSame = await downloader.isCurrent(
        receipt, files: package.files, claims: package.digests, isJoint: hasWaited,
        address: { package.usual(FilePath.name(of: $0.path)).url })
    }
    guard isSame, isIntact(layout.adapter(adapter.identifier), receipt.files) else { return nil }
    feed.isKnown(as: adapter.identifier.description)
    do throws(StoreError) {
      return try takeOver(adapter, by: package)
    } catch {
      // Taken away at this moment, it comes again.
      if isGone(adapter.identifier) { return nil }
      throw error
    }
  }

  /// Writes down that `adapter` is what `package` has now.
  private func takeOver(
    _ adapter: InstalledAdapter, by package: RemotePackage
  ) throws(StoreError) -> AdapterInstallation {
    try adapter.metadata.checkVersion(package.version, at: WebAddress.shown(package.url))
    try restamp(adapter, as: package.version, of: package.catalog, from: package.url)
    let listed = package.files.map { ($0.path, $0.claims.vouchers.map(\.rawValue)) }
    let published = package.digests.map { ($0.key, $0.value.vouchers.map(\.rawValue)) }
    try vouch(
      layout.adapter(adapter.identifier),
      by: Dictionary(listed + published, uniquingKeysWith: { first, _ in first }))
    return AdapterInstallation(
      adapter: try self.adapter(identified: adapter.identifier), outcome: .alreadyInstalled,
      report: try acceptedPackage(adapter.path).report)
  }
}

extension StoreError {
  /// The same about what came from `url`, where it is about a copy at `path` that nobody will see again.
  func naming(_ url: String, insteadOf path: String) -> StoreError {
    guard let report, report.package.hasPrefix(path) else { return self }
    let address = WebAddress.shown(url.hasSuffix("/") ? String(url.dropLast()) : url)
    return .refused(
      CheckReport(
        package: address + report.package.dropFirst(path.count), findings: report.findings))
  }
}

extension RemotePackage {
  /// What the metadata says of the weights; a catalog knows better.
  fileprivate func weightsClaim(_ metadata: AdapterMetadata?) -> [DigestClaim] {
    guard files.isEmpty, let digest = metadata?.statedSettings?.weightsSHA256, isSHA256(digest)
    else { return [] }
    return [DigestClaim(.metadata, digest)]
  }
}

extension AdapterMetadata {
  /// Refuses a package that states another version than `promised` by a catalog; one that states none has that of the
  /// catalog.
  func checkVersion(_ promised: AdapterVersion?, at url: String) throws(StoreError) {
    guard let promised, let stated = statedSettings?.version, stated != promised else { return }
    throw .corrupted(
      url: url, reason: "the package is version \(stated) where the catalog says \(promised)")
  }
}
