import Testing

@testable import SystemFiles

@Suite struct FilePathTests {
  @Test(arguments: [
    ("a/b", "a", "b"), ("a", ".", "a"), ("/a", "/", "a"), ("/a/b/", "/a", "b"), ("/", "/", ""),
    ("a//", ".", "a"), ("ä/ö", "ä", "ö"),
  ])
  func takesPathsApart(path: String, parent: String, name: String) {
    #expect(FilePath.parent(of: path) == parent)
    #expect(FilePath.name(of: path) == name)
  }

  @Test func joins() {
    #expect(FilePath.join("a", "b") == "a/b")
    #expect(FilePath.join("/", "b") == "/b")
  }

  @Test(
    arguments: [
      (".index.json.0123456789abcdef.partial", "index.json"),
      ("index.json.0123456789abcdef.partial", nil),
      (".index.json.0123456789abcde.partial", nil), ("..0123456789abcdef.partial", nil),
      (".a.partial", nil), (".a.0123456789abcdef.partial", "a"),
    ] as [(String, String?)])
  func knowsSiblings(_ name: String, _ original: String?) {
    #expect(FilePath.original(ofSibling: name) == original)
    let sibling = FilePath.name(of: FilePath.sibling(of: "/f/" + name))
    #expect(FilePath.original(ofSibling: sibling) == name)
  }

  @Test func randomNamesHave16Digits() {
    let names = (0..<100).map { _ in FilePath.randomName() }
    #expect(names.allSatisfy { $0.utf8.count == 16 })
    #expect(Set(names).count == 100)
  }
}
