import Adapters
import SystemFiles

/// What became of a catalog that was sent to a registry.
package struct CatalogPush: Sendable {
  /// Versions in it.
  package let versions: Int
  /// Bytes of all files, and how many of them the registry did not have.
  package let size: Int
  package let sent: Int
  /// Names this state of the catalog for ever.
  package let reference: RegistryReference
}

extension AdapterStore {
  /// Sends the catalog in `directory` to a registry, under the tag of `reference`, else `latest`: the files of its versions, its
  /// indexes, and at the end one manifest that names them all by their paths.
  ///
  /// What the registry has already is not sent. Versions whose files are not in the folder keep their addresses.
  ///
  /// - Throws: `StoreError.noIndex` and `.invalidCatalog` of the folder, `.notInFolder` where a file is missing; `.registry` and
  ///   `.network` of the registry. Then readers find what was there before.
  package func push(
    catalog directory: String, to reference: RegistryReference,
    progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(StoreError) -> CatalogPush {
    let publisher = CatalogPublisher(directory: directory)
    let (layers, versions) = try publisher.layers()
    let manifest = RegistryManifest(
      type: RegistryManifest.catalogType, layers: layers,
      annotations: [("org.fmadapter.versions", String(versions))])
    let bytes = manifest.bytes
    guard bytes.count <= RegistryManifest.limit else {
      throw .invalidCatalog(
        url: directory,
        reason: "its manifest would have \(Figures.size(bytes.count)), which no registry takes"
          + "\(remedy: "publish to several catalogs")")
    }
    let client = try await RegistryClient(reference, downloader)
    let sender = RegistrySender(
      client: client, known: repositories(at: client.origin), progress: progress)
    try await sender.sendEmpty()
    var sent: [String: Int] = [:]
    for layer in layers where sent[layer.sha256] == nil {
      let isNew = try await sender.send(layer, FilePath.join(directory, layer.name))
      sent[layer.sha256] = isNew ? layer.size : 0
    }
    let sha256 = SHA256.hex(bytes)
    try await sender.put(bytes, sha256, as: reference.tag ?? "latest")
    return CatalogPush(
      versions: versions, size: layers.reduce(0) { $0 + $1.size },
      sent: sent.values.reduce(0, +), reference: reference.at(digest: sha256))
  }
}

extension CatalogPublisher {
  /// The files of the catalog with their digests, the indexes first, and the number of versions.
  fileprivate func layers() throws(StoreError) -> ([RegistryManifest.Layer], Int) {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let path = FilePath.join(directory, Catalog.fileName)
    guard let index = try PublishedIndex.read(path, limit: Catalog.sizeLimit) else {
      throw .noIndex(path: path)
    }
    let address = "oci://localhost/catalog"
    let catalog = try Catalog(parsing: index, url: address)
    var layers: [RegistryManifest.Layer] = []
    for name in [Catalog.fileName, SignedIndex.fileName] {
      guard
        let bytes = try PublishedIndex.read(
          FilePath.join(directory, name), limit: SignedIndex.sizeLimit)
      else { continue }
      layers.append(.init(name: name, size: bytes.count, sha256: SHA256.hex(bytes)))
    }
    for (adapter, folder) in zip(catalog.adapters, PublishedIndex.folders(of: index))
    where adapter.url == address {
      for file in adapter.files {
        let name = FilePath.join(folder, file.path)
        let found = try storing { () throws(FileError) in
          try FileSystem.info(FilePath.join(directory, name))
        }
        guard found != nil else { throw .notInFolder(path: FilePath.join(directory, name)) }
        layers.append(.init(name: name, size: file.size, sha256: file.sha256))
      }
    }
    return (layers, catalog.adapters.count)
  }
}
