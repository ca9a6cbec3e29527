import Testing

@testable import Tokenization

@Suite struct LenientUTF8Tests {
  /// Bytes, scalars, and the bytes that the scalars have.
  static let cases: [(id: String, input: [UInt8], scalars: [UInt32], bytes: [UInt8]?)] = [
    ("empty", [], [], nil),
    ("text", Array("aé中🦙".utf8), [0x61, 0xE9, 0x4E2D, 0x1F999], nil),
    ("stray continuation", [0x80], [0xFFFD], [0xEF, 0xBF, 0xBD]),
    ("cut short", [0x41, 0xE2, 0x82], [0x41, 0xFFFD, 0xFFFD], [0x41] + mark + mark),
    ("broken inside", [0xE2, 0x41], [0xFFFD, 0x41], mark + [0x41]),
    ("too long", [0xC1, 0x81], [0x41], [0x41]),
    ("long zero", [0xE0, 0x80, 0x80], [0], [0]),
    ("surrogate", [0xED, 0xA0, 0x80], [0xD800], nil),
    (
      "beyond Unicode", [0xF4, 0x90, 0x80, 0x80], [0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD],
      mark + mark + mark + mark
    ),
    ("lead of five", [0xF8, 0x88], [0xFFFD, 0xFFFD], mark + mark),
    ("no lead", [0xFF], [0xFFFD], mark),
  ]
  static let mark: [UInt8] = [0xEF, 0xBF, 0xBD]

  @Test(arguments: cases.map(\.id)) func decodes(id: String) throws {
    let (_, input, scalars, bytes) = try #require(Self.cases.first { $0.id == id })
    let decoded = LenientUTF8(input[...])
    #expect(decoded.scalars == scalars)
    #expect(decoded.bytes == bytes ?? input)
    #expect(scalars.reduce(0) { $0 + LenientUTF8.length($1) } == decoded.bytes.count)
  }
}
