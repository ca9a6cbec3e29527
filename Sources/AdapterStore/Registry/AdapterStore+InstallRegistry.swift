import Adapters
import SystemFiles

extension AdapterStore {
  /// Brings the package at `reference` from a registry into the store.
  ///
  /// The manifest vouches for the files, and its own digest, where the reference has one, for the manifest.
  ///
  /// - Throws: `StoreError.registry` for what the registry has not, or not for everyone.
  func installPackage(
    at reference: RegistryReference, _ policy: InstallPolicy, _ control: DownloadControl,
    _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> AdapterInstallation {
    try await control.pass()
    let client = try await RegistryClient(reference, downloader)
    let manifest = try await client.package(reference.manifest)
    let files = manifest.layers.map { layer in
      RemoteFile(
        url: client.url("blobs/sha256:" + layer.sha256), path: RemotePackage.path(layer.name),
        size: layer.size, sha256: layer.sha256, by: .manifest)
    }
    let package = RemotePackage(url: reference.description, files: files)
    return try await install(package, policy: policy, control: control, progress: progress)
  }
}

extension RegistryClient {
  /// The manifest of the package that `name` means: itself, or the only package of an index.
  ///
  /// - Throws: `StoreError.registry` with `.noManifest`, `.noRepository`, `.noPackage` or `.badManifest`.
  fileprivate func package(_ name: String) async throws(StoreError) -> RegistryManifest {
    switch try await reading(name) {
    case .package(let manifest): return manifest
    case .index(let digests):
      guard digests.count == 1,
        case .package(let manifest) = try await reading("sha256:\(digests[0])")
      else {
        throw fault(
          .noPackage(
            "it is a list of \(Figures.count(digests.count, "manifest"))"
              + "\(remedy: "name one of them with @sha256:DIGEST")"))
      }
      return manifest
    }
  }

  private func reading(_ name: String) async throws(StoreError) -> RegistryManifest.Reading {
    guard let (bytes, _) = try await manifest(name) else { throw try await missing(name) }
    do throws(RegistryFault) {
      return try RegistryManifest.read(bytes)
    } catch {
      throw fault(error)
    }
  }
}
