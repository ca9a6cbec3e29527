import Testing

@testable import MacroExpansion

@Suite struct SwiftScannerTests {
  @Test(arguments: [
    ("a b", ["a", "b"]), ("`case` x", ["`case`", "x"]), ("// c\nx /* y /* z */ */ w", ["x", "w"]),
    (#""a\"b" c"#, [#""a\"b""#, "c"]), (##"#"a"b"# c"##, [##"#"a"b"#"##, "c"]),
    ("\"\"\"\n \"x\" \n\"\"\" y", ["\"\"\"\n \"x\" \n\"\"\"", "y"]),
    (#""\(f(")")) d" e"#, [#""\(f(")")) d""#, "e"]),
    (#"(/a\/b"/, c)"#, ["(", #"/a\/b"/"#, ",", "c", ")"]),
    (##"#/"[/]"/# x"##, [##"#/"[/]"/#"##, "x"]),
    ("() -> [Int]?", ["(", ")", "->", "[", "Int", "]", "?"]),
    ("a / b / c", ["a", "/", "b", "/", "c"]), ("größe: T", ["größe", ":", "T"]),
    ("\"open", ["\"open"]),
  ])
  func sourceIsCutIntoTokens(source: String, tokens: [String]) {
    #expect(SwiftScanner.tokens(of: source).map(\.text) == tokens)
  }

  @Test func tokensKnowTheirPlaces() {
    let tokens = SwiftScanner.tokens(of: "é a\n b")
    #expect(tokens.map(\.range) == [0..<2, 3..<4, 6..<7])
    #expect(tokens.map(\.startsLine) == [true, false, true])
  }
}
