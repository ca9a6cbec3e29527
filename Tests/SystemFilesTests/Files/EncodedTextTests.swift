import SystemFiles
import Testing

@Suite struct EncodedTextTests {
  /// Bytes as Python's codecs write them.
  @Test(
    arguments: [
      ("windows-1252", "é“€”", [0xE9, 0x93, 0x80, 0x94]), ("latin1", "“", [0x93]),
      ("Shift_JIS", "表①~", [0x95, 0x5C, 0x87, 0x40, 0x7E]),
      ("gbk", "你好", [0xC4, 0xE3, 0xBA, 0xC3]),
      ("euc-kr", "똠", [0x8C, 0x63]), ("utf-16be", "é", [0x00, 0xE9]), ("utf-8", "é", [0xC3, 0xA9]),
      ("gb18030", "", []), ("Big5", "€", [0xA3, 0xE1]), ("euc-jp", "①", [0xAD, 0xA1]),
      ("TIS-620", "…", [0x85]), ("iso-8859-9", "€", [0x80]), ("mac-roman", "é", [0x8E]),
      ("windows-1258", "tô", [0x74, 0xF4]),
      ("windows-1255", "של", [0xF9, 0xEC]),
    ] as [(String, String, [UInt8])])
  func textsAreRead(_ encoding: String, _ text: String, _ bytes: [UInt8]) throws {
    #expect(try EncodedText.utf8(bytes, encoding: encoding) == Array(text.utf8))
  }

  @Test func charactersAreWholeBetweenPieces() throws {
    let bytes: [UInt8] = [0x61] + (0..<100_000).flatMap { _ in [0xC4, 0xE3] as [UInt8] }
    let text = try EncodedText.utf8(bytes, encoding: "gb18030")
    #expect(text == Array(("a" + String(repeating: "你", count: 100_000)).utf8))
  }

  @Test(arguments: ["klingon", "", "UTF-8//IGNORE", "../x"]) func otherNamesAreRefused(
    _ name: String
  ) {
    let error = #expect(throws: EncodingDefect.self) {
      try EncodedText.utf8([0x61], encoding: name)
    }
    #expect(error == .unknown(name: name))
  }

  @Test(arguments: [([0x61, 0xC4], 1), ([0x61, 0x62, 0xFF, 0x61], 2)] as [([UInt8], Int)])
  func whatMeansNothingIsNamed(_ bytes: [UInt8], _ offset: Int) {
    let error = #expect(throws: EncodingDefect.self) {
      try EncodedText.utf8(bytes, encoding: "gb18030")
    }
    #expect(error == .invalid(name: "gb18030", offset: offset))
  }
}
