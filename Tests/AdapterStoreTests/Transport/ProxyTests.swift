import Foundation
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct ProxyTests {
  private let server: FaultServer
  private static let password = "canary-password"

  init() throws { server = try FaultServer.shared.get() }

  @Test(arguments: ProxyServer.Kind.allCases, ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
  func goesThroughTheProxy(kind: ProxyServer.Kind, variable: String) async throws {
    let proxy = try ProxyServer(kind, user: "me", password: Self.password)
    let object = MadeObject(seed: 4, size: 3000)
    let url = server.url(object.fault)
    let transfer = await fetch(url, [variable: proxy.url(login: "me:\(Self.password)")])
    #expect(transfer.faultText == "none")
    #expect(transfer.body == object.bytes)
    if kind == .http { #expect(proxy.served("127.0.0.1")) }
  }

  @Test(arguments: ProxyServer.Kind.allCases)
  func masksThePasswordThatIsWrong(kind: ProxyServer.Kind) async throws {
    let proxy = try ProxyServer(kind, user: "me", password: "another")
    let url = server.url("size=5")
    let transfer = await fetch(url, ["http_proxy": proxy.url(login: "me:\(Self.password)")])
    #expect(transfer.fault != nil || transfer.head?.status == 401)
    #expect(!transfer.faultText.contains(Self.password))
    #expect(transfer.body.count != 5)
    #expect(try server.requests(of: url).isEmpty)
  }

  @Test func tunnelsTLS() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("hello", to: "a.txt")
    let certificates = try TestCertificates()
    let secure = try StaticServer(root: folder.path, certificate: (certificates, .good))
    let proxy = try ProxyServer(.http, user: "me", password: Self.password)
    var environment = ["CURL_CA_BUNDLE": certificates.authority]
    environment["https_proxy"] = proxy.url(login: "me:\(Self.password)")
    let good = await fetch(secure.url("a.txt"), environment)
    environment["https_proxy"] = proxy.url(login: "me:wrong-\(Self.password)")
    let bad = await fetch(secure.url("a.txt"), environment)
    #expect(String(decoding: good.body, as: UTF8.self) == "hello")
    #expect(bad.fault != nil && bad.heads == 0)
    #expect(!bad.faultText.contains(Self.password))
  }

  @Test(arguments: ["no_proxy", "NO_PROXY"], ["127.0.0.1", "*", "example.com,127.0.0.1"])
  func passesTheProxyBy(variable: String, hosts: String) async throws {
    let nobody = try Loopback.freePort()
    let environment = ["http_proxy": "http://127.0.0.1:\(nobody)", variable: hosts]
    let transfer = await fetch(server.url("size=5"), environment)
    #expect(transfer.body.count == 5)
  }

  @Test func namesAProxyThatIsNotThere() async throws {
    let nobody = try Loopback.freePort()
    let proxy = "http://me:\(Self.password)@127.0.0.1:\(nobody)"
    let transfer = await fetch(server.url("size=5"), ["http_proxy": proxy])
    #expect(
      transfer.faultText == "\(TransferFault.nobody(place: "the proxy 127.0.0.1:\(nobody)"))")
  }

  private func fetch(_ url: String, _ environment: [String: String]) async -> Transfer {
    await Transfer.run(url, policy: TransportPolicy(environment: environment))
  }
}
