import Adapters
import SystemFiles

extension AdapterStore {
  /// Brings the package at `reference` from a registry into the store.
  ///
  /// The manifest vouches for the files, and its own digest, where the reference has one, for the manifest. Of several signatures that
  /// stand beside it, one by a key that is demanded is taken, else by one of `keys`.
  ///
  /// - Throws: `StoreError.registry` for what the registry has not, or not for everyone.
  func installPackage(
    at reference: RegistryReference, _ policy: InstallPolicy, _ control: DownloadControl,
    _ progress: @escaping InstallObserver, expecting keys: [PublicKey] = []
  ) async throws(StoreError) -> AdapterInstallation {
    try await control.pass()
    let client = try await RegistryClient(reference, downloader)
    var (manifest, sha256) = try await client.package(reference.manifest)
    if !manifest.layers.contains(where: { $0.name == PackageFile.signature }),
      let signature = try await client.signature(
        of: manifest, sha256, by: policy.signers.isEmpty ? keys : policy.signers)
    {
      manifest.layers.append(signature)
    }
    let files = manifest.layers.map { layer in
      RemoteFile(
        url: client.url("blobs/sha256:" + layer.sha256), path: RemotePackage.path(layer.name),
        size: layer.size, sha256: layer.sha256, by: .manifest)
    }
    let package = RemotePackage(url: reference.description, files: files)
    return try await install(package, policy: policy, control: control, progress: progress)
  }

  /// `files` of a package where they are fetched from: in the folder at `source`, or in a repository of a registry, by their digests.
  func remote(
    _ files: [CatalogFile], at source: String, by voucher: DigestVoucher
  ) async throws(StoreError) -> [RemoteFile] {
    var client: RegistryClient?
    if RegistryReference.isReference(source) {
      client = try await RegistryClient(RegistryReference(source), downloader)
    }
    let found = client
    return files.map { file in
      RemoteFile(
        url: found?.url("blobs/sha256:" + file.sha256) ?? source + file.path,
        path: RemotePackage.path(file.path), size: file.size, sha256: file.sha256, by: voucher)
    }
  }
}

extension RegistryClient {
  /// The manifest of the package that `name` means, itself, or the only package of an index; and its digest.
  ///
  /// - Throws: `StoreError.registry` with `.noManifest`, `.noRepository`, `.noPackage` or `.badManifest`.
  func package(
    _ name: String
  ) async throws(StoreError) -> (manifest: RegistryManifest, sha256: String) {
    var (reading, sha256) = try await reading(name)
    if case .index(let digests) = reading {
      guard digests.count == 1 else {
        throw fault(
          .noPackage(
            "it is a list of \(Figures.count(digests.count, "manifest"))"
              + "\(remedy: "name one of them with @sha256:DIGEST")"))
      }
      (reading, sha256) = try await self.reading("sha256:\(digests[0])")
    }
    switch reading {
    case .package(let manifest): return (manifest, sha256)
    case .index:
      throw fault(
        .noPackage("it is a list of lists\(remedy: "name a package with @sha256:DIGEST")"))
    case .catalog:
      throw fault(
        .noPackage("it is a catalog\(remedy: "add it as one, and install from it by name")"))
    }
  }

  /// The file `name` of the catalog that the reference means; nil where that has none.
  ///
  /// - Throws: `StoreError.registry` with `.noCatalog` for what is none, and as for packages.
  func catalogFile(_ name: String, limit: Int) async throws(StoreError) -> [UInt8]? {
    guard case .catalog(let files) = try await reading(reference.manifest).reading else {
      throw fault(.noCatalog)
    }
    guard let file = files.first(where: { $0.name == name }) else { return nil }
    return try await blob(file, limit: limit)
  }

  private func reading(
    _ name: String
  ) async throws(StoreError) -> (reading: RegistryManifest.Reading, sha256: String) {
    guard let (bytes, sha256) = try await manifest(name) else { throw try await missing(name) }
    do throws(RegistryFault) {
      return (try RegistryManifest.read(bytes), sha256)
    } catch {
      throw fault(error)
    }
  }
}
