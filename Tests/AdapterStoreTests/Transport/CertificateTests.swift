import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct CertificateTests {
  @Test(arguments: [
    (TestCertificates.Kind.expired, "its certificate has expired"),
    (.wrongName, "its certificate is for another name"),
  ])
  func namesWhatIsWrong(kind: TestCertificates.Kind, reason: String) async throws {
    let (server, certificates, _folder) = try start(kind)
    var policy = TransportPolicy()
    policy.authorityFile = certificates.authority
    let transfer = await Transfer.run(server.url("a.txt"), policy: policy)
    #expect(
      transfer.faultText == "\(TransferFault.untrusted(host: "127.0.0.1", reason: "\(reason)"))")
    #expect(transfer.heads == 0)
    _ = _folder
  }

  @Test func doesNotKnowAnAuthorityOfItsOwn() async throws {
    let (server, _, folder) = try start(.good)
    let transfer = await Transfer.run(server.url("a.txt"))
    let reason: ErrorText =
      "its certificate comes from an unknown authority"
      + "\(remedy: "name a private one's file in CURL_CA_BUNDLE")"
    #expect(transfer.faultText == "\(TransferFault.untrusted(host: "127.0.0.1", reason: reason))")
    _ = folder
  }

  @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
  func trustsTheAuthorityOfAVariable(name: String) async throws {
    let (server, certificates, folder) = try start(.good)
    let value = name == "SSL_CERT_DIR" ? certificates.authorityFolder : certificates.authority
    var policy = TransportPolicy(environment: [name: value])
    policy.connectSeconds = 5
    let transfer = await Transfer.run(server.url("a.txt"), policy: policy)
    #expect(transfer.faultText == "none")
    #expect(String(decoding: transfer.body, as: UTF8.self) == "hello")
    _ = folder
  }

  @Test func namesAnAuthorityFileThatIsMissing() async throws {
    let (server, _, folder) = try start(.good)
    let policy = TransportPolicy(environment: ["CURL_CA_BUNDLE": "/nonexistent.pem"])
    let transfer = await Transfer.run(server.url("a.txt"), policy: policy)
    let reason: ErrorText =
      "the file of certificate authorities cannot be read"
      + "\(remedy: "install the package ca-certificates, or look at CURL_CA_BUNDLE")"
    #expect(transfer.faultText == "\(TransferFault.untrusted(host: "127.0.0.1", reason: reason))")
    _ = folder
  }

  @Test func namesAServerThatWantsACertificateItself() async throws {
    let certificates = try TestCertificates()
    let (server, port) = try ServerProcess.listening { port in
      [
        try ServerProcess.require("openssl"), "s_server", "-accept", "127.0.0.1:\(port)",
        "-cert", certificates.certificate(.good), "-key", certificates.key(.good),
        "-CAfile", certificates.authority, "-Verify", "1", "-verify_return_error", "-quiet",
      ]
    }
    var policy = TransportPolicy()
    policy.authorityFile = certificates.authority
    let transfer = await Transfer.run("https://127.0.0.1:\(port)/a.txt", policy: policy)
    let sentence = transfer.fault?.sentence.problem
    #expect(
      sentence == "127.0.0.1 wants a certificate of whoever asks, and none can be given here",
      "\(transfer.faultText)")
    #expect(transfer.fault?.isTransient == false)
    withExtendedLifetime(server) {}
  }

  private func start(
    _ kind: TestCertificates.Kind
  ) throws -> (StaticServer, TestCertificates, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    try folder.write("hello", to: "a.txt")
    let certificates = try TestCertificates()
    return (
      try StaticServer(root: folder.path, certificate: (certificates, kind)), certificates, folder
    )
  }
}
