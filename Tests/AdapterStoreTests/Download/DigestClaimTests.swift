import Testing

@testable import AdapterStore

@Suite struct DigestFilesTests {
  private static let (a, b) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))

  @Test(
    arguments: [
      ("\(a)  m.gguf\n", [a]), ("\(b)  other\n\(a) *m.gguf\r\n", [a]),
      ("\(a)  ./m.gguf", [a]), ("SHA256 (m.gguf) = \(a)\n", [a]),
      ("\(a.uppercased())  m.gguf\n", [a]), ("\(a)  m.gguf\n\(b)  m.gguf\n", [a, b]),
      ("", []), ("\(a)\n", []), ("\(a) m.gguf\n", []), ("\(a)  sub/m.gguf\n", []),
      ("\(a)  m.gguf.sha256\n", []), ("\\\(a)  m.gguf\n", []), ("aa  m.gguf\n", []),
      ("MD5 (m.gguf) = \(a)\n", []), ("<html>\(a)  m.gguf</html>", []),
    ] as [(String, [String])])
  func ofAList(_ text: String, _ expected: [String]) {
    #expect(DigestList.digests(of: "m.gguf", in: text) == expected)
  }

  @Test(
    arguments: [
      ("\(a)\n", [a]), (" \(a.uppercased()) ", [a]), ("\(a)  dist/m.gguf\n", [a]),
      ("\(a)  other.gguf\n", []), ("\(a)\n\(b)\n", []), ("not found", []), ("", []),
    ] as [(String, [String])])
  func ofItsOwnFile(_ text: String, _ expected: [String]) {
    #expect(DigestList.digests(of: "m.gguf", inOwn: text) == expected)
  }

  @Test func addressesOfWhatStandsBeside() {
    #expect(
      WebAddress.appending("https://h/a/m.gguf?x=1#y", ".sha256") == "https://h/a/m.gguf.sha256?x=1"
    )
    #expect(WebAddress.sibling("https://h/a/m.gguf?x=/1", "S") == "https://h/a/S?x=/1")
    #expect(WebAddress.sibling("https://h", "S") == nil)
    #expect(WebAddress.sibling("file:///a/m.gguf", "S") == "file:///a/S")
  }
}
