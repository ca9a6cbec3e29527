import TestSupport
import Testing

@testable import Grammars

@Suite struct TextTokensTests {
  /// Bytes at the bounds of what UTF-8 and JSON strings allow, and some within.
  private static let bytes: [UInt8] = [
    0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
    0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
    0xFF,
  ]

  private func length(_ bytes: [UInt8]) -> Int? {
    bytes.reduce(TextProgress()) { $0.after($1, TextProgress.isPlain) }.length
  }

  /// What the standard library says of it.
  private func expected(_ bytes: [UInt8]) -> Int? {
    guard let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy(JSONText.plain.contains)
    else { return nil }
    return text.unicodeScalars.count
  }

  @Test(arguments: bytes) func upToThreeBytesAreJudged(_ first: UInt8) {
    for second in Self.bytes {
      #expect(length([first, second]) == expected([first, second]))
      for third in Self.bytes {
        let bytes = [first, second, third]
        #expect(length(bytes) == expected(bytes), "\(bytes)")
      }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func longerOnesAre(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var texts = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 4...6, using: &random)).flatMap { _ -> [UInt8] in
        let scalar = [0x61, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10_FFFF]
          .randomElement(using: &random).flatMap(UnicodeScalar.init)
        var bytes = Array(String(scalar.map(Character.init) ?? "a").utf8)
        if Int.random(in: 0..<12, using: &random) == 0 {
          bytes[bytes.count - 1] = Self.bytes.randomElement(using: &random) ?? 0
        }
        return bytes
      }
      let length = length(bytes)
      #expect(length == expected(bytes), "\(bytes)")
      if length != nil { texts += 1 }
    }
    #expect((2000..<18_000).contains(texts))
  }
}
