import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import Adapters

/// Bundles by the reference tool, and what becomes of them when anything changes.
@Suite struct PackageSignatureTests {
  static let curves = ["p256", "p384", "p521"]

  private let directory: TemporaryDirectory
  private let package: String

  init() throws {
    directory = try TemporaryDirectory()
    package = try directory.copy(Self.fixture("demo.fmadapter"), to: "demo.fmadapter")
  }

  private static func fixture(_ name: String) -> URL {
    Fixtures.url("AdaptersTests", "signatures/\(name)")
  }

  private static func key(_ name: String) throws -> PublicKey {
    try PublicKey(file: fixture("\(name).pub").path)
  }

  /// Puts the bundle `name` of the reference tool into the package.
  private func sign(_ name: String) throws {
    try directory.copy(Self.fixture("\(name).sig"), to: "demo.fmadapter/model.sig")
  }

  private func findings(_ key: String, _ path: String? = nil) throws -> [String] {
    try PackageSignature.check(package: path ?? package, by: [Self.key(key)]).findings.map {
      "\($0.severity) \($0.rule) \($0.place.file)"
    }
  }

  @Test(arguments: curves) func theReferenceToolsSignaturesAreGood(_ curve: String) throws {
    try sign(curve)
    #expect(try findings(curve) == ["note signature.good model.sig"])
    let other = try #require(Self.curves.first { $0 != curve })
    #expect(try findings(other) == ["error signature.key model.sig"])
  }

  @Test func anyOfSeveralKeysWillDo() throws {
    try sign("p384")
    let keys = try Self.curves.map(Self.key)
    #expect(try PackageSignature.check(package: package, by: keys).isAccepted)
  }

