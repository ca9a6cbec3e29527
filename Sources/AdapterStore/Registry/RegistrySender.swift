import SystemFiles

/// Sends what a manifest names, and the manifest.
struct RegistrySender: Sendable {
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

  /// Puts a manifest under a tag, or under its digest; whether the registry says that it knows what the manifest is about.
  @discardableResult
  func put(
    _ bytes: [UInt8], _ sha256: String, as name: String,
    type: String = RegistryManifest.mediaType
  ) async throws(StoreError) -> Bool {
    var request = TransferRequest(url: client.url("manifests/" + name), limit: 0)
    (request.body, request.method) = (bytes, "PUT")
    request.fields = ["Content-Type: " + type]
    let answer = try await client.ask(request)
    guard (200..<300).contains(answer.head.status) else {
      throw client.refused(answer, "the manifest")
    }
    try check(answer, sha256, "the manifest")
    return answer.head.registrySubject != nil
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
