import JSON
import TestSupport
import Testing

@testable import Grammars

@Suite struct WrittenPatternTests {
  @Test(arguments: [
    "abc", "a|bc|", "[a-c]+x?", #"\d{3}-\d{2,4}"#, "(ab|c){2,}", #"(?:x(?<name>y))*z"#, "[^a-y]{4}",
    ".{0,5}",
    #"\w+@\w+\.(?:com|org)"#, #"["\\/]+"#, #"\u00e9\x41\u{1F600}\t"#, "^a$", #"\D\W\S"#, "[\\w.-]+",
    "é+ü?", "a{,2}b",
    #"\Qa.b*\Ec+"#, #"(?:\Q. \E){1,3}\Q\E"#, "(?i:ab[x-zà]É)k", "a(?i)b(?-i:c)", "(a(?i)b)c",
    "(a*)*b", "[\\]\\-a]+?", "[א-ת]?x", #"\s+a"#, "日本[語誤]{1,3}", "[ก-๙]{2,5}",
    #"[\u{900}-\u{97F} ]{3}"#, "(?s:.){3}", "[a-f&&[^c]]{2}", "[[ab]c--b]+", "a{x", "(?i:[^a])",
    "^a$|^b",
    #"\h\H"#,
  ])
  func whatIsGeneratedMatches(pattern: String) throws {
    let regex = try Regex(pattern)
    var random = SeededGenerator(seed: 3)
    var run = try GrammarRun(.pattern(pattern))
    var texts: Set<String> = []
    for _ in 0..<(runsAllTests ? 60 : 20) {
      guard let json = run.randomText(&random) else { continue }
      let text = try #require(try JSONDocument(parsing: Array(json.utf8)).root.string, "\(json)")
      // For Swift's engine a letter and its marks may be one character.
      let isMatched =
        try regex.wholeMatch(in: text)
        ?? regex.matchingSemantics(.unicodeScalar).wholeMatch(in: text)
        != nil
      #expect(isMatched, "\(pattern) and \(text)")
      texts.insert(text)
    }
    #expect(!texts.isEmpty)
  }

  @Test(arguments: [#"["\\/]+"#, #"\d{3}\n?"#, "é+|[א-ת]x", "(?s:.){2,4}"])
  func whatIsWrittenPlainlyMatches(pattern: String) throws {
    let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
    var random = SeededGenerator(seed: 4)
    var run = try GrammarRun(.plainPattern(pattern))
    let texts = (0..<20).compactMap { _ in run.randomText(&random) }
    #expect(!texts.isEmpty)
    for text in texts { #expect(try regex.wholeMatch(in: text) != nil, "\(text)") }
    let defect = GrammarDefect.unsupportedPattern(
      pattern: "a++", part: "a possessive quantifier", offset: 2)
    #expect(throws: defect) { try Grammar(.plainPattern("a++")).check() }
  }

  @Test(arguments: [
    ("a++", "a possessive quantifier", 2), ("a^b", "an anchor inside", 1),
    ("(a$)b", "an anchor inside", 2),
    (#"\bword"#, #"the escape '\b'"#, 1), (#"(a)\1"#, #"the escape '\1'"#, 4),
    ("(?=a)", "a group of a special kind", 2), ("(?>a)", "a group of a special kind", 2),
    ("(?ix:a)", "a group of a special kind", 3), ("(?m)^a", "an anchor inside", 4),
    ("(?<=a)b", "a group of a special kind", 3),
    ("a{20000}", "a count above 10000", 8), ("a{3,1}", "counts in falling order", 6),
    ("*a", "a quantifier of nothing", 0), ("(a", "an open parenthesis", 2),
    ("a)", "an unmatched parenthesis", 1),
    ("[a", "an open bracket", 2), ("[a-z&&]", "a class without a usable character", 0),
    ("[]", "a class without a usable character", 0),
    ("[a&&b]", "a class without a usable character", 0),
    ("[z-a]", "a range in falling order", 4), (#"\p{L}"#, #"the property '\p{L}'"#, 0),
    ("[[:alpha:]]", "the property '[[:alpha:]]'", 1),
    (#"\uZZ"#, "a code that is no scalar", 2),
    ("[^\u{0}-\u{10FFFF}]", "a class without a usable character", 0),
    (#"a\"#, "a backslash at the end", 2),
  ])
  func whatCannotBeEnforcedIsNamed(pattern: String, part: String, offset: Int) {
    #expect(throws: GrammarDefect.unsupportedPattern(pattern: pattern, part: part, offset: offset))
    {
      try GrammarRun(.pattern(pattern))
    }
  }

  /// Scalars of a class are all taken, marks and those beyond 16 bits among them.
  @Test(arguments: [
    ("[א-ת]{4}", "שלום"), ("[ก-๙]{6}", "สวัสดี"), (#"[\u{900}-\u{97F}]+"#, "हिन्दी"), ("[ؠ-ْ]+", "مُحَمَّد"),
    ("[À-ỹ]+", "ạỹ"), ("[😀-🙏]", "🙂"), ("[ｱ-ﾝ]+", "ｶﾒﾗ"), (".{4}", "שלום"), (".{6}", "สวัสดี"),
    (".", "🙂"),
    ("[^a-z]{2}", "🇩🇪"), ("(?i:[ա-ֆ])", "Ա"),
  ])
  func classesHaveAllTheirScalars(pattern: String, text: String) throws {
    var run = try GrammarRun(.pattern(pattern))
    #expect(run.outcome("\"\(text)\"") == "whole")
  }

  @Test func aPatternHoldsForTheTextNotForItsEscapes() throws {
    var run = try GrammarRun(.pattern("a\"[\n\\\\]b"))
    #expect(run.outcome(#""a\"\nb""#) == "whole")
    #expect(run.outcome(#""a\"\\b""#) == "whole")
    #expect(run.outcome(#""a\""#) == "beginning")
    #expect(run.outcome(#""a\"\u000a"#) == #"not after "a\"\"#)
  }

  @Test func casesAreAlikeWhereThePatternSaysSo() throws {
    func outcome(_ pattern: String, _ text: String) throws -> String {
      var run = try GrammarRun(.pattern(pattern))
      return run.outcome("\"\(text)\"")
    }
    for text in ["abc", "ABC", "aBc"] { #expect(try outcome("(?i:abc)", text) == "whole") }
    #expect(try outcome("(?i:a)b", "AB") != "whole")
    #expect(try outcome("a(?i)b", "aB") == "whole")
    #expect(try outcome("(a(?i)b)c", "aBC") != "whole")
  }

  @Test func eachAlternativeHasASample() {
    #expect(Grammar.samples(of: "a(b|c)d?|e{2}") == ["ab", "ac", "abd", "ee"])
    #expect(Grammar.samples(of: "(?=a)") == nil)
  }
}
