import Adapters
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
