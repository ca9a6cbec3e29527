import Adapters
import Foundation
import TensorFiles

extension AdapterStore {
  /// Downloads the model at `address` and brings it into the store; the first base is in use from then on.
  ///
  /// `sha256` is what its digest has to be, 64 lowercase hexadecimal digits.
  ///
  /// - Throws: `StoreError.network`, `.notOnServer`, `.corrupted`, `.invalidBase`, `.occupied`, `.storage`, or
  ///   `.cancelled`; then nothing has changed under the installed name.
  @discardableResult
  public func installBase(
    from address: String, sha256: String? = nil, control: DownloadControl = DownloadControl(),
    progress: @escaping DownloadObserver = { _ in }
  ) async throws(StoreError) -> (base: InstalledBase, outcome: InstallOutcome) {
    let file = RemoteFile(url: address, path: StoreLayout.model, sha256: sha256)
    return try await downloading(address, from: address, control, progress) {
      progress async throws(StoreError) in
      if let base = try await self.presentBase(file) { return (base, .alreadyInstalled) }
      let ingest = try self.beginIngest()
      let target = FilePath.join(ingest.item, StoreLayout.model)
      let plan: IngestPlan
      do throws(StoreError) {
        let result = try await self.downloader.download(
          file, to: target, control: control, progress: progress)
        plan = try self.plan(file, result, at: target)
      } catch {
        try? ingest.remove()
        throw error
      }
      return try self.finish(ingest, plan)
    }
  }

  private func plan(
    _ file: RemoteFile, _ result: DownloadedFile, at path: String
  ) throws(StoreError) -> IngestPlan {
    let address = file.shown
    var plan = IngestPlan(source: address, files: [])
    let contract: BaseContract
    do throws(StoreError) {
      contract = try self.contract(ofModel: path)
    } catch {
      // The path is one that nobody will see again.
      guard case .invalidBase(_, let reason) = error else { throw error }
      throw .invalidBase(path: address, reason: reason.replacing(path, with: "the file"))
    }
    plan.base = BaseRecord(name: Self.stem(WebAddress.fileName(file.url)), contract: contract)
    plan.records = [result.record]
    plan.sources = [FileSource(path: file.path, url: address, entityTag: result.entityTag)]
    return plan
  }

  private func finish(
    _ ingest: Ingest, _ plan: IngestPlan
  ) throws(StoreError) -> (base: InstalledBase, outcome: InstallOutcome) {
    guard let record = plan.base else { preconditionFailure("a plan for a base has its record") }
    let target = layout.base(record.signature)
    let (outcome, _) = try complete(ingest, plan, to: target) { _ throws(StoreError) in }
    if try bases().bases.count == 1 { try use(record.signature) }
    guard let base = try base(signed: record.signature) else {
      throw .noBase(record.signature, known: [])
    }
    return (base, outcome.installOutcome)
  }

  /// The base if it is installed as the server has it now.
  private func presentBase(_ file: RemoteFile) async throws(StoreError) -> InstalledBase? {
    let source = file.shown
    guard let base = try bases().bases.first(where: { $0.receipt.source == source }),
      await downloader.isCurrent(
        base.receipt, files: file.sha256 == nil ? [] : [file], address: { _ in file.url }),
      isIntact(layout.base(base.signature), base.receipt.files)
    else { return nil }
    return base
  }
}
