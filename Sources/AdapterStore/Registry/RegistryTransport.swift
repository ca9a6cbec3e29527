import FoundationEssentials
import JSON
import Synchronization
import SystemFiles

/// Answers what registries want to know of who asks; everything else goes through as it is.
///
/// A registry says of a request that it does not allow where a token for it is to be had, which is asked for once with the
/// login for that registry, or as nobody, and sent with all requests of the same kind until it is refused. A login goes to the
/// registry that it is for, and to where that sends for tokens; neither of them is sent on by a redirect.
final class RegistryTransport: Transferring {
  private let inner: any Transferring
  private let logins: RegistryLogins
  private let known = Mutex<[RegistryRequest: String]>([:])

  init(_ inner: any Transferring, _ logins: RegistryLogins) {
    (self.inner, self.logins) = (inner, logins)
  }

  func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    guard request.authorization == nil, let kind = RegistryRequest(request) else {
      return try await inner.perform(request, receiver)
    }
    var request = request
    // Who may write may read.
    request.authorization = known.withLock { $0[kind] ?? $0[kind.writing] }
    let gate = ChallengeReceiver(receiver, origin: kind.origin)
    do throws(TransferFault) {
      return try await inner.perform(request, gate)
    } catch {
      guard let head = gate.refusal else { throw error }
      known.withLock { ($0[kind], $0[kind.writing]) = (nil, nil) }
      guard let field = try await answer(head, kind, request) else {
        do {
          return try receiver.receive(head)
        } catch {
          throw .refused(error)
        }
      }
      request.authorization = field
      known.withLock { $0[kind] = field }
      try await inner.perform(request, receiver)
    }
  }

  /// What to send with the request that was refused; nil where nothing can be.
  private func answer(
    _ head: ResponseHead, _ kind: RegistryRequest, _ request: TransferRequest
  ) async throws(TransferFault) -> String? {
    let found: RegistryLogins.Found?
    do throws(StoreError) {
      found = try logins.login(origin: kind.origin, repository: kind.repository)
    } catch {
      throw .refused(AttemptFault.final(error))
    }
    switch RegistryChallenge(head.challenges) {
    case nil: return nil
    case .basic: return found?.login.authorization
    case .bearer(let realm, let service, let scopes):
      if case .bearer? = found?.login { return found?.login.authorization }
      let all = scopes + kind.otherScopes.filter { !scopes.contains($0) }
      let question = try TokenRequest(
        realm: realm, service: service, scopes: all, login: found?.login, for: kind.origin)
      return try await token(question)
    }
  }

  private func token(_ question: TokenRequest) async throws(TransferFault) -> String? {
    let answer = TokenReceiver()
    try await inner.perform(question.request, answer)
    return answer.token.map { "Bearer " + $0 }
  }
}

/// Requests that one token is good for.
private struct RegistryRequest: Hashable {
  /// The registry's.
  let origin: String
  let repository: String
  var writes: Bool
  /// What else has to be asked for: the repository that a layer is taken over from.
  let otherScopes: [String]

  /// The same for whoever writes.
  var writing: RegistryRequest {
    var request = self
    request.writes = true
    return request
  }

  /// Nil for an address that is none of a registry.
  init?(_ request: TransferRequest) {
    guard let address = WebAddress(request.url), ["https", "http"].contains(address.scheme),
      let start = request.url.firstRange(of: "://")?.upperBound
    else { return nil }
    let halves = request.url[start...].split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let slash = halves[0].firstIndex(of: "/"), halves[0][slash...].hasPrefix("/v2/") else {
      return nil
    }
    let path = halves[0][slash...].dropFirst(4)
    let ends = ["/blobs/", "/manifests/", "/tags/", "/referrers/"]
    guard let end = ends.lazy.compactMap({ path.ranges(of: $0).last?.lowerBound }).first,
      RegistryReference.isRepository(String(path[..<end]))
    else { return nil }
    (origin, repository) = (address.origin, String(path[..<end]))
    writes = request.isSending || request.method.map { $0 != "HEAD" } ?? false
    let from = halves.count == 2 ? halves[1].split(separator: "&") : []
    otherScopes = from.filter { $0.hasPrefix("from=") }.compactMap {
      $0.dropFirst(5).percentDecoded
    }
    .map { "repository:\($0):pull" }
  }
}

