import Testing

@testable import Tokenization

@Suite struct ScalarTraitsTests {
  private let table = ScalarTraitsTable.shared

  @Test(
    arguments: [
      ("A", ScalarTraits.upper), ("z", .lower), ("ǅ", .upper), ("ʰ", .otherLetter),
      ("中", .otherLetter), ("ā", .lower), ("Ā", .upper), ("ſ", .lower), ("\u{301}", .mark),
      ("7", .number), ("½", .number), ("Ⅷ", .number), ("٣", .number), ("!", .punctuation),
      ("_", .punctuation), ("$", .symbol), ("🦙", .symbol), ("\u{10FFFD}", []), ("\u{378}", []),
      ("\0", []), ("\u{200D}", []), ("\u{1E921}", .upper), ("\u{1E943}", .lower),
    ] as [(Unicode.Scalar, ScalarTraits)])
  func hasCategory(scalar: Unicode.Scalar, category: ScalarTraits) {
    let categories: ScalarTraits = [.letter, .mark, .number, .punctuation, .symbol]
    #expect(table[scalar.value].intersection(categories) == category)
  }

  @Test func agreesWithTheStandardLibraryWhereItKnowsNothingNewer() {
    for value in UInt32(0)..<0x3_0000 {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age,
        age.major < 15 || age.major == 15 && age.minor <= 1
      else { continue }
      let isLetter = !table[value].isDisjoint(with: .letter)
      let category = scalar.properties.generalCategory
      let expected = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      ].contains(category)
      if isLetter != expected { Issue.record("U+\(String(value, radix: 16))") }
      if table[value].contains(.whitespace) != scalar.properties.isWhitespace {
        Issue.record("white space U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func marksSingleCharacters() {
    #expect(table[0x0A].contains([.newline, .whitespace]))
    #expect(table[0x0D].contains(.newline))
    #expect(!table[0x0B].contains(.newline))
    #expect(table[0x20].contains([.space, .whitespace]))
    #expect(!table[0xA0].contains(.space))
    #expect(table[0x60].contains(.backtick))
    #expect(!table[0x60].contains(.asciiSymbol))
    #expect(table[0x3001].contains(.sentenceStop))
    #expect(table[0x110000] == [])
    #expect(table[.max] == [])
  }
}
