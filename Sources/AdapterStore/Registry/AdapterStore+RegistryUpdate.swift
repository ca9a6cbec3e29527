import Adapters
import SystemFiles

extension AdapterStore {
  /// How `adapter` stands to what is under the tag now that it was installed from; nil where it came from no tag, or from a catalog.
  ///
  /// - Throws: `StoreError.cancelled`; that the registry cannot be asked is an answer.
  func registryUpdate(of adapter: InstalledAdapter) async throws(StoreError) -> AdapterUpdate? {
    guard let receipt = adapter.receipt, receipt.catalog == nil,
      RegistryReference.isReference(receipt.source),
      let reference = try? RegistryReference(receipt.source), reference.digest == nil,
      let source = CatalogSource(listed: reference.description)
    else { return nil }
    do throws(StoreError) {
      let offered = try await offered(at: reference)
      guard offered.identifier == adapter.identifier else { return nil }
      let offer = CatalogOffer(adapter: offered, catalog: source, reference: reference)
      return AdapterUpdate(of: adapter, in: [offer])
    } catch {
      if error.code == .cancelled { throw error }
      return AdapterUpdate(of: adapter, .init(catalog: source, error: error))
    }
  }

  /// The package that is at `reference` now, as a catalog would have it.
  private func offered(
    at reference: RegistryReference
  ) async throws(StoreError) -> CatalogAdapter {
    let client = try await RegistryClient(reference, downloader)
    let manifest = try await client.package(reference.manifest).manifest
    let files = manifest.layers.map {
      CatalogFile(path: $0.name, size: $0.size, sha256: $0.sha256)
    }
    guard let layer = manifest.layers.first(where: { $0.name == PackageFile.metadata }) else {
      preconditionFailure("a package without metadata was refused")
    }
    let bytes = try await client.blob(layer, limit: 8 << 20)
    do throws(AdapterError) {
      let metadata = try AdapterMetadata(
        parsing: bytes, file: "\(reference)/\(PackageFile.metadata)")
      return CatalogAdapter(metadata, files, url: reference.repositoryAddress)
    } catch {
      throw StoreError(error)
    }
  }
}
