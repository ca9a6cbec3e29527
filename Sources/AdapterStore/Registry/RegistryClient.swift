import FoundationEssentials
import JSON
import SystemFiles

/// A repository of a registry, as requests reach it.
struct RegistryClient: Sendable {
  let reference: RegistryReference
  /// Scheme, host and port.
  let origin: String
  let downloader: Downloader

  /// Finds out how the registry of `reference` is reached: by https, but on this machine by http where it speaks that.
  init(
    _ reference: RegistryReference, _ downloader: Downloader
  ) async throws(StoreError) {
    (self.reference, self.downloader) = (reference, downloader)
    let isPlain =
      reference.isLoopback
      ? await Self.speaksHTTP(reference.server, downloader) : false
    origin = (isPlain ? "http://" : "https://") + reference.server
    if Task.isCancelled { throw .cancelled }
  }

  private static func speaksHTTP(_ server: String, _ downloader: Downloader) async -> Bool {
    let url = "http://\(server)/v2/"
    var request = TransferRequest(url: url, isSmall: true, limit: answerLimit)
    request.accept = "application/json"
    var expectation = Expectation(url: url)
    expectation.takesRefusals = true
    let receiver = BytesReceiver(expectation, limit: answerLimit)
    do throws(TransferFault) {
      try await downloader.transport.perform(request, receiver)
    } catch {
      // Nobody at all listens: the error is to speak of the simpler address.
      if case .nobody = error { return true }
      return false
    }
    return receiver.head.map { [200, 401, 403].contains($0.status) } ?? false
  }

  /// Bytes of an answer that is no manifest.
  private static let answerLimit = 1 << 20

  /// Status, fields and body of an answer.
  struct Answer {
    let head: ResponseHead
    let bytes: [UInt8]

    /// The registry's own code for what is wrong.
    var code: String? {
      let errors = (try? JSONDocument(parsing: bytes).root)?.object?["errors"]?.array
      let code = errors?.first?.object?["code"]?.string
      return code.flatMap { $0.wholeMatch(of: /[A-Z_]{1,40}/) == nil ? nil : $0 }
    }
  }

  /// The address of `path` in the repository.
  func url(_ path: String) -> String { "\(origin)/v2/\(reference.repository)/\(path)" }

  func fault(_ fault: RegistryFault) -> StoreError {
    .registry(fault, place: reference.description)
  }

  /// The answer to `request`, whatever its status, but for those that ask for patience.
  ///
  /// - Throws: `StoreError.registry` with `.denied`; `.network` after the last attempt.
  func ask(
    _ request: TransferRequest, limit: Int = answerLimit, attempts: Int? = nil
  ) async throws(StoreError) -> Answer {
    var request = request
    (request.isSmall, request.isFresh, request.limit) = (request.upload == nil, true, limit + 1)
    var expectation = Expectation(url: request.url)
    expectation.takesRefusals = true
    let receiver: BytesReceiver
    do throws(StoreError) {
      receiver = try await downloader.receive(
        request, expectation, limit: limit, attempts: attempts
      ).get()
    } catch {
      guard error.code == .invalidCatalog, let reason = error.reason else { throw error }
      throw fault(.nonsense(reason.problem))
    }
    guard let head = receiver.head else { throw fault(.nonsense("it has no head")) }
    let answer = Answer(head: head, bytes: receiver.bytes)
    if head.status == 401 || head.status == 403 {
      let login = try login()
      throw fault(
        .denied(
          status: head.status, registry: reference.host, login: login,
          writes: request.isSending))
    }
    return answer
  }

  private func login() throws(StoreError) -> String? {
    try downloader.registryLogins?.login(origin: origin, repository: reference.repository)?.place
  }

  /// Fetches `path`, small, as one of the types of `accept`.
  func get(
    _ path: String, accept: String, limit: Int = answerLimit
  ) async throws(StoreError) -> Answer {
    var request = TransferRequest(url: url(path), limit: limit)
    request.accept = accept
    return try await ask(request, limit: limit)
  }

  /// What it has under `name`, a tag or a digest, and its own digest; nil where there is nothing.
  func manifest(
    _ name: String
  ) async throws(StoreError) -> (bytes: [UInt8], sha256: String)? {
    let answer = try await get(
      "manifests/" + name, accept: RegistryManifest.accepted, limit: RegistryManifest.limit)
    switch answer.head.status {
    case 200: break
    case 404: return nil
    default: throw refused(answer, "the question for the manifest")
    }
    let sha256 = SHA256.hex(answer.bytes)
    let promised =
      RegistryReference.sha256(name).map { ($0, "its address") }
      ?? answer.head.registryDigest.flatMap(RegistryReference.sha256).map {
        ($0, "Docker-Content-Digest")
      }
    if let (digest, who) = promised, digest != sha256 {
      throw .corrupted(
        url: reference.description,
        reason: "the manifest has SHA-256 \(sha256) where \(digest) was promised by \(who)")
    }
    return (answer.bytes, sha256)
  }

  /// The bytes of a small file, held against its digest.
  ///
  /// - Throws: `StoreError.registry` where it is larger than `limit` or the registry has not got it, `.corrupted`.
  func blob(_ file: RegistryManifest.Layer, limit: Int) async throws(StoreError) -> [UInt8] {
    guard file.size <= limit else {
      throw fault(.badManifest("'\(file.name)' has more than \(Figures.bytes(limit))"))
    }
    let answer = try await get("blobs/sha256:" + file.sha256, accept: "*/*", limit: limit)
    guard answer.head.status == 200 else {
      throw refused(answer, "the question for \(file.name)")
    }
    let found = SHA256.hex(answer.bytes)
    guard found == file.sha256 else {
      throw .corrupted(
        url: reference.description,
        reason:
          "\(file.name) has SHA-256 \(found) where \(file.sha256) was promised by the manifest")
    }
    return answer.bytes
  }

  /// Says that there is no manifest `name`, with the tags that there are.
  func missing(_ name: String) async throws(StoreError) -> StoreError {
    let answer = try await get("tags/list?n=100", accept: "application/json")
    guard answer.head.status == 200 else {
      return fault(.noRepository(registry: reference.host))
    }
    let tags = (try? JSONDocument(parsing: answer.bytes).root)?.object?["tags"]?.array ?? []
    let names = tags.compactMap(\.string).filter(RegistryReference.isTag)
    return fault(.noManifest(name, known: name.hasPrefix("sha256:") ? [] : names.sorted()))
  }

  func refused(_ answer: Answer, _ what: String) -> StoreError {
    fault(.refused(status: answer.head.status, code: answer.code, what: what))
  }
}
