import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite struct SigningKeysTests {
  private static func path(_ name: String) -> String {
    Fixtures.path("AdaptersTests", "signatures/\(name)")
  }

  @Test(arguments: ["p256", "p384", "p521"])
  func theHalvesBelongTogether(_ name: String) throws {
    let (key, other) = (
      try PrivateKey(file: Self.path("\(name).pem")), try PublicKey(file: Self.path("\(name).pub"))
    )
    #expect(key.publicKey == other)
    let text = try FileSystem.read(Self.path("\(name).pub"), limit: 1000)
    #expect(other.fingerprint == SHA256.hex(text))
    var signature = key.signature(of: [1, 2, 3])
    #expect(other.verifies(signature, of: [1, 2, 3]))
    #expect(!other.verifies(signature, of: [1, 2]))
    signature[signature.count - 1] ^= 1
    #expect(!other.verifies(signature, of: [1, 2, 3]))
    #expect(!other.verifies([], of: [1, 2, 3]) && !other.verifies([0x30, 0x80], of: []))
  }

  static let refused: [(file: String, KeyDefect)] = [
    ("p256.pub", .isPublic), ("p256.crt", .certificate), ("locked.pem", .locked),
    ("other-curve.pem", .otherKind("secp256k1")), ("ed25519.pem", .otherKind("ED25519")),
    ("p256.sig", .noKey),
  ]

  @Test(arguments: refused) func noOtherFileSigns(_ file: String, _ defect: KeyDefect) throws {
    let path = Self.path(file)
    #expect(throws: FileError.malformed(.init(defect), path: path, offset: 0)) {
      try PrivateKey(file: path)
    }
  }

  static let notPublic: [(file: String, KeyDefect)] = [
    ("p256.pem", .isPrivate), ("p256.crt", .certificate), ("locked.pem", .locked),
    ("p256.sig", .noKey),
  ]

  @Test(arguments: notPublic) func noOtherFileVerifies(_ file: String, _ defect: KeyDefect) throws {
    let path = Self.path(file)
    #expect(throws: FileError.malformed(.init(defect), path: path, offset: 0)) {
      try PublicKey(file: path)
    }
  }
}
