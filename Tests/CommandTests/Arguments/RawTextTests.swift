import Testing

@testable import fmadapter

@Suite struct RawTextTests {
  @Test(
    arguments: [
      ("", nil), ("plain", nil), ("Größe \u{1F600}", nil),
    ] as [(String, String?)])
  func textIsAllRight(_ text: String, _ defect: String?) {
    #expect(RawText(place: "argument 1", bytes: Array(text.utf8)).defect == defect)
  }

  @Test(
    arguments: [
      ([0xFF], "\\xFF"), ([0x61, 0x80, 0x62], "a\\x80b"), ([0xC3, 0xA9, 0xC3], "é\\xC3"),
      ([0x0A, 0xC0, 0x80], "\n\\xC0\\x80"), ([0xF0, 0x9F, 0x98], "\\xF0\\x9F\\x98"),
      ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
    ] as [([UInt8], String)])
  func whatIsNoTextIsSpelledOut(_ bytes: [UInt8], _ text: String) {
    let raw = RawText(place: "argument 1", bytes: bytes)
    #expect(raw.defect == text)
    let right = RawText(place: "argument 2", bytes: [0x61])
    #expect(RawText.problem(in: [right, raw]) == .notUTF8(place: "argument 1", text: text))
    #expect(RawText.problem(in: [right]) == nil)
  }
}
