import Foundation
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct RedirectTests {
  private let server: FaultServer
  private static let canary = "canary-4711"

  init() throws { server = try FaultServer.shared.get() }

  @Test func followsAFew() async throws {
    let object = MadeObject(seed: 2, size: 5000)
    let transfer = await Transfer.run(server.url("\(object.fault);hops=10"))
    #expect(transfer.faultText == "none")
    #expect(transfer.heads == 1)
    #expect(transfer.body == object.bytes)
    #expect(transfer.head?.url.contains("hops=0") == true)
  }

  @Test(arguments: ["loop", "hops=11", "hops=30"])
  func stopsAfterTen(fault: String) async throws {
    let transfer = await Transfer.run(server.url("size=5;" + fault))
    guard case .redirect(let url, "more than 10 redirects lead there") = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(url.hasPrefix(server.origin))
    #expect(transfer.heads == 0 && transfer.body.isEmpty)
  }

  @Test(arguments: [
    "file:///etc/passwd", "http://192.0.2.1/x", "ftp://127.0.0.1/x", "gopher://127.0.0.1:1/x",
    "http://me:secret@127.0.0.1:1/x",
  ])
  func refusesAddressesOfOtherKinds(target: String) async {
    var policy = TransportPolicy()
    policy.allowsFiles = true
    let transfer = await Transfer.run(server.redirect(to: target), policy: policy)
    guard case .redirect(let url, let reason) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(transfer.heads == 0 && transfer.body.isEmpty)
    // Where it would have led, not what was asked.
    #expect(url == WebAddress(target)?.shown)
    #expect(!"\(reason) \(url)".contains("secret"))
  }

  @Test func refusesToLeaveHTTPS() async throws {
    let folder = try TemporaryDirectory()
    let certificates = try TestCertificates()
    let plain = server.url("size=5")
    let secure = try StaticServer(
      root: folder.path, certificate: (certificates, .good),
      directives: "location /down { return 302 \(plain.replacing(";", with: "\\;")); }"
        .replacing("\\;", with: "%3B"))
    var policy = TransportPolicy()
    policy.authorityFile = certificates.authority
    policy.allowsHTTP = true
    let transfer = await Transfer.run(secure.url("down"), policy: policy)
    guard case .redirect(let url, let reason) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(url.hasPrefix(server.origin))
    #expect(reason == "it leads from https to http, which is not safe")
    #expect(transfer.body.isEmpty)
  }

  @Test func aTokenStaysWithItsOrigin() async throws {
    let other = try FaultServer(host: "127.0.0.2")
    let samePort = try FaultServer()
    let object = MadeObject(size: 100)
    var credentials = Credentials()
    try credentials.add(Self.canary, for: server.origin, place: "here")
    var policy = TransportPolicy()
    policy.use(credentials)
    for far in [other, samePort] {
      let transfer = await Transfer.run(
        server.redirect(to: far.url(object.fault)), policy: policy)
      #expect(transfer.body == object.bytes)
      #expect(!(try far.logText().contains(Self.canary)))
    }
    let back = await Transfer.run(
      other.redirect(to: server.url("size=7;wants=\(Self.canary)")), policy: policy)
    #expect(back.body.count == 7)
    #expect(!(try other.logText().contains(Self.canary)))
  }

  @Test func aRealmIsNeverAsked() async throws {
    let other = try FaultServer(host: "127.0.0.2")
    var credentials = Credentials()
    try credentials.add(Self.canary, for: server.origin, place: "here")
    var policy = TransportPolicy()
    policy.use(credentials)
    let realm = "http%3A%2F%2F127.0.0.2%3A\(other.port)%2Ftoken"
    let transfer = await Transfer.run(
      server.url("size=5;wants=another;realm=\(realm)"), policy: policy)
    #expect(transfer.head?.status == 401)
    #expect(try other.requests().isEmpty)
    #expect(!transfer.faultText.contains(Self.canary))
  }

  @Test func aSignedAddressIsAskedForAnewEachTime() async throws {
    let object = MadeObject(seed: 5, size: 2000)
    let origin = server.url("\(object.fault);signed")
    let first = await Transfer.run(origin)
    let second = await Transfer.run(origin, range: 1000..<2000)
    let stale = await Transfer.run(first.head?.url ?? "")
    #expect(first.body == object.bytes)
    #expect(second.body == object.bytes(1000..<2000))
    #expect(stale.head?.status == 403)
  }
}
