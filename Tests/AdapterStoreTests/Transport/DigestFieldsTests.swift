import Foundation
import SystemFiles
import Testing

@testable import AdapterStore

@Suite struct DigestFieldsTests {
  private static let bytes = Array("the file".utf8)
  private static let hex = SHA256.hex(bytes)
  private static let base64 = encode(hex)
  private static let long: (hex: String, base64: String) = {
    var digest = SHA512()
    digest.update(bytes)
    let hex = digest.finishHex()
    return (hex, encode(hex))
  }()

  private static func encode(_ hex: String) -> String {
    let digits = Array(hex)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
    }
    return Data(bytes).base64EncodedString()
  }

  private func claims(_ status: Int, _ lines: [String]) -> [DigestClaim] {
    var fields = HeaderFields()
    for line in ["HTTP/1.1 \(status) X"] + lines { fields.append(line) }
    return fields.head(url: "u", now: 0).digests
  }

  private func hexes(_ status: Int, _ lines: String...) -> [String] {
    claims(status, lines).map(\.digest)
  }

  static let understood: [(String, DigestVoucher)] = [
    ("Repr-Digest: sha-256=:\(base64):", .reprDigest),
    ("repr-digest: unixsum=1, sha-256=:\(base64):;q=1 , x=\"a,b;\\\"\"", .reprDigest),
    ("Content-Digest: sha-512=:AAAA:,sha-256=:\(base64):", .contentDigest),
    ("Digest: MD5=abc,SHA-256=\(base64)", .digest), ("digest: sha-256=\(base64)", .digest),
    ("X-Linked-Etag: \"\(hex)\"", .linkedTag), ("X-Linked-ETag: \(hex)", .linkedTag),
    ("x-amz-checksum-sha256: \(base64)", .amazon),
    ("X-Checksum-Sha256: \(hex.uppercased())", .artifactory),
    ("Docker-Content-Digest: sha256:\(hex)", .registry),
  ]

  @Test(arguments: understood)
  func understandsFieldsOfAWholeFile(_ line: String, _ voucher: DigestVoucher) {
    #expect(claims(200, [line]) == [DigestClaim(voucher, Self.hex)])
  }

  @Test func takesTheLongDigestWhereThereIsNoOther() {
    #expect(hexes(206, "Repr-Digest: sha-512=:\(Self.long.base64):") == [Self.long.hex])
    #expect(
      hexes(200, "Repr-Digest: sha-512=:\(Self.long.base64):, sha-256=:\(Self.base64):")
        == [Self.hex])
    #expect(
      hexes(200, "Repr-Digest: sha-512=:AAAA:", "repr-digest: sha-256=:\(Self.base64):") == [
        Self.hex
      ])
  }

  @Test(
    arguments: [
      ("Repr-Digest", 1), ("Digest", 1), ("X-Linked-Etag", 1), ("X-Checksum-Sha256", 1),
      ("Content-Digest", 0), ("x-amz-checksum-sha256", 0), ("Docker-Content-Digest", 0),
    ])
  func aPartsBodyIsNotTheFile(_ name: String, _ count: Int) throws {
    let line = try #require(Self.understood.first { $0.0.hasPrefix(name) }).0
    #expect(claims(206, [line]).count == count)
  }

  @Test func aRedirectSpeaksOfTheFileByTheHubsFieldAlone() {
    let lines = Self.understood.map(\.0)
    #expect(Set(claims(302, lines).map(\.voucher)) == [.linkedTag])
    #expect(claims(404, lines).isEmpty && claims(500, lines).isEmpty)
  }

  @Test(arguments: [
    "Repr-Digest: sha-256=\(base64)", "Repr-Digest: sha-256=:\(hex):",
    "Repr-Digest: sha-256=:\(base64)", "Repr-Digest: sha-256=:\(base64):,",
    "Repr-Digest: SHA-256=:\(base64):", "Repr-Digest: sha-256=:\(base64): x",
    "Repr-Digest: sha-256=:AAAA:", "Repr-Digest: md5=:AAAA:", "Repr-Digest: x=\"",
    "Digest: SHA-256=\(hex)", "Digest: MD5=\(base64)", "Digest: SHA-256",
    "X-Linked-Etag: \"0123456789abcdef0123456789abcdef01234567\"", "X-Linked-Etag: W/\"\(hex)\"",
    "ETag: \"\(hex)\"", "x-amz-checksum-sha256: \(base64)-3", "x-amz-checksum-sha256: \(hex)",
    "X-Checksum-Sha256: \(base64)", "Docker-Content-Digest: sha512:\(long.hex)",
    "Content-MD5: \(base64)", "x-goog-hash: md5=\(base64)",
  ])
  func saysNothing(_ line: String) {
    #expect(claims(200, [line]).isEmpty)
  }

  @Test func aChecksumOfChecksumsIsNotTheFiles() {
    let line = "x-amz-checksum-sha256: \(Self.base64)"
    #expect(hexes(200, "x-amz-checksum-type: FULL_OBJECT", line) == [Self.hex])
    #expect(hexes(200, "x-amz-checksum-type: COMPOSITE", line) == [])
  }

  @Test func conflictsNameBoth() {
    let (a, b) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    let long = String(repeating: "c", count: 128)
    #expect(
      DigestClaim.conflict(in: [.init(.sums, a), .init(.digest, a), .init(.reprDigest, long)])
        == nil)
    #expect(
      DigestClaim.conflict(in: [.init(.sums, a), .init(.digest, b)])
        == "SHA256SUMS says that its SHA-256 is \(a), and Digest says \(b)")
  }
}