  @Test(arguments: ["metadata.json", "adapter_weights.bin"])
  func everyFileIsHeldAgainstItsDigest(_ name: String) throws {
    try sign("p256")
    let bytes = try FileSystem.read("\(package)/\(name)", limit: 1000)
    try directory.write(bytes.dropLast() + [bytes.last! ^ 1], to: "demo.fmadapter/\(name)")
    #expect(
      try findings("p256") == ["note signature.good model.sig", "error signature.changed \(name)"])
    try FileManager.default.removeItem(atPath: "\(package)/\(name)")
    #expect(
      try findings("p256") == ["note signature.good model.sig", "error signature.absent \(name)"])
    try FileManager.default.createSymbolicLink(
      atPath: "\(package)/\(name)", withDestinationPath: Self.fixture("demo.fmadapter/\(name)").path
    )
    #expect(
      try findings("p256") == [
        "note signature.good model.sig", "error signature.link \(name)",
        "error signature.absent \(name)",
      ])
  }

  @Test func filesThatWereNotSignedAreErrors() throws {
    try sign("p256")
    try directory.write("x", to: "demo.fmadapter/notes.txt")
    try directory.write("x", to: "demo.fmadapter/deep/inside")
    // The signer left it out.
    try directory.write("x", to: "demo.fmadapter/.gitignore")
    #expect(
      try findings("p256") == [
        "note signature.good model.sig", "error signature.extra deep/inside",
        "error signature.extra notes.txt",
      ])
  }

  @Test func aRenamedFolderIsNoticed() throws {
    try sign("p256")
    let renamed = try directory.copy(URL(fileURLWithPath: package), to: "other.fmadapter")
    #expect(
      try findings("p256", renamed) == [
        "note signature.good model.sig", "warning signature.renamed other.fmadapter",
      ])
    let report = try PackageSignature.check(
      package: renamed, by: [Self.key("p256")], isStored: true)
    #expect(report.isAccepted && report.warnings.isEmpty)
  }

  @Test func aPackageWithoutSignatureIsRefused() throws {
    #expect(try findings("p256") == ["error signature.missing model.sig"])
  }

  /// What the bundle says of itself proves nothing.
  @Test func aPayloadThatIsNotTheSignedOneIsForged() throws {
    try sign("p256")
    var bundle = try bundle()
    var envelope = try #require(bundle["dsseEnvelope"]?.object)
    let text = try #require(envelope["payload"]?.string)
    var payload = String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
    payload = payload.replacing("demo.fmadapter", with: "evil.fmadapter")
    envelope["payload"] = .string(Data(payload.utf8).base64EncodedString())
    bundle["dsseEnvelope"] = .object(envelope)
    try directory.write(JSONValue.object(bundle).line, to: "demo.fmadapter/model.sig")
    #expect(try findings("p256").first == "error signature.forged model.sig")
  }

  private func bundle() throws -> JSONObject {
    let bytes = try FileSystem.read("\(package)/model.sig", limit: 1 << 20)
    return try #require(try JSONDocument(parsing: bytes).root.object)
  }

  static let others: [(bundle: String, problem: String)] = [
    (
      "certificate",
      "it was made with a certificate, and only signatures by bare keys are checked here"
    ),
    ("shards", "files were digested by the method 'shards', and only whole files are checked here"),
    ("blake3", "files were digested with 'blake3', and only SHA-256 is checked here"),
  ]

  @Test(arguments: others)
  func otherKindsAreRefusedByName(_ bundle: String, _ problem: String) throws {
    try sign(bundle)
    let finding = try #require(
      try PackageSignature.check(package: package, by: [Self.key("p256")]).findings.first)
    #expect(finding.rule == "signature.format" && finding.severity == .error)
    #expect(finding.message == "The signature cannot be used: \(problem).")
    #expect(
      finding.remedy == "Ask its author to sign it with a key on P-256, P-384 or P-521.")
  }

  @Test func keylessSignaturesAreRefusedByName() throws {
    try sign("p256")
    var bundle = try bundle()
    bundle["verificationMaterial"] = .object(["certificate": .object([:])])
    #expect(throws: SignatureDefect.keyless) { try parse(bundle) }
  }

  @Test func brokenBundlesAreRefused() throws {
    try sign("p256")
    var bundle = try bundle()
    let envelope = try #require(bundle["dsseEnvelope"]?.object)
    func with(_ key: String, _ value: JSONValue?) -> JSONObject {
      var changed = envelope
      changed[key] = value
      bundle["dsseEnvelope"] = .object(changed)
      return bundle
    }
    func payload(_ text: String) -> JSONObject {
      with("payload", .string(Data(text.utf8).base64EncodedString()))
    }
    #expect(throws: SignatureDefect.wrongMember("payload")) { try parse(with("payload", nil)) }
    #expect(throws: SignatureDefect.wrongMember("payload")) {
      try parse(with("payload", .string("?")))
    }
    #expect(throws: SignatureDefect.otherPayload("text/plain")) {
      try parse(with("payloadType", .string("text/plain")))
    }
    #expect(throws: SignatureDefect.signatureCount(0)) {
      try parse(with("signatures", .array([])))
    }
    #expect(throws: SignatureDefect.otherPredicate("https://model_signing/Digests/v0.1")) {
      try parse(payload(#"{"predicateType": "https://model_signing/Digests/v0.1"}"#))
    }
    #expect(throws: SignatureDefect.wrongMember("predicate")) {
      try parse(payload(#"{"predicateType": "\#(PackageSignature.predicateType)"}"#))
    }
    let statement = String(
      decoding: try #require(
        envelope["payload"]?.string.flatMap { Data(base64Encoded: $0) }), as: UTF8.self)
    #expect(throws: SignatureDefect.wrongRoot) {
      let root = try #require(statement.firstRange(of: "\"sha256\": \""))
      try parse(
        payload(
          statement.replacingCharacters(
            in: root.upperBound..<statement.index(after: root.upperBound), with: "x")))
    }
    #expect(throws: SignatureDefect.self) {
      try PackageSignature(parsing: Array(#"{"a": 1, "a": 2}"#.utf8))
    }
    #expect(throws: SignatureDefect.self) { try PackageSignature(parsing: [0xff]) }
  }

  private func parse(_ bundle: JSONObject) throws {
    _ = try PackageSignature(parsing: Array(JSONValue.object(bundle).line.utf8))
  }

  @Test(arguments: curves) func whatIsSignedHereIsGood(_ curve: String) throws {
    let key = try PrivateKey(file: Self.fixture("\(curve).pem").path)
    let path = try SamplePackage().write(to: directory.path)
    let bundle = try PackageSignature.bundle(signing: path, with: key)
    try Data(bundle).write(to: URL(fileURLWithPath: "\(path)/model.sig"))
    #expect(try findings(curve, path) == ["note signature.good model.sig"])
    let check = try AdapterCheck.run(package: path)
    #expect(check.findings.map(\.rule) == ["signature.unchecked"])
    let info = try AdapterInfo(package: path)
    #expect(info.signature?.key == key.publicKey.fingerprint)
    #expect(info.signature?.name == FilePath.name(of: path))
  }

  /// A check without a key sees that files are others than the bundle has.
  @Test func aCheckNoticesChangesAndLeavesOtherKindsToWarnings() throws {
    let key = try PrivateKey(file: Self.fixture("p256.pem").path)
    let path = try SamplePackage().write(to: directory.path)
    let bundle = try PackageSignature.bundle(signing: path, with: key)
    let metadata = try FileSystem.read("\(path)/metadata.json", limit: 1 << 20)
    try Data(bundle).write(to: URL(fileURLWithPath: "\(path)/model.sig"))
    try Data(metadata + [10]).write(to: URL(fileURLWithPath: "\(path)/metadata.json"))
    let report = try AdapterCheck.run(package: path)
    #expect(report.errors.map(\.rule) == ["signature.changed"] && report.category == .integrity)
    let other = Self.fixture("certificate.sig")
    try Data(contentsOf: other).write(to: URL(fileURLWithPath: "\(path)/model.sig"))
    #expect(
      try AdapterCheck.run(package: path).findings.map { "\($0.severity) \($0.rule)" }
        == ["warning signature.format"])
  }

  @Test func whatInstallationWouldLeaveOutIsNotSigned() throws {
    let key = try PrivateKey(file: Self.fixture("p256.pem").path)
    let path = try SamplePackage().write(to: directory.path)
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/notes.txt"))
    let error = #expect(throws: AdapterError.self) {
      try PackageSignature.bundle(signing: path, with: key)
    }
    guard case .refused(let report)? = error else { throw try #require(error) }
    #expect(report.findings.map(\.rule) == ["package.extra"])
  }
}
