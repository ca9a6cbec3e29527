import Foundation

/// A private certificate authority made by `openssl`, and what it signed for 127.0.0.1 and localhost.
package final class TestCertificates: Sendable {
  /// A server's certificate, by what is wrong with it.
  package enum Kind: String, Sendable, CaseIterable {
    case good, expired, wrongName
  }

  private let folder: TemporaryDirectory

  /// Certificate of the authority, in PEM.
  package var authority: String { folder.path("ca.pem") }
  /// A folder that has the authority under its hash, as `SSL_CERT_DIR` needs it.
  package var authorityFolder: String { folder.path("hashed") }

  package init() throws {
    folder = try TemporaryDirectory()
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=fmadapter test authority",
      "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    for kind in Kind.allCases { try sign(kind) }
    try FileManager.default.createDirectory(
      atPath: authorityFolder, withIntermediateDirectories: true)
    let hash = try openssl("x509", "-in", "ca.pem", "-noout", "-hash")
    try FileManager.default.copyItem(atPath: authority, toPath: authorityFolder + "/\(hash).0")
  }

  /// Path of the certificate of a kind, in PEM.
  package func certificate(_ kind: Kind) -> String { folder.path("\(kind).pem") }
  /// Path of its key.
  package func key(_ kind: Kind) -> String { folder.path("\(kind).key") }

  private func sign(_ kind: Kind) throws {
    let names = kind == .wrongName ? "DNS:elsewhere.example" : "IP:127.0.0.1,DNS:localhost"
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "\(kind).key", "-out", "\(kind).csr", "-subj", "/CN=\(kind)")
    try folder.write("subjectAltName=\(names)\n", to: "\(kind).ext")
    try openssl(
      "x509", "-req", "-in", "\(kind).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
      "-set_serial", "\(kind.rawValue.count)", "-days", kind == .expired ? "-1" : "30",
      "-extfile", "\(kind).ext", "-out", "\(kind).pem")
  }

  @discardableResult
  private func openssl(_ arguments: String...) throws -> String {
    let result = try Subprocess.run(
      ServerProcess.require("openssl"), arguments, directory: folder.path)
    guard result.status == 0 else {
      throw ServerProcess.Failure(description: result.errorText)
    }
    return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
