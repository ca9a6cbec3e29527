import Adapters
import FoundationEssentials
import JSON
import LanguageModels
import SystemFiles
import TensorFiles

/// How a folder with weights as safetensors becomes a base.
public struct FolderConversion: Sendable {
  let name: String
  let isDemanded: Bool
  let examine: @Sendable (_ folder: String) throws -> Void
  package let convert: @Sendable (_ folder: String, _ output: String) throws -> Void

  /// A conversion by `convert`, which writes the base at `output`.
  ///
  /// - Parameters:
  ///   - name: What tells two conversions of the same folder apart, such as the type of the weights.
  ///   - isDemanded: Whether a folder goes before GGUF files.
  ///   - examine: Looks at a folder that lacks the weights, and throws when it is none that can be converted.
  ///   - convert: Writes the base.
  public init(
    name: String, isDemanded: Bool, examine: @escaping @Sendable (_ folder: String) throws -> Void,
    convert: @escaping @Sendable (_ folder: String, _ output: String) throws -> Void
  ) {
    (self.name, self.isDemanded, self.examine, self.convert) = (name, isDemanded, examine, convert)
  }
}

extension AdapterStore {
  /// Brings the base at `reference` from the hub into the store.
  ///
  /// The revision is looked up first, and all files are fetched of that commit, which the receipt keeps. A GGUF file goes
  /// as it is, one in parts becomes one file, and a folder of safetensors is converted. Nothing is fetched when the same
  /// files are installed and intact.
  ///
  /// - Throws: `StoreError.hub` for what the hub has not, or not for everyone, and where there are several bases.
  func installModel(
    at reference: HubReference, _ name: String?, _ sha256: String?, _ conversion: FolderConversion,
    _ policy: InstallPolicy, _ control: DownloadControl, _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> BaseInstallation {
    let claim = try sha256.map { text throws(StoreError) in try DigestClaim(given: text) }
    let listing = try await listing(reference, control)
    let chosen = try listing.base(converts: conversion.isDemanded)
    let origin = listing.origin(chosen, conversion)
    if claim != nil, !chosen.isOneFile {
      throw .hub(
        .noBase(
          "it is several files, and the given SHA-256 is for one"
            + "\(remedy: "leave it out: each is held against the hub's own digest")"),
        page: modelHub.page(reference.repository))
    }
    let source = listing.reference.at(origin.path).description
    return try await downloading(source, from: source, control, progress) {
      _, progress, _ async throws(StoreError) in
      if let base = try self.presentBase(source, origin) {
        if let claim { try self.check(base, claim, from: source) }
        return BaseInstallation(base, .alreadyInstalled)
      }
      switch chosen {
      case .model(let model):
        var files = listing.remote(model.files, policy)
        if chosen.isOneFile {
          files[0].path = StoreLayout.model
          if let claim { files[0].claims.append(claim) }
        }
        return try await self.installModel(
          files, from: source, name: name, origin: origin, policy, control, progress)
      case .folder(_, let about, let weights):
        return try await self.installFolder(
          about, weights, of: listing, name: name, origin, conversion, policy, control, progress)
      }
    }
  }

  /// Brings the package at `reference` from the hub into the store.
  ///
  /// - Throws: `StoreError.hub` for what the hub has not, or not for everyone, and where there are several packages.
  func installPackage(
    at reference: HubReference, _ policy: InstallPolicy, _ control: DownloadControl,
    _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> AdapterInstallation {
    let listing = try await listing(reference, control)
    let chosen = try listing.package()
    var package = RemotePackage(
      url: listing.reference.at(chosen.choice.path).description,
      files: chosen.files.map { listing.remote($0, as: RemotePackage.path($0.name)) })
    package.hub = listing.origin(chosen.choice.path, chosen.files)
    return try await install(package, policy: policy, control: control, progress: progress)
  }

  private func listing(
    _ reference: HubReference, _ control: DownloadControl
  ) async throws(StoreError) -> HubListing {
    try await control.pass()
    let request = HubRequest(
      page: modelHub.page(reference.repository), revision: reference.revision ?? "main")
    let bytes = try await downloader.document(
      modelHub.listing(reference), limit: HubListing.limit, hub: request
    ).bytes
    return try HubListing(parsing: bytes, reference, modelHub)
  }

  /// The base if it was made of the same bytes, and is as it came.
  private func presentBase(
    _ source: String, _ origin: HubOrigin
  ) throws(StoreError) -> InstalledBase? {
    try bases().bases.first { base in
      base.receipt.isFrom(source) && base.receipt.hub?.hasSameBytes(as: origin) == true
        && isIntact(layout.base(base.signature), base.receipt.files)
    }
  }

  /// That a base of one file, which came from `source`, is what the user means.
  private func check(
    _ base: InstalledBase, _ claim: DigestClaim, from source: String
  ) throws(StoreError) {
    for file in base.receipt.files {
      let mismatch = try storing { () throws(FileError) in
        try claim.mismatch(file, at: base.path)
      }
      if let mismatch { throw .corrupted(url: source, reason: mismatch) }
    }
  }

  // MARK: - GGUF files

  /// Fetches a model, one file or all parts of it, and brings it into the store.
  func installModel(
    _ files: [RemoteFile], from source: String, name: String? = nil, origin: HubOrigin? = nil,
    _ policy: InstallPolicy, _ control: DownloadControl, _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> BaseInstallation {
    let ingest = try beginIngest(for: layout.bases)
    let target = FilePath.join(ingest.item, StoreLayout.model)
    let folder = FilePath.join(ingest.path, "files")
    var held = HeldFiles()
    do throws(StoreError) {
      try storing { () throws(FileError) in try FileSystem.createDirectory(folder) }
      try await downloader.hold(files, in: folder, &held, control, progress)
      var plan = IngestPlan(source: source, files: [])
      plan.hub = origin
      try join(files, in: folder, to: target, control, progress)
      let name = name ?? Self.baseName(ofFile: WebAddress.fileName(files[0].url))
      plan.base = record(
        name, try contract(ofModel: target, from: WebAddress.shown(source)), target)
      plan.records =
        files.count == 1
        ? held.files.map(\.record) : try digest(ingest.item, [StoreLayout.model])
      plan.sources = [held.source(files[0].url, of: StoreLayout.model)]
      let result = try finish(ingest, plan, policy)
      held.remove()
      return result
    } catch {
      abandon(ingest, held, after: error)
      throw error
    }
  }

  /// Ends an ingest that failed; what came is kept for the next attempt.
  private func abandon(_ ingest: Ingest, _ held: HeldFiles, after error: StoreError) {
    try? ingest.remove()
    // Bytes that are no base will be none the next time.
    if error.code == .invalidBase { held.remove() } else { held.release(now: process.now()) }
  }

  private func join(
    _ files: [RemoteFile], in folder: String, to target: String, _ control: DownloadControl,
    _ progress: InstallObserver
  ) throws(StoreError) {
    let first = FilePath.join(folder, files[0].path)
    guard files.count > 1 else {
      return try storing { () throws(FileError) in try FileSystem.rename(first, to: target) }
    }
    do {
      try GGUFFile(path: first).writeWhole(to: target) { done, total in
        if control.isCancelled || Task.isCancelled { throw StoreError.cancelled }
        progress(DownloadProgress(file: "joining the parts", received: done, total: total))
      }
    } catch let error as StoreError {
      throw error
    } catch let error as FileError {
      if case .system = error { throw .storage(error) }
      throw .invalidBase(
        path: WebAddress.shown(files[0].url),
        reason: ("\(error)" as ErrorText).map { $0.replacing(folder + "/", with: "") })
    } catch {
      throw .busy(path: target)
    }
  }

  /// The contract of a model that came from `source`, at a path that nobody will see again.
  func contract(ofModel path: String, from source: String) throws(StoreError) -> BaseContract {
    do throws(StoreError) {
      return try contract(ofModel: path)
    } catch {
      guard error.code == .invalidBase, let reason = error.reason else { throw error }
      throw .invalidBase(path: source, reason: reason.map { $0.replacing(path, with: "the file") })
    }
  }

  // MARK: - Folders

  /// Fetches a folder, what tells of the model first, and converts it.
  private func installFolder(
    _ about: [HubFile], _ weights: [HubFile], of listing: HubListing, name: String?,
    _ origin: HubOrigin, _ conversion: FolderConversion, _ policy: InstallPolicy,
    _ control: DownloadControl, _ progress: @escaping InstallObserver
  ) async throws(StoreError) -> BaseInstallation {
    let source = listing.reference.at(origin.path).description
    let own = FilePath.name(of: origin.path.isEmpty ? origin.repository : origin.path)
    let ingest = try beginIngest(for: layout.bases)
    let folder = FilePath.join(ingest.path, "files/\(own)")
    var held = HeldFiles()
    do throws(StoreError) {
      try storing { () throws(FileError) in try FileSystem.createDirectory(folder) }
      try await downloader.hold(
        listing.remote(about, policy), in: folder, &held, control, progress)
      try converting(folder, source) { try conversion.examine(folder) }
      let rest = try Self.named(weights, in: folder, source)
      try await downloader.hold(
        listing.remote(rest, policy), in: folder, &held, control, progress)
      let target = FilePath.join(ingest.item, StoreLayout.model)
      try converting(folder, source) { try conversion.convert(folder, target) }
      var plan = IngestPlan(source: source, files: [])
      plan.hub = origin
      plan.base = record(
        name ?? own, try contract(ofModel: target, from: source), target, isMadeHere: true)
      plan.records = try digest(ingest.item, [StoreLayout.model])
      let config = listing.remote(about[0], as: about[0].name).url
      plan.sources = [held.source(config, of: StoreLayout.model, isMade: true)]
      let result = try finish(ingest, plan, policy)
      held.remove()
      return result
    } catch {
      abandon(ingest, held, after: error)
      throw error
    }
  }

  /// Those of `weights` that the index in `folder` names, where there is one.
  private static func named(
    _ weights: [HubFile], in folder: String, _ source: String
  ) throws(StoreError) -> [HubFile] {
    let path = FilePath.join(folder, HubListing.index)
    guard FileSystem.kind(of: path) != nil else { return weights }
    let limit = 16 << 20
    let bytes = try storing { () throws(FileError) in
      try FileSystem.read(path, limit: limit)
    }
    let root = try? JSONDocument(parsing: bytes, limit: limit, values: limit / 8).root
    let members = root?.object?["weight_map"]?.object?.members ?? []
    let names = Set(members.compactMap(\.value.string))
    let found = weights.filter { names.contains($0.name) }
    guard !names.isEmpty, found.count == names.count else {
      throw .invalidBase(
        path: source,
        reason: "its \(HubListing.index) names files of weights that are not there"
          + "\(remedy: "look for another repository of the model")")
    }
    return found
  }

  /// Runs `body`, which reads `folder`, in words about `source`.
  private func converting(
    _ folder: String, _ source: String, _ body: () throws -> Void
  ) throws(StoreError) {
    do {
      try body()
    } catch BaseModelError.cancelled {
      throw .cancelled
    } catch BaseModelError.file(let error) {
      guard case .system = error else { throw Self.invalid(source, "\(error)", folder) }
      throw .storage(error)
    } catch let error as any ExplainedError {
      throw Self.invalid(source, "\(error)", folder)
    } catch {
      throw Self.invalid(source, "\(error)", folder)
    }
  }

  private static func invalid(
    _ source: String, _ reason: ErrorText, _ folder: String
  ) -> StoreError {
    .invalidBase(
      path: source,
      reason: reason.map {
        $0.replacing(folder + "/", with: "").replacing(folder, with: "the folder")
      })
  }
}
