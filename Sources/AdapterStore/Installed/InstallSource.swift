import SystemFiles

/// Where an adapter comes from.
public enum AdapterSource: Sendable {
  /// A package on this machine.
  case path(String)
  /// The address of a package's folder, such as `https://host/name.fmadapter/`.
  case url(String)
  /// A package in a repository of the hub.
  case hub(HubReference)
  /// A package in a registry.
  case registry(RegistryReference)
  /// What a catalog has: its digests vouch for it, and ``AdapterStore/AdapterStore/checkReplacement(by:allowDowngrade:force:)`` says whether it may take the place
  /// of what is installed.
  case offer(CatalogOffer)
}

/// Where a base comes from.
public enum BaseSource: Sendable {
  /// The file of a model on this machine, or the first of several, which become one.
  case path(String, BaseTransfer = .copy)
  /// The address of such a file.
  case url(String)
  /// A model in a repository of the hub; a folder of safetensors is converted.
  case hub(HubReference, FolderConversion)
}

/// What an installation of a base came to.
public struct BaseInstallation: Sendable {
  /// The base as it is in the store now.
  public let base: InstalledBase
  /// How it ended.
  public let outcome: InstallOutcome

  package init(_ base: InstalledBase, _ outcome: InstallOutcome) {
    (self.base, self.outcome) = (base, outcome)
  }
}

extension AdapterStore {
  /// Called with how far an installation is, on any thread.
  typealias InstallObserver = @Sendable (DownloadProgress) -> Void

  /// Brings the adapter at `source` into the store: copied or downloaded, checked, and made visible.
  ///
  /// A package for a base that is not installed is taken all the same; it is obsolete until the base comes. What an earlier download
  /// has brought is used again. `control` pauses and cancels it, and tells how far it is. Nothing is fetched when the server has still the version that is installed, and something vouched for
  /// that; what nothing vouches for is fetched again and compared.
  ///
  /// - Throws: `StoreError.refused` with every finding, `.noSource`, `.occupied`, `.storage`, or `.cancelled`; `.network`, `.notOnServer`,
  ///   `.corrupted`, `.hub`, `.registry` and `.invalidCatalog` of what is fetched; `.olderPackage` and `.changedBytes` unless `policy` lets it
  ///   replace, `.unverified` when it wants digests, `.refused` when it wants a signature; `.otherSigner` where it wants none, and what is installed was
  ///   wanted to be signed by keys that did not sign this. Then nothing has changed under the installed name, but for `.storage` with
  ///   `FileOperation.confirm`, when the new one stands there, and a loss of power may bring the old one back.
  @discardableResult
  public func installAdapter(
    _ source: AdapterSource, policy: InstallPolicy = InstallPolicy(),
    control: DownloadControl = DownloadControl()
  ) async throws(StoreError) -> AdapterInstallation {
    defer { control.endProgress() }
    let progress = control.tell
    let result =
      switch source {
      case .path(let path): try await installPackage(path, policy)
      case .url(let address): try await installPackage(from: address, policy, control, progress)
      case .hub(let reference): try await installPackage(at: reference, policy, control, progress)
      case .registry(let reference):
        try await installPackage(at: reference, policy, control, progress)
      case .offer(let offer): try await install(offer, policy, control, progress)
      }
    // What comes is looked at before it is shown; what is there was, perhaps, installed without a demand.
    guard result.outcome == .alreadyInstalled, !policy.signers.isEmpty else { return result }
    try policy.checkSignature(result.adapter.path)
    try hold(result.adapter, to: policy.signers)
    return settled(result)
  }

  /// Brings the model at `source` into the store; the first base is in use from then on.
  ///
  /// It is called `name`, or as its file or folder is. `sha256` is what the digest of a single file has to be, 64 hexadecimal
  /// digits; a model in several is refused with one. Without it a digest is looked for beside a file that is fetched; one that nothing
  /// vouches for is fetched again each time, and compared. Another file with the same signature, such as another quantization of the
  /// same source, takes its place only if `policy` lets it replace: the signature of such a file is its claim.
  ///
  /// - Throws: `StoreError.invalidBase`, `.noSource`, `.corrupted`, `.occupied`, `.storage`, or `.cancelled`; `.network`, `.notOnServer` and
  ///   `.hub` of what is fetched; `.otherBase` unless `policy` lets it replace, `.unverified` when it wants digests, `.badDigest` for a
  ///   `sha256` that is none. Then nothing has changed under the installed name, but as
  ///   ``installAdapter(_:policy:control:)`` says.
  @discardableResult
  public func installBase(
    _ source: BaseSource, name: String? = nil, sha256: String? = nil,
    policy: InstallPolicy = InstallPolicy(), control: DownloadControl = DownloadControl()
  ) async throws(StoreError) -> BaseInstallation {
    defer { control.endProgress() }
    let progress = control.tell
    return switch source {
    case .path(let path, let transfer):
      try await installModel(path, name, sha256, transfer, policy) { done, total in
        progress(DownloadProgress(file: FilePath.name(of: path), received: done, total: total))
      }
    case .url(let address):
      try await installModel(from: address, name, sha256, policy, control, progress)
    case .hub(let reference, let conversion):
      try await installModel(at: reference, name, sha256, conversion, policy, control, progress)
    }
  }
}
