import JSON
import Testing

@Suite struct JSONDecimalTests {
  private static let rising = [
    "-1e400", "-10.01", "-10", "-0.2", "-0.15", "-1e-400", "0", "1e-400",
    "0.1499999999999999999999", "0.15",
    "9007199254740992", "9007199254740993", "1e16", "1e400",
  ]

  private func decimal(_ text: String) throws -> JSONDecimal {
    let number = try #require(JSONNumber(text: text))
    return try #require(JSONDecimal(number))
  }

  @Test func numbersAreInTheirOrderWithoutRounding() throws {
    let values = try Self.rising.map(decimal)
    for (i, first) in values.enumerated() {
      for (j, second) in values.enumerated() {
        #expect((first < second) == (i < j), "\(Self.rising[i]) < \(Self.rising[j])")
        #expect((first == second) == (i == j), "\(Self.rising[i]) == \(Self.rising[j])")
      }
    }
  }

  @Test(arguments: [
    ["1", "1.0", "1e0", "10e-1", "0.01E+2"], ["0", "-0", "0.00", "0e7"], ["-120", "-1.2e2"],
  ])
  func textsOfOneValueAreEqual(texts: [String]) throws {
    #expect(try Set(texts.map(decimal)).count == 1)
  }

  @Test(arguments: [
    ("3", true), ("3.0", true), ("30e-1", true), ("3e-1", false), ("1.5", false), ("0", true),
  ])
  func integersAreKnown(text: String, isInteger: Bool) throws {
    #expect(try decimal(text).isInteger == isInteger)
  }

  @Test(arguments: [
    ("1.5", "1", "2"), ("-1.5", "-2", "-1"), ("0.2", "0", "1"), ("-0.2", "-1", "0"),
    ("7", "7", "7"),
    ("9.99", "9", "10"), ("-9.5e1", "-95", "-95"), ("1e-400", "0", "1"),
    ("9223372036854775807.5", "9223372036854775807", "9223372036854775808"),
    ("-99999999999999999999.1", "-100000000000000000000", "-99999999999999999999"),
  ])
  func theNearestIntegersHaveAllDigits(text: String, below: String, above: String) throws {
    #expect(try decimal(text).integer(roundedUp: false) == decimal(below))
    #expect(try decimal(text).integer(roundedUp: true) == decimal(above))
  }

  @Test(
    arguments: [
      ("0", 0), ("3.0", 3), ("1e2", 100), ("9223372036854775807", .max),
      ("9223372036854775808", .max), ("1e400", .max), ("-1", nil), ("0.5", nil),
    ] as [(String, Int?)])
  func countsEndWhereIntegersEnd(text: String, count: Int?) throws {
    #expect(try decimal(text).count == count)
  }

  @Test(arguments: [
    ("19.99", "0.01", true), ("19.995", "0.01", false), ("0", "7", true), ("-21", "7", true),
    ("1e400", "3", false), ("1e400", "8", true), ("12e-1", "0.4", true),
    ("18446744073709551616", "4294967296", true), ("18446744073709551617", "4294967296", false),
    ("1", "0", false), ("1", "-1", false), ("1", "1234567890123456789", false),
  ])
  func multiplesAreExact(text: String, step: String, isMultiple: Bool) throws {
    #expect(try decimal(text).isMultiple(of: decimal(step)) == isMultiple)
  }

  @Test(arguments: ["", "01", "1.", " 1", "1 ", "nan", "1e", "\"1\""])
  func otherTextIsNoNumber(text: String) {
    #expect(JSONNumber(text: text) == nil)
  }

  /// Readers that know doubles alone get every seed, too.
  @Test(
    arguments: [
      (0, "0"), (1 << 53, "9007199254740992"), ((1 << 53) + 1, "\"9007199254740993\""),
      (1 << 63, "9223372036854775808"), (.max, "\"18446744073709551615\""),
    ] as [(UInt64, String)])
  func seedsAreNotRounded(seed: UInt64, text: String) throws {
    let value = JSONValue.seed(seed)
    #expect(value.line == text)
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.asSeed == seed)
  }

  @Test(arguments: ["-1", "1.5", "1e3", "18446744073709551616", "\"a\"", "true", "[1]"])
  func otherValuesAreNoSeeds(text: String) throws {
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.asSeed == nil)
  }
}
