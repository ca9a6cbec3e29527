import FoundationEssentials
import SystemFiles
import TensorFiles

extension AdapterStore {
  /// Downloads the model at `address` and brings it into the store.
  ///
  /// Of a model that is split over several files `address` is the first, and the others are looked for beside it.
  func installModel(
    from address: String, _ name: String?, _ sha256: String?, _ policy: InstallPolicy,
    _ control: DownloadControl, _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> BaseInstallation {
    try WebAddress.check(address)
    var wanted = RemoteFile(url: address, path: StoreLayout.model)
    if let sha256 { wanted.claims = [try DigestClaim(given: sha256)] }
    wanted.needsDigest = policy.requiresDigest
    let asked = wanted
    return try await downloading(address, from: address, control, progress) {
      _, progress, hasWaited async throws(StoreError) in
      if let parts = try await self.parts(of: asked, control) {
        return try await self.installModel(
          parts, from: asked.url, name: name, policy, control, progress)
      }
      let file = await self.withPublishedDigests(asked, control)
      if let base = try await self.presentBase(file, hasWaited) {
        return BaseInstallation(base, .alreadyInstalled)
      }
      let ingest = try self.beginIngest(for: self.layout.bases)
      let target = FilePath.join(ingest.item, StoreLayout.model)
      let plan: IngestPlan
      do throws(StoreError) {
        let result = try await self.downloader.download(
          file, to: target, control: control, progress: progress)
        plan = try self.plan(file, name, result, at: target)
      } catch {
        try? ingest.remove()
        throw error
      }
      return try self.finish(ingest, plan, policy)
    }
  }

  private func plan(
    _ file: RemoteFile, _ name: String?, _ result: DownloadedFile, at path: String
  ) throws(StoreError) -> IngestPlan {
    var plan = IngestPlan(source: file.url, files: [])
    let contract = try self.contract(ofModel: path, from: file.shown)
    plan.base = record(name ?? Self.baseName(ofFile: WebAddress.fileName(file.url)), contract, path)
    plan.records = [result.record]
    plan.sources = [
      FileSource(
        path: file.path, url: file.url, entityTag: result.entityTag,
        vouchers: result.vouchers.map(\.rawValue))
    ]
    return plan
  }

  /// The files that the model at `file` is split over, as its name says; nil when it is one.
  private func parts(
    of file: RemoteFile, _ control: DownloadControl
  ) async throws(StoreError) -> [RemoteFile]? {
    guard let name = GGUFPartName(WebAddress.fileName(file.url)), 2...1000 ~= name.count else {
      return nil
    }
    guard name.number == 1 else {
      throw .invalidBase(
        path: file.shown,
        reason: "this is part \(name.number) of \(name.count)"
          + "\(remedy: "give the address of the first, “\(name.path(of: 1))”")")
    }
    let list = await downloader.digestList(beside: file.url, control)
    var parts: [RemoteFile] = []
    for number in 1...name.count {
      let part = name.path(of: number)
      var remote = file
      remote.path = part
      if number > 1 {
        remote.url = WebAddress.sibling(file.url, part.escaped) ?? file.url
        remote.claims = []
      }
      if remote.claims.isEmpty {
        remote.claims = await downloader.publishedDigests(of: remote, list: list, control)
      }
      parts.append(remote)
    }
    return parts
  }

  /// `file` with what is published beside it, unless the user says what its digest is.
  private func withPublishedDigests(
    _ file: RemoteFile, _ control: DownloadControl
  ) async -> RemoteFile {
    guard file.claims.isEmpty else { return file }
    var file = file
    let list = await downloader.digestList(beside: file.url, control)
    file.claims = await downloader.publishedDigests(of: file, list: list, control)
    return file
  }

  /// Brings what `ingest` holds to its place, and takes away what came from the same source with another signature.
  func finish(
    _ ingest: Ingest, _ plan: IngestPlan, _ policy: InstallPolicy
  ) throws(StoreError) -> BaseInstallation {
    var plan = plan
    plan.mayReplace = { old, new throws(StoreError) in try policy.checkBase(old, new) }
    guard let record = plan.base else { preconditionFailure("a plan for a base has its record") }
    let target = layout.base(record.signature)
    // Other bytes at the same address may mean another signature, and so another place.
    let former = try bases().bases.filter {
      $0.receipt.isFrom(plan.source) && $0.signature != record.signature
    }
    do throws(StoreError) {
      for base in former {
        try policy.checkBase(
          base.receipt, Receipt(plan, files: plan.records, at: process.now(), by: tool))
        let path = layout.base(base.signature)
        guard try Commit.isOurs(path) else { throw .occupied(path: path) }
      }
    } catch {
      try? ingest.remove()
      throw error
    }
    let (outcome, receipt) = try complete(ingest, plan, to: target) { _ throws(StoreError) in }
    let wasCurrent = former.contains(where: \.isCurrent)
    for base in former { try discardEntry(layout.base(base.signature)) }
    try use(record.signature, ifOnly: !wasCurrent)
    return BaseInstallation(
      try committed(record, receipt), former.isEmpty ? outcome.installOutcome : .replaced
    )
  }

  /// The base if it is installed as the server has it now.
  private func presentBase(
    _ file: RemoteFile, _ hasWaited: Bool
  ) async throws(StoreError) -> InstalledBase? {
    let isPromised = file.claims.contains { $0.voucher.strength == .promised }
    guard let base = try bases().bases.first(where: { $0.receipt.isFrom(file.url) }),
      await downloader.isCurrent(
        base.receipt, files: isPromised ? [file] : [], claims: [file.path: file.claims],
        isJoint: hasWaited, address: { _ in file.url }),
      isIntact(layout.base(base.signature), base.receipt.files)
    else { return nil }
    try vouch(
      layout.base(base.signature), by: [file.path: file.claims.vouchers.map(\.rawValue)])
    return try self.base(signed: base.signature)
  }
}
