import Adapters
import JSON
import SystemFiles

// Signatures as what they are to a registry: manifests about a manifest.
//
// Source: the distribution specification 1.1, "Listing referrers", with its tag for registries that have no such lists.

extension RegistrySender {
  /// Says in the registry that `signature`, which it has, is about the manifest `subject`.
  func attach(
    _ signature: RegistryManifest.Layer, to subject: RegistryManifest.Subject
  ) async throws(StoreError) {
    let manifest = RegistryManifest(
      type: PackageSignature.mediaType, layers: [signature], subject: subject)
    let own = RegistryManifest.Subject(manifest)
    if try await put(manifest.bytes, own.sha256, as: "sha256:" + own.sha256) { return }
    let tag = RegistryClient.referrersTag(subject.sha256)
    let old = try await client.manifest(tag).map(\.bytes) ?? []
    var entries = (try? JSONDocument(parsing: old).root)?.object?["manifests"]?.array ?? []
    let isListed = entries.contains {
      $0.object?["digest"]?.string == "sha256:" + own.sha256
    }
    guard !isListed else { return }
    var entry = RegistryManifest.descriptor(RegistryManifest.mediaType, own.sha256, own.size)
    entry["artifactType"] = .string(PackageSignature.mediaType)
    entries.append(.object(entry))
    let list: JSONObject = [
      "schemaVersion": .number(JSONNumber(2)), "mediaType": .string(RegistryManifest.indexType),
      "manifests": .array(entries),
    ]
    let bytes = Array(JSONValue.object(list).line.utf8)
    try await put(bytes, SHA256.hex(bytes), as: tag, type: RegistryManifest.indexType)
  }
}

extension RegistryClient {
  /// What lists are called where a registry has none of its own.
  static func referrersTag(_ sha256: String) -> String { "sha256-" + sha256 }

  /// Signatures that are looked at.
  private static let limit = 8

  /// A signature that others say is about the package of `manifest`, with the digest `sha256`: by one of `keys` where one is, and of
  /// exactly its files; nil where there is none.
  func signature(
    of manifest: RegistryManifest, _ sha256: String, by keys: [PublicKey]
  ) async throws(StoreError) -> RegistryManifest.Layer? {
    let digests = Dictionary(uniqueKeysWithValues: manifest.layers.map { ($0.name, $0.sha256) })
    var found: RegistryManifest.Layer?
    for digest in try await referrers(of: sha256).prefix(Self.limit) {
      guard let (bytes, _) = try await self.manifest("sha256:" + digest),
        let layer = RegistryManifest.signature(bytes),
        let bundle = try? PackageSignature(
          parsing: await blob(layer, limit: PackageSignature.sizeLimit)),
        bundle.covers(digests)
      else { continue }
      if keys.contains(where: bundle.isMade) { return layer }
      found = found ?? layer
    }
    return found
  }

  /// Digests of the manifests of signatures that are about the manifest `sha256`.
  private func referrers(of sha256: String) async throws(StoreError) -> [String] {
    let answer = try await get(
      "referrers/sha256:" + sha256, accept: RegistryManifest.indexType,
      limit: RegistryManifest.limit)
    var bytes = answer.head.status == 200 ? answer.bytes : nil
    if bytes == nil { bytes = try await manifest(Self.referrersTag(sha256))?.bytes }
    let list = bytes.flatMap { try? JSONDocument(parsing: $0, values: 1 << 16).root }
    return (list?.object?["manifests"]?.array ?? []).filter {
      $0.object?["artifactType"]?.string == PackageSignature.mediaType
    }.compactMap { $0.object?["digest"]?.string.flatMap(RegistryReference.sha256) }
  }
}

extension RegistryManifest {
  /// The one layer of a signature's manifest, as the file that it is in a package.
  fileprivate static func signature(_ bytes: [UInt8]) -> Layer? {
    let layers = (try? JSONDocument(parsing: bytes, values: 1 << 10).root)?.object?["layers"]?.array
    guard let layers, layers.count == 1, let size = layers[0].object?["size"]?.integer,
      let digest = layers[0].object?["digest"]?.string.flatMap(RegistryReference.sha256)
    else { return nil }
    return Layer(name: PackageFile.signature, size: size, sha256: digest)
  }
}
