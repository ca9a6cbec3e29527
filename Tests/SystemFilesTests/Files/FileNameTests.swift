import TestSupport
import Testing

@testable import SystemFiles

@Suite struct FileNameTests {
  @Test(
    arguments: [
      ([0x61], "a", "a"), ([0xC3, 0xA9], "é", "é"), ([0x78, 0xFF], nil, "x\\xFF"),
      ([0xC3], nil, "\\xC3"), ([0x5C, 0x78, 0x46, 0x46], "\\xFF", "\\xFF"),
    ] as [([UInt8], String?, String)])
  func aNameIsATextOrIsSpelledOut(_ bytes: [UInt8], _ text: String?, _ shown: String) {
    let name = FileName(bytes: bytes)
    #expect(name.text == text && "\(name)" == shown)
    #expect((name == FileName(shown)) == (text != nil))
    #expect([shown].contains(name) == (text != nil))
  }

  @Test func namesThatAreEqualTextsAreTwo() {
    let (composed, decomposed) = (FileName("\u{E9}"), FileName("e\u{301}"))
    #expect(composed.text == decomposed.text && composed != decomposed)
    #expect(!["\u{E9}"].contains(decomposed))
  }

  @Test func theirEndsAreCompared() {
    let name = FileName(bytes: Array("a".utf8) + [0xFF] + Array(".gguf".utf8))
    #expect(name.hasSuffix(".gguf") && name.hasPrefix("a") && name.hasSuffix(""))
    #expect(!name.hasSuffix("gguf.") && !FileName("f").hasSuffix(".gguf"))
  }

  @Test func pathsAreTexts() throws {
    #expect(try FilePath.join("/a", FileName("b")) == "/a/b")
    let error = #expect(throws: FileError.self) {
      try FilePath.join("/a", FileName(bytes: [0xFF]))
    }
    #expect(error == .notText(path: "/a/\\xFF"))
    #expect(
      error?.description
        == "/a/\\xFF: a name in it is not UTF-8, as all paths here have to be; rename what is called so"
    )
    #expect(error?.isRefusal == false)
  }

  @Test func rawPathsLeadToAnyName() {
    let path = RawPath("/a/").appending(FileName(bytes: [0xFF])).appending("b")
    #expect("\(path)" == "/a/\\xFF/b")
    #expect(RawPath("/a").appending("b") == RawPath("/a/b"))
  }
}
