import Testing

@testable import Tokenization

@Suite struct ByteAlphabetTests {
  @Test(
    arguments: [
      ("abc", [0x61, 0x62, 0x63]), ("Ġa", [0x20, 0x61]), ("Ċ", [0x0A]), ("Ā", [0x00]),
      ("ġ", [0x7F]),
      ("¡", [0xA1]), ("Ń", [0xAD]), ("ÿ", [0xFF]), ("", []),
    ] as [(String, [UInt8])])
  func decodes(text: String, bytes: [UInt8]) {
    var found: [UInt8] = []
    #expect(ByteAlphabet.decode(Array(text.utf8).span, into: &found))
    #expect(found == bytes)
  }

  @Test(arguments: [" ", "\n", "\u{AD}", "ń", "中", "🦙"])
  func refusesOtherCharacters(text: String) {
    var found: [UInt8] = []
    #expect(!ByteAlphabet.decode(Array(text.utf8).span, into: &found))
  }

  @Test(arguments: [[0xC4], [0xC4, 0x41], [0x80], [0xE4, 0xA0, 0x80]] as [[UInt8]])
  func refusesBrokenText(bytes: [UInt8]) {
    var found: [UInt8] = []
    #expect(!ByteAlphabet.decode(bytes.span, into: &found))
  }

  @Test func spellsEachByteOnce() {
    var seen: Set<UInt8> = []
    for value in UInt32(0)..<0x200 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      var found: [UInt8] = []
      if ByteAlphabet.decode(Array(String(scalar).utf8).span, into: &found) {
        seen.insert(found[0])
      }
    }
    #expect(seen.count == 256)
  }
}
