import Testing

@testable import Grammars

@Suite struct TextPatternTests {
  private static let patterns = [
    #"(?:^|\b)(?:7|seven)\W*$|^(?:7|seven)\b(?!.*\d)"#, #"^(?!.*\bnot\b).*\burgent\b"#, "^a|b$",
    #"(?-i:^\W*MIND THE STEP\W*$)"#, "a(?i)B|C", #"^\w+ \w+$"#, "[[:alpha:]]+", #"\p{L}+\d"#,
    "[a-z&&[aeiou]]", #"\Bb"#, #"\b\d\b"#, "é", "ß", "k", "(?<name>a)b", "(?P<name>a)b", "a*?b",
    "a{2,3}", "a{,3}b", "a{20}b", "^$", "$", "(|a)b", "(?=a)", "(?!a)b", "[^\\n]+three", "(a*)*b",
    "line.*three", "two.$", #"(a)(b)\1"#, "a++b", "(?>a+)b", #"\Qa.b\E"#, "(?s)e.l",
    #"e\u{301}"#, "]", #"[\w.-]+$"#, #"\S\S\S"#, "(a|b)*$",
  ]
  private static let texts = [
    "", "a", "ab", "b\n", "The answer is 7.", "seven", "17", "urgent", "not urgent", "URGENT!",
    "mind the step", "MIND THE STEP", "é e\u{301} ß SS ẞ", "line one\nline two\r\nthree",
    "foo_bar-baz", "a.b.c", "[y]", "aaaaaaaaaaaaaaaaaaaab", "١٢٣", "naïve café", "👨‍👩‍👧 ok",
    "K \u{212A}",
  ]

  /// Where no character has several scalars.
  @Test(arguments: patterns) func findsWhatSwiftFinds(_ pattern: String) throws {
    for ignoresCase in [false, true] {
      var expression = try Regex(pattern).wordBoundaryKind(.simple)
      if ignoresCase { expression = expression.ignoresCase() }
      let own = try TextPattern(pattern, ignoresCase: ignoresCase)
      for text in Self.texts where text.count == text.unicodeScalars.count {
        #expect(own.occurs(in: text) == text.contains(expression), "\(text)")
      }
    }
  }

  /// What `re.search` of Python 3.11 says, by scalars.
  @Test(arguments: [
    ("^[ก-๙]+$", "สวัสดี", true), ("^[ก-๙]{6}$", "สวัสดี", true), ("^.{4}$", "สวัสดี", false),
    ("^[ऀ-ॿ ]+$", "नमस्ते दुनिया", true), ("[ะ-ู]", "ใคร", false), ("[ะ-ู]", "ก็อยู่", true),
    ("^[א-ת]+$", "שָׁלוֹם", false),
    ("^[\u{590}-\u{5FF}]+$", "שָׁלוֹם", true), ("e", "e\u{301}", true), ("^é$", "e\u{301}", false),
    ("ค้+า", "ค้า", true),
    ("two.$", "line two\r\nthree", false), ("[😀-🙏].", "🙏🏽", true), (#"\é"#, "é", true),
    (#"[\é]"#, "é", true),
  ])
  func findsWhatPythonFinds(pattern: String, text: String, isFound: Bool) throws {
    #expect(try TextPattern(pattern).occurs(in: text) == isFound)
  }

  /// As Unicode's report 18 has it, and Python has not: marks are parts of words.
  @Test func marksArePartsOfWords() throws {
    #expect(try TextPattern(#"^[\w-]+$"#).occurs(in: "हिन्दी"))
    #expect(try TextPattern(#"^\w+$"#).occurs(in: "สวัสดี"))
    #expect(try !TextPattern(#"\bहिन\b"#).occurs(in: "हिन्दी"))
    #expect(try !TextPattern(#"\W"#).occurs(in: "हिन्दी"))
  }

  /// Each takes Swift's engine longer than anybody waits.
  @Test(
    arguments: [
      "(a+)+b", "(a*)*b", "(a|a)*b", "(a|aa)+$b", ".*.*.*.*.*.*x", "((((((a*)*)*)*)*)*)*b",
      "(?:a?){40}a{40}b",
    ])
  func noPatternIsSlow(_ pattern: String) throws {
    #expect(try !TextPattern(pattern).occurs(in: String(repeating: "a", count: 2_000)))
  }

  private static let refused: [(name: String, pattern: String, defect: TextPattern.Defect)] = [
    ("an open group", "(", .malformed), ("nothing repeated", "*", .malformed),
    ("what is behind", "(?<=a)b", .looksBehind), ("what is not behind", "(?<!a)b", .looksBehind),
    ("brackets", String(repeating: "[", count: 20_000), .tooLong(limit: 4096)),
    ("fewer brackets", String(repeating: "[", count: 4_000), .tooDeep(limit: 64)),
    ("parentheses", String(repeating: "(", count: 4_000), .tooDeep(limit: 64)),
    ("counts of counts", "(a{1000}){1000}", .tooCostly),
    ("what was matched, repeated", #"((a+)+)\1b"#, .tooCostly),
  ]

  @Test(arguments: refused.map(\.name)) func refuses(_ name: String) throws {
    let (_, pattern, defect) = try #require(Self.refused.first { $0.name == name })
    let error = #expect(throws: TextPattern.Defect.self) { try TextPattern(pattern) }
    #expect(error == defect)
  }
}
