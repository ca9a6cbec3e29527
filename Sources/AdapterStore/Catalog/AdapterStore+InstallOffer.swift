import Adapters
import SystemFiles

extension AdapterStore {
  /// Refuses to put `offer` in the place of something newer, of the same version with other bytes, or of what cannot be
  /// read, which may be either.
  ///
  /// - Throws: `StoreError.olderVersion`, `.changedOffer`, `.unknownVersion` or `.newer`.
  public func checkReplacement(
    by offer: CatalogOffer, allowDowngrade: Bool = false, force: Bool = false
  ) throws(StoreError) {
    let target = layout.adapter(offer.adapter.identifier)
    try checkFormat(target)
    guard let occupant = occupant(of: target) else { return }
    guard let installed = occupant.version else {
      if force || occupant.isEmpty || occupant.hasFiles(of: offer.adapter) { return }
      throw .unknownVersion(offer.adapter.identifier.description, path: target)
    }
    try AdapterUpdate(of: installed, beside: offer) { occupant.files }
      .check(allowDowngrade: allowDowngrade, force: force)
  }

  /// Brings `offer` into the store: downloaded or copied, and held against the catalog's digests.
  func install(
    _ offer: CatalogOffer, _ policy: InstallPolicy, _ control: DownloadControl,
    _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> AdapterInstallation {
    if policy.signers.isEmpty { try checkSigned(offer) }
    if let folder = offer.localFolder { return try install(offer, policy, from: folder) }
    if let reference = offer.reference {
      var policy = policy
      // What may be replaced was asked before.
      policy.replaces = true
      let signers = signers(at: layout.adapter(offer.adapter.identifier))
      return try await installPackage(
        at: reference, policy, control, progress,
        expecting: signers.compactMap { try? PublicKey(pem: $0) })
    }
    let package = RemotePackage(
      url: offer.adapter.url, identifier: offer.adapter.identifier,
      files: try await remote(offer.adapter.files, at: offer.adapter.url, by: .catalog),
      version: offer.adapter.version, catalog: offer.catalog.address)
    return try await install(
      package, policy: policy.ofOffer, control: control, progress: progress)
  }

  /// Copies an offer of a catalog on this machine.
  private func install(
    _ offer: CatalogOffer, _ policy: InstallPolicy, from folder: String
  ) throws(StoreError) -> AdapterInstallation {
    let feed = hub.begin(offer.adapter.identifier.description)
    return settled(
      try feed.telling { () throws(StoreError) in try copy(offer, policy, from: folder) })
  }

  private func copy(
    _ offer: CatalogOffer, _ policy: InstallPolicy, from folder: String
  ) throws(StoreError) -> AdapterInstallation {
    let identifier = offer.adapter.identifier
    let target = layout.adapter(identifier)
    do throws(StoreError) {
      if let present = try present(offer, from: folder) { return present }
    } catch {
      // Taken away at this moment, it comes again.
      guard isGone(identifier) else { throw error }
    }
    var plan = IngestPlan(
      source: folder,
      files: offer.adapter.files.map {
        (FilePath.join(StoreLayout.package, $0.path), FilePath.join(folder, $0.path))
      })
    for file in plan.files {
      let info = try storing { () throws(FileError) in try FileSystem.info(file.source) }
      if info == nil { throw .notInFolder(path: file.source) }
    }
    plan.version = offer.adapter.version
    plan.catalog = offer.catalog.address
    plan.signers = policy.signers.map(\.pem)
    var accepted: (metadata: AdapterMetadata, report: CheckReport)?
    let before = occupant(of: target)?.version
    let (outcome, receipt) = try ingest(plan, to: target) { item throws(StoreError) in
      let package = FilePath.join(item, StoreLayout.package)
      try offer.check(package)
      let found = try acceptedPackage(package)
      guard found.metadata.adapterIdentifier == identifier else {
        throw .corrupted(
          url: folder,
          reason: "the package is \(found.metadata.adapterIdentifier) where \(identifier) "
            + "was promised")
      }
      try found.metadata.checkVersion(offer.adapter.version, at: folder)
      do throws(StoreError) {
        try policy.checkSignature(package)
      } catch {
        throw error.naming(folder, insteadOf: package)
      }
      accepted = found
    }
    guard let accepted else { preconditionFailure("nothing is shown that was not accepted") }
    return try installation(
      of: accepted.metadata, receipt, outcome, over: before, accepted.report)
  }

  /// The adapter if it is installed with the bytes of `offer`, which vouches for it from now on.
  private func present(
    _ offer: CatalogOffer, from folder: String
  ) throws(StoreError) -> AdapterInstallation? {
    let target = layout.adapter(offer.adapter.identifier)
    guard let present = try? adapter(identified: offer.adapter.identifier),
      present.hasFiles(of: offer.adapter), let receipt = present.receipt,
      isIntact(target, receipt.files)
    else { return nil }
    try present.metadata.checkVersion(offer.adapter.version, at: folder)
    try restamp(present, as: offer.adapter.version, of: offer.catalog.address, from: folder)
    try vouch(
      target,
      by: Dictionary(
        receipt.files.map { ($0.path, [DigestVoucher.catalog.rawValue]) },
        uniquingKeysWith: { first, _ in first }))
    return AdapterInstallation(
      adapter: present, outcome: .alreadyInstalled,
      report: try acceptedPackage(present.path).report)
  }
}

extension InstallPolicy {
  /// What of it counts for an offer: a catalog vouches for every file, and what may be replaced was asked before.
  fileprivate var ofOffer: InstallPolicy { InstallPolicy(signers: signers) }
}

extension CatalogOffer {
  /// The folder with the files when the catalog is on this machine and leads to itself.
  var localFolder: String? { CatalogSource(listed: adapter.url)?.path }

  /// Holds the files in `folder` against the catalog.
  fileprivate func check(_ folder: String) throws(StoreError) {
    for file in adapter.files {
      let path = FilePath.join(folder, file.path)
      let record = try storing { () throws(FileError) in
        try FileRecord(path: file.path, file: path)
      }
      try file.check(record.size, record.sha256, at: adapter.url + file.path, by: "the catalog")
    }
  }
}

extension CatalogFile {
  /// Holds bytes that came from `url` against what `author` says of them.
  ///
  /// - Throws: `StoreError.corrupted`.
  func check(
    _ size: Int, _ sha256: String, at url: String, by author: String
  ) throws(StoreError) {
    guard size == self.size, sha256 == self.sha256 else {
      throw .corrupted(
        url: url,
        reason: "the file has \(Figures.bytes(size)) with the digest \(sha256), "
          + "and \(author) says \(Figures.bytes(self.size)) with \(self.sha256)")
    }
  }
}
