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
        directory: "oci://\(reference.host)/\(reference.repository)")
    }
    var sent = 0
    for layer in manifest.layers {
      if try await sender.send(layer, FilePath.join(path, layer.name)) { sent += layer.size }
    }
    for tag in tags where old[tag] != sha256 { try await sender.put(bytes, sha256, as: tag) }
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
  private func repositories(at origin: String) -> [String: String] {
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

/// Sends what a manifest names, and the manifest.
private struct RegistrySender: Sendable {
  let client: RegistryClient
  /// Repositories of the registry by the digest of a file that they have.
  let known: [String: String]
  let progress: @Sendable (DownloadProgress) -> Void

  private static let attempts = 4

  /// Sends the file at `path` unless the registry has it; whether it was sent.
  func send(_ layer: RegistryManifest.Layer, _ path: String) async throws(StoreError) -> Bool {
    var request = TransferRequest(url: "", limit: 0)
    request.upload = TransferRequest.Upload(path: path, size: layer.size)
    return try await send(request, layer.sha256, layer.name, layer.size)
  }

  /// Sends what stands in the place of a configuration.
  func sendEmpty() async throws(StoreError) {
    var request = TransferRequest(url: "", limit: 0)
    (request.body, request.method) = (RegistryManifest.empty, "PUT")
    _ = try await send(request, SHA256.hex(RegistryManifest.empty), "the configuration", 2)
  }

  private func send(
    _ request: TransferRequest, _ sha256: String, _ name: String, _ size: Int
  ) async throws(StoreError) -> Bool {
    var failures = 0
    while true {
      // What was cut may have arrived all the same.
      if try await has(sha256) { return false }
      progress(DownloadProgress(file: name, received: 0, total: size))
      guard let session = try await session(sha256) else { return false }
      var request = request
      request.url = session + (session.contains("?") ? "&" : "?") + "digest=sha256%3A" + sha256
      request.fields = ["Content-Type: application/octet-stream"]
      do throws(StoreError) {
        let answer = try await client.ask(request, attempts: 1)
        guard answer.head.status == 201 else { throw client.refused(answer, name) }
        try check(answer, sha256, name)
        progress(DownloadProgress(file: name, received: size, total: size))
        return true
      } catch {
        failures += 1
        // A session that was cut is lost, and so is what it had.
        guard error.code == .network || error.isLostSession, failures < Self.attempts else {
          throw error
        }
        progress(DownloadProgress(file: name, received: 0, total: size))
        await client.downloader.surroundings.sleep(Double(1 << failures) / 2)
        if Task.isCancelled { throw .cancelled }
      }
    }
  }

  private func has(_ sha256: String) async throws(StoreError) -> Bool {
    var request = TransferRequest(url: client.url("blobs/sha256:" + sha256), limit: 0)
    request.method = "HEAD"
    do throws(StoreError) {
      return try await client.ask(request).head.status == 200
    } catch {
      // Whether anything may be sent is found out by sending; of what is not there yet many allow no look.
      guard case .denied? = error.registryFault else { throw error }
      return false
    }
  }

  /// Where to send a file to; nil where the registry has taken it over from another repository.
  private func session(_ sha256: String) async throws(StoreError) -> String? {
    var query = ""
    if let other = known[sha256], other != client.reference.repository {
      query = "?mount=sha256%3A\(sha256)&from=\(other.escaped)"
    }
    var request = TransferRequest(url: client.url("blobs/uploads/") + query, limit: 0)
    request.body = []
    // Libcurl would call it a form.
    request.fields = ["Content-Type:"]
    let answer = try await client.ask(request)
    switch answer.head.status {
    case 201 where !query.isEmpty: return nil
    case 202:
      guard let location = answer.head.location, let target = address(location) else {
        throw client.fault(.nonsense("it does not say where to send a file to"))
      }
      return target
    case 404: throw client.fault(.noRepository(registry: client.reference.host))
    default: throw client.refused(answer, "a file")
    }
  }

  /// The address that `location`, which may be without a host, means; nil where nothing may be sent to it.
  private func address(_ location: String) -> String? {
    if location.hasPrefix("/"), !location.hasPrefix("//") { return client.origin + location }
    guard let target = WebAddress(location), !target.hasLogin else { return nil }
    // Behind proxies many registries take themselves for servers of plain http.
    if target.scheme == "http", client.origin.hasPrefix("https://"),
      target.host == WebAddress(client.origin)?.host
    {
      let path = location.dropFirst("http://".count)
      return client.origin + path.drop { $0 != "/" }
    }
    return target.scheme == "https" || target.origin == client.origin ? location : nil
  }

  /// Puts the manifest under a tag.
  func put(_ bytes: [UInt8], _ sha256: String, as tag: String) async throws(StoreError) {
    var request = TransferRequest(url: client.url("manifests/" + tag), limit: 0)
    (request.body, request.method) = (bytes, "PUT")
    request.fields = ["Content-Type: " + RegistryManifest.mediaType]
    let answer = try await client.ask(request)
    guard (200..<300).contains(answer.head.status) else {
      throw client.refused(answer, "the manifest")
    }
    try check(answer, sha256, "the manifest")
  }

  private func check(
    _ answer: RegistryClient.Answer, _ sha256: String, _ what: String
  ) throws(StoreError) {
    guard let text = answer.head.registryDigest, text != "sha256:" + sha256 else { return }
    throw client.fault(
      .nonsense(
        "it says that \(what) has the digest \(text.prefix(80)), and it is sha256:\(sha256)"))
  }
}

extension StoreError {
  fileprivate var isLostSession: Bool {
    guard case .refused(let status, let code, _)? = registryFault else { return false }
    return status == 404 || code == "BLOB_UPLOAD_UNKNOWN" || code == "BLOB_UPLOAD_INVALID"
  }
}
