import Testing

@testable import MacroExpansion

@Suite struct DeclarationReaderTests {
  private func properties(_ members: String) throws -> [String] {
    try DeclarationReader.type(in: "struct A {\n\(members)\n}").properties.map {
      "\($0.name): \($0.type)"
    }
  }

  @Test(arguments: [
    ("var a: Int", ["a: Int"]),
    ("let a, b: Int; var c: [String: Int]?", ["a: Int", "b: Int", "c: [String: Int]?"]),
    ("var a: Int = 1, b: Text = .init(x: 1, y: \",\")", ["a: Int", "b: Text"]),
    (
      "static let a: Int = 1\nvar b: Int { 1 }\nvar c: Int { get { 1 } set {} }\nvar d: Int { didSet {} }",
      ["d: Int"]
    ),
    ("public private(set) var a: Dictionary<String, [Int]>", ["a: Dictionary<String, [Int]>"]),
    (
      "var a: () -> Int = { 1 }\nfunc f() -> Int { var x: Int = 1; return x }\nvar b: Bool",
      ["a: () -> Int", "b: Bool"]
    ),
    ("struct B { var x: Int }\nenum C { case y }\nvar a: B", ["a: B"]),
    ("typealias T = Int\ninit() { a = 1 }\nsubscript(x: Int) -> Int { x }\nvar a: T", ["a: T"]),
    ("let id = UUID()\nlet a: Int = 1, b: Int\nlet c = \"x\"", ["b: Int"]),
    ("var a: Int!", ["a: Int?"]), ("var `default`: Int", ["`default`: Int"]),
    ("var a: Int = 1\n  + 2\nvar b: Int", ["a: Int", "b: Int"]),
    ("class func f() {}\nvar a: Int", ["a: Int"]),
    (
      "var a = false, b = -1_0\nvar c = 1.5e3; var d = \"x, \\(1)\"\nvar e = #\"\"\"\n}\n\"\"\"#",
      ["a: Swift.Bool", "b: Swift.Int", "c: Swift.Double", "d: Swift.String", "e: Swift.String"]
    ),
    ("// var x: Int\nvar a: /* y */ Int // z", ["a: Int"]), ("", []),
  ])
  func storedPropertiesAreFound(members: String, expected: [String]) throws {
    #expect(try properties(members) == expected)
  }

  @Test func guidesAreRead() throws {
    let type = try DeclarationReader.type(
      in:
        #"struct A { @Guide(description: "a, \(b(1, 2))", .range(1...2), .element(.anyOf(["x", ","]))) @Other(1) var a: Int }"#
    )
    let guide = try #require(type.properties.first?.guide)
    #expect(guide.description == #""a, \(b(1, 2))""#)
    #expect(guide.guides.map(\.text) == [".range(1...2)", #".element(.anyOf(["x", ","]))"#])
  }

  @Test func casesAreRead() throws {
    let type = try DeclarationReader.type(
      in:
        "public indirect enum A<T>: Sendable { case a, b(Int), `c`(x: [A<T>], _ y: Int = 3)\ncase d }"
    )
    #expect(type.access == "public")
    #expect(type.inherited == ["Sendable"])
    #expect(type.cases.map(\.name) == ["a", "b", "`c`", "d"])
    let values: [[String]] = type.cases.map { enumCase in
      enumCase.values.map { value in (value.label ?? "-") + " " + value.type }
    }
    #expect(values == [[], ["- Int"], ["x [A<T>]", "- Int"], []])
    #expect(type.cases[2].values.map { $0.key(0) } == ["x", "y"])
  }

  @Test(arguments: [
    ("class A {}", 0, "@Generable can be on a structure or an enumeration, not on a class"),
    ("final class A {}", 6, "@Generable can be on a structure or an enumeration, not on a class"),
    ("actor A {}", 0, "@Generable can be on a structure or an enumeration, not on an actor"),
    ("struct A { var é = f(1) }", 15, "'é' needs a type annotation to be generated"),
    ("struct A { var a = [1] }", 15, "'a' needs a type annotation to be generated"),
    ("struct A { var a = 1 + b }", 15, "'a' needs a type annotation to be generated"),
    ("struct A { var a = \"x\" + b }", 15, "'a' needs a type annotation to be generated"),
    ("struct A { var a = -b }", 15, "'a' needs a type annotation to be generated"),
    ("struct A { var a = /x/ }", 15, "'a' needs a type annotation to be generated"),
    ("struct A { var a }", 15, "'a' needs a type annotation to be generated"),
    (
      "struct A { @Guide(description: \"x\") let a: Int = 1 }", 11,
      "'a' keeps its value and is not generated; remove its guide or make it 'var'"
    ),
    ("struct A { lazy var a: Int = 1 }", 20, "'a' is lazy, so it cannot be generated"),
    (
      "struct A { var (a, b): (Int, Int) }", 15,
      "@Generable needs one name for each property, not a pattern"
    ),
    (
      "struct A {\n#if X\nvar a: Int\n#endif\n}", 11,
      "@Generable cannot see through #if; move it out of the type"
    ),
    ("struct A { @Guide(title: 1) var a: Int }", 25, "@Guide has no argument 'title'"),
  ])
  func misuseIsNamedWhereItStands(source: String, offset: Int, message: String) {
    #expect(throws: Problem(message: message, offset: offset)) {
      try DeclarationReader.type(in: source)
    }
  }
}
