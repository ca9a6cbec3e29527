import Testing

@testable import SystemFiles

@Suite struct DigestsTests {
  /// Examples of FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func matchesTheStandard(text: String, digest: String) {
    #expect(SHA256.hex(Array(text.utf8)) == digest)
    #expect(SHA256.hex(TensorBytes(Array(text.utf8))) == digest)
  }

  @Test func piecesGiveTheSameDigest() {
    var digest = SHA256()
    digest.update(Array("ab".utf8))
    digest.update([])
    digest.update(TensorBytes(Array("c".utf8)))
    #expect(digest.finishHex() == SHA256.hex(Array("abc".utf8)))
  }
}
