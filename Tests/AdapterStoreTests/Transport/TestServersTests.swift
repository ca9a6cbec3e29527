import Foundation
import TestSupport
import Testing

/// The servers that other tests rest on, seen by the `curl` command or by Foundation alone.
@Suite(.waits) struct TestServersTests {
  @Test(arguments: [0, 1, 65520, 65521, 70000, 300_000])
  func bothSidesMakeTheSameBytes(size: Int) throws {
    let server = try FaultServer.shared.get()
    let object = MadeObject(seed: 7, size: size)
    let got = try Subprocess.run(curl(), ["-s", server.url(object.fault)])
    #expect(got.output == object.bytes)
  }

  @Test func theLogHasRequests() throws {
    let server = try FaultServer.shared.get()
    let url = server.url("size=1000;cut=fin;at=10;times=1")
    for _ in 0..<2 { _ = try Subprocess.run(curl(), ["-s", "-H", "X-Canary: 4711", url]) }
    let requests = try server.requests(of: url)
    #expect(requests.map(\.sent) == [10, 1000])
    #expect(requests.allSatisfy { $0.headers["x-canary"] == "4711" && $0.status == 200 })
  }

  @Test func filesHaveTheFaultsOfTheirFolder() throws {
    let folder = try TemporaryDirectory()
    try folder.write("twelve bytes", to: "deep/file.txt")
    let server = try FaultServer(root: folder.path)
    let whole = try Subprocess.run(curl(), ["-s", server.url("plain", file: "deep/file.txt")])
    let cut = try Subprocess.run(
      curl(), ["-s", server.url("cut=fin;at=6", file: "deep/file.txt")])
    #expect(whole.text == "twelve bytes")
    #expect(cut.text == "twelve" && cut.status == 18)
  }

  @Test(arguments: TestCertificates.Kind.allCases)
  func nginxServesFoldersByTLS(kind: TestCertificates.Kind) throws {
    let folder = try TemporaryDirectory()
    try folder.write("hello", to: "a.txt")
    let certificates = try TestCertificates()
    let server = try StaticServer(root: folder.path, certificate: (certificates, kind))
    let got = try Subprocess.run(
      curl(), ["-s", "-r", "1-3", "--cacert", certificates.authority, server.url("a.txt")])
    #expect(got.status == (kind == .good ? 0 : 60))
    if kind == .good {
      #expect(got.text == "ell")
      #expect(try server.logLines() == ["GET /a.txt 206 3 \"bytes=1-3\" \"-\""])
    }
  }

  @Test(arguments: ProxyServer.Kind.allCases)
  func proxiesWantTheirPassword(kind: ProxyServer.Kind) throws {
    let server = try FaultServer.shared.get()
    let proxy = try ProxyServer(kind, user: "me", password: "open")
    let good = try Subprocess.run(
      curl(), ["-s", "-x", proxy.url(login: "me:open"), server.url("size=3")])
    let bad = try Subprocess.run(
      curl(), ["-sf", "-x", proxy.url(login: "me:shut"), server.url("size=3")])
    #expect(good.output == MadeObject(size: 3).bytes)
    #expect(bad.status != 0)
  }

  private func curl() throws -> String { try ServerProcess.require("curl") }
}