/// The question for a token.
private struct TokenRequest {
  let request: TransferRequest

  private static let limit = 1 << 20

  /// Asks the server at `realm` with `login`, or as nobody.
  ///
  /// - Throws: `TransferFault.address` for a realm that a login must not be sent to: one that is no address, or where everybody
  ///   on the way could read it.
  init(
    realm: String, service: String?, scopes: [String], login: RegistryLogin?, for origin: String
  ) throws(TransferFault) {
    guard let address = WebAddress(realm), !address.hasLogin,
      address.scheme == "https"
        || (address.scheme == "http" && address.isLoopback
          && WebAddress(origin)?.isLoopback == true)
    else {
      throw .address(
        url: WebAddress.shown(realm),
        reason: "the registry sends there for a token, which is not safe"
          + "\(remedy: "tell its owner that tokens are asked for by https")")
    }
    let fields =
      (service.map { [("service", $0)] } ?? []) + scopes.map { ("scope", $0) }
    if case .identity(let token)? = login {
      var request = TransferRequest(url: realm, isSmall: true, limit: Self.limit)
      let form =
        [("grant_type", "refresh_token"), ("client_id", "fmadapter"), ("refresh_token", token)]
        + (service.map { [("service", $0)] } ?? []) + [("scope", scopes.joined(separator: " "))]
      request.body = Array(Self.text(form).utf8)
      request.fields = [
        "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
      ]
      self.request = request
      return
    }
    let query = Self.text(fields)
    let joint = query.isEmpty ? "" : realm.contains("?") ? "&" : "?"
    var request = TransferRequest(url: realm + joint + query, isSmall: true, limit: Self.limit)
    request.authorization = login?.authorization
    self.request = request
  }

  private static func text(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\($1.escaped)" }.joined(separator: "&")
  }
}

/// Takes a token out of an answer; none where it has none.
private final class TokenReceiver: TransferReceiver {
  private let state = Mutex((isGood: false, bytes: [UInt8]()))

  func receive(_ head: ResponseHead) throws {
    if head.status == 429 || head.status >= 500 {
      throw AttemptFault.retry(
        "the server that gives tokens fails (\(head.status))", after: head.retryAfter)
    }
    state.withLock { $0.isGood = head.status == 200 }
  }

  func receive(_ bytes: RawSpan) throws { state.withLock { $0.bytes.append(copying: bytes) } }

  var token: String? {
    let (isGood, bytes) = state.withLock { $0 }
    guard isGood, let object = try? JSONDocument(parsing: bytes, limit: 1 << 20).root.object,
      let token = (object["token"] ?? object["access_token"])?.string, !token.isEmpty,
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return token
  }
}

/// Keeps a refusal that can be answered from its receiver.
private final class ChallengeReceiver: TransferReceiver {
  private struct Challenged: Error {}

  private let inner: any TransferReceiver
  private let origin: String
  private let state = Mutex<ResponseHead?>(nil)

  /// The refusal; nil where there was none.
  var refusal: ResponseHead? { state.withLock { $0 } }

  init(_ inner: any TransferReceiver, origin: String) {
    (self.inner, self.origin) = (inner, origin)
  }

  func receive(_ head: ResponseHead) throws {
    // Who answers for a redirect's target is another one, whom the login is not for.
    guard head.status == 401, WebAddress(head.url)?.origin == origin,
      RegistryChallenge(head.challenges) != nil
    else { return try inner.receive(head) }
    state.withLock { $0 = head }
    throw Challenged()
  }

  func receive(_ bytes: RawSpan) throws { try inner.receive(bytes) }

  func wait(for host: String) { inner.wait(for: host) }
}
