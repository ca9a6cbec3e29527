package import Adapters
import SystemFiles

/// What became of a package that was sent to a registry.
package struct RegistryPublication: Sendable {
  package let identifier: AdapterIdentifier
  package let version: AdapterVersion
  package let outcome: CatalogPublisher.Outcome
  /// Bytes of its files, and how many of them the registry did not have.
  package let size: Int
  package let sent: Int
  /// The tags that it has now.
  package let tags: [String]
  /// Names these bytes for ever.
  package let reference: RegistryReference
  package let report: CheckReport
}

/// How packages are sent to a registry.
package struct RegistryPolicy: Sendable {
  /// Version of packages that state none.
  package var defaultVersion: AdapterVersion?
  /// Whether a tag that is a version may get other bytes.
  package var replaces = false
  /// Where the package is made, for people and for registries that show it.
  package var source: String?

  package init() {}
}

extension AdapterStore {
  /// Checks the package at `path`, and sends it to a registry: its files, then the manifest, under the tag of `reference`, else
  /// under its version and `latest`.
  ///
  /// What the registry has already is not sent, and what another of its repositories is known to have is taken over from there.
  /// A manifest that is cut off is listed under no tag.
  ///
  /// - Throws: `StoreError.refused` and the like of the package, before anything is sent; `.otherPublication` where a tag that is
  ///   a version has other bytes and `policy` does not let it replace; `.registry` and `.network` of the registry.
  package func publish(
    _ path: String, to reference: RegistryReference, _ policy: RegistryPolicy,
    progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(StoreError) -> RegistryPublication {
    let candidate = try PackageCandidate(path, defaultVersion: policy.defaultVersion)
    let client = try await RegistryClient(reference, downloader)
    let manifest = RegistryManifest(
      candidate.metadata, version: candidate.version, candidate.files, source: policy.source)
    let bytes = manifest.bytes
    let sha256 = SHA256.hex(bytes)
    let tags = Self.tags(reference, candidate.version)
    let sender = RegistrySender(
      client: client, known: repositories(at: client.origin), progress: progress)
    // Small, and first: whoever may not write learns it from this.
    try await sender.sendEmpty()
    var old: [String: String] = [:]
    for tag in tags { old[tag] = try await client.manifest(tag)?.sha256 }
    for tag in tags {
      guard let other = old[tag], other != sha256, Self.isVersion(tag), !policy.replaces else {
        continue
      }
      throw .otherPublication(
        "\(candidate.identifier) \(tag)",
        directory: reference.repositoryAddress)
    }
    var sent = 0
    for layer in manifest.layers {
      if try await sender.send(layer, FilePath.join(path, layer.name)) { sent += layer.size }
    }
    for tag in tags where old[tag] != sha256 { try await sender.put(bytes, sha256, as: tag) }
    if let signature = manifest.layers.first(where: { $0.name == PackageFile.signature }) {
      try await sender.attach(signature, to: .init(manifest))
    }
    let outcome: CatalogPublisher.Outcome =
      old[tags[0]] == nil ? .added : old[tags[0]] == sha256 ? .unchanged : .replaced
    return RegistryPublication(
      identifier: candidate.identifier, version: candidate.version, outcome: outcome,
      size: manifest.layers.reduce(0) { $0 + $1.size }, sent: sent, tags: tags,
      reference: reference.at(digest: sha256), report: candidate.report)
  }

  /// A tag has no plus sign, in whose place others write `_`, too.
  private static func tags(_ reference: RegistryReference, _ version: AdapterVersion) -> [String] {
    if let tag = reference.tag { return [tag] }
    let own = version == .unstated ? [] : [version.description.replacing("+", with: "_")]
    return own + ["latest"]
  }

  private static func isVersion(_ tag: String) -> Bool {
    AdapterVersion(tag.replacing("_", with: "+")) != nil
  }

  /// The repositories of the registry that files of installed adapters came from, by the files' digests.
  func repositories(at origin: String) -> [String: String] {
    var found: [String: String] = [:]
    for adapter in (try? adapters().adapters) ?? [] {
      for source in adapter.receipt?.sources ?? [] {
        let start = origin + "/v2/"
        guard source.url.hasPrefix(start),
          let end = source.url.ranges(of: "/blobs/sha256:").last
        else { continue }
        let name = source.url[..<end.lowerBound].dropFirst(start.count)
        found[String(source.url[end.upperBound...])] = String(name)
      }
    }
    return found
  }
}
