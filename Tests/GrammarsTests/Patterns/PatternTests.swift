import Testing

@testable import Grammars

@Suite struct PatternTests {
  private static let patterns = [
    #"(?:^|\b)(?:7|seven)\W*$|^(?:7|seven)\b(?!.*\d)"#, #"^(?!.*\bnot\b).*\burgent\b"#, "^a|b$",
    #"(?-i:^\W*MIND THE STEP\W*$)"#, "a(?i)B|C", #"^\w+ \w+$"#, "[[:alpha:]]+", #"\p{L}+\d"#,
    "[a-z&&[aeiou]]", #"\Bb"#, #"\b\d\b"#, "é", "ß", "k", "(?<name>a)b", "(?P<name>a)b", "a*?b",
    "a{2,3}", "a{,3}b", "a{20}b", "^$", "$", "(|a)b", "(?=a)", "(?!a)b", "[^\\n]+three", "(a*)*b",
    "line.*three", "two.$", #"\Qa.b\E"#, "(?s)e.t", "(?m)^t", "(?m:e$)", #"\n\Z"#, "a{x",
    #"{"|b\}"#,
    "]", #"[\w.-]+$"#, #"\S\S\S"#, "(a|b)*$", #"\p{Lu}[^\W\d]"#, "[a-y--[aeiou]]{2}",
    "[a-c~~b-d]b", #"[\d\p{L}]+ ."#, "(?:(?=a*b)a)+", "(?:a|(?!a)[^b])*7",
  ]
  private static let texts = [
    "", "a", "ab", "b\n", "The answer is 7.", "seven", "17", "urgent", "not urgent", "URGENT!",
    "mind the step", "MIND THE STEP", "é e\u{301} ß SS ẞ", "line one\nline two\r\nthree",
    "foo_bar-baz", "a.b.c", "[y]", "aaaaaaaaaaaaaaaaaaaab", "١٢٣", "naïve café", "👨‍👩‍👧 ok",
    "K \u{212A}", "one\ntwo", "{\"",
  ]

  /// Where no character has several scalars.
  @Test(arguments: patterns) func findsWhatSwiftFinds(_ pattern: String) throws {
    for ignoresCase in [false, true] {
      var expression = try Regex(pattern).wordBoundaryKind(.simple)
      if ignoresCase { expression = expression.ignoresCase() }
      let own = try Pattern(pattern, ignoresCase: ignoresCase)
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
    (#"[\é]"#, "é", true), ("(?<=a)b", "ab", true), ("(?<=a)b", "bb", false),
    ("(?<!a)b", "ab", false),
    ("(?<!a)b", "b", true), (#"(?<=\w{2})!"#, "a! ab!", true), (#"(?<=\w{2})!"#, "a! b!", false),
    ("(?<=b(?<=ab))c", "bbc abc", true), ("(?=a(?=b(?!c))).", "abc", false),
  ])
  func findsWhatPythonFinds(pattern: String, text: String, isFound: Bool) throws {
    #expect(try Pattern(pattern).occurs(in: text) == isFound)
  }

  /// As Unicode's report 18 has it, and Python has not: marks are parts of words.
  @Test func marksArePartsOfWords() throws {
    #expect(try Pattern(#"^[\w-]+$"#).occurs(in: "हिन्दी"))
    #expect(try Pattern(#"^\w+$"#).occurs(in: "สวัสดี"))
    #expect(try !Pattern(#"\bहिन\b"#).occurs(in: "हिन्दी"))
    #expect(try !Pattern(#"\W"#).occurs(in: "हिन्दी"))
  }

  /// Each takes Swift's engine longer than anybody waits.
  @Test(
    arguments: [
      "(a+)+b", "(a*)*b", "(a|a)*b", "(a|aa)+$b", ".*.*.*.*.*.*x", "((((((a*)*)*)*)*)*)*b",
      "(?:a?){40}a{40}b", "(?:(?=a*b)a|a)*b", "(?:(?<!ba*)a|a)*b", "(?:(?:(?!a*b)a)+)+b",
    ])
  func noPatternIsSlow(_ pattern: String) throws {
    #expect(try !Pattern(pattern).occurs(in: String(repeating: "a", count: 2_000)))
  }

  private static let refused: [(name: String, pattern: String, defect: PatternDefect)] = [
    ("brackets", many("["), .part("more than 64 parts inside each other", offset: 63)),
    ("parentheses", many("("), .part("more than 64 parts inside each other", offset: 64)),
    ("operators", "[a" + many("&&a"), .part("more than 64 parts inside each other", offset: 188)),
    ("quantifiers", "a" + many("*"), .part("a quantifier of nothing", offset: 2)),
    ("looks", many("(?="), .part("more than 64 parts inside each other", offset: 192)),
    ("counts of counts", "(a{1000}){1000}", .tooLarge(limit: 10_000)),
    ("counts of looks", "(?:(?=a{99})(?<!b{99})){99}", .tooLarge(limit: 10_000)),
    ("no property", #"\p{Foo}"#, .part(#"the unknown property '\p{Foo}'"#, offset: 0)),
  ]

  private static func many(_ text: String) -> String { String(repeating: text, count: 20_000) }

  @Test(arguments: refused.map(\.name)) func refuses(_ name: String) throws {
    let (_, pattern, defect) = try #require(Self.refused.first { $0.name == name })
    let error = #expect(throws: PatternDefect.self) { try Pattern(pattern) }
    #expect(error == defect)
  }
}
