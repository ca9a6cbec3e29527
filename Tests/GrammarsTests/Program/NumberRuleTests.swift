import JSON
import Testing

@testable import Grammars

@Suite struct NumberRuleTests {
  private func rule(_ minimum: String?, _ maximum: String?, isInteger: Bool) throws -> NumberRule {
    try NumberRule(
      minimum: minimum.flatMap(JSONNumber.init(text:)),
      maximum: maximum.flatMap(JSONNumber.init(text:)),
      isInteger: isInteger)
  }

  /// All texts of these bytes, shorter ones first.
  private func texts(of alphabet: String, length: Int) -> [String] {
    var all = [""]
    var last = [""]
    for _ in 0..<length {
      last = last.flatMap { start in alphabet.map { start + String($0) } }
      all += last
    }
    return all
  }

  private static let integerBounds: [(String?, String?)] = [
    ("0", "0"), ("1", "3"), ("-2", "1"), ("-31", "-12"), ("9", "120"), ("-1", nil), (nil, "1"),
    ("0.5", "2.5"),
    ("-2.5", "-0.5"), ("10", "10"),
  ]

  @Test(arguments: integerBounds)
  func everyBeginningOfAnIntegerIsKnown(minimum: String?, maximum: String?) throws {
    let rule = try rule(minimum, maximum, isInteger: true)
    let low = minimum.flatMap(Double.init) ?? -1e300, high = maximum.flatMap(Double.init) ?? 1e300
    let all = texts(of: "-.0123", length: 4)
    let whole = Set(
      all.filter { text in
        guard let number = JSONNumber(text: text), number.isInteger else { return false }
        return (low...high).contains(number.double)
      })
    // A zero with a sign may be taken or not.
    for text in all where text != "-0" {
      let bytes = Array(text.utf8)
      #expect(rule.isWhole(bytes) == whole.contains(text), "\(text)")
      if whole.contains(text) { #expect(rule.mayGoOn(bytes), "\(text)") }
    }
    // Whatever may go on does lead to a whole number, digit by digit.
    for text in all where rule.mayGoOn(Array(text.utf8)) {
      #expect(Self.finish(Array(text.utf8), rule) != nil, "\(text)")
    }
  }

  private static let numberBounds: [(String?, String?)] = [
    ("0.15", "0.25"), ("-0.5", "0.5"), ("1", "1"), ("-1.25", "-1.2"), ("99.9", "100.1"),
    (nil, "-3"), ("0", nil),
    ("1e-7", "2e-7"), ("0.0001", "0.0001"), (nil, nil),
  ]

  @Test(arguments: numberBounds)
  func everyBeginningOfANumberIsKnown(minimum: String?, maximum: String?) throws {
    let rule = try rule(minimum, maximum, isInteger: false)
    let low = minimum.flatMap(Double.init) ?? -1e300, high = maximum.flatMap(Double.init) ?? 1e300
    let all = texts(of: "-.0129", length: 5)
    for text in all where !(text.hasPrefix("-0") && JSONNumber(text: text)?.double == 0) {
      let bytes = Array(text.utf8)
      let number = JSONNumber(text: text)
      #expect(
        rule.isWhole(bytes) == (number.map { (low...high).contains($0.double) } ?? false), "\(text)"
      )
      if rule.mayGoOn(bytes) {
        #expect(Self.finish(bytes, rule) != nil, "\(text)")
      } else {
        #expect(!rule.isWhole(bytes), "\(text)")
      }
    }
  }

  /// As many bytes as the shortest of all that may follow.
  @Test(arguments: integerBounds + numberBounds, [true, false])
  func theEndIsAsNearAsItCanBe(bounds: (String?, String?), isInteger: Bool) throws {
    guard let rule = try? rule(bounds.0, bounds.1, isInteger: isInteger) else { return }
    for text in texts(of: "-.0129", length: 4).map({ Array($0.utf8) }) where rule.mayGoOn(text) {
      var (texts, count) = ([text], 0)
      while !texts.contains(where: rule.isWhole) {
        let longer = texts.flatMap { text in "0123456789.-".utf8.map { text + [$0] } }
          .filter(rule.mayGoOn)
        texts = Array(
          Dictionary(longer.map { (rule.kind(of: $0), $0) }) { first, _ in first }.values)
        count += 1
      }
      #expect(rule.bytesToEnd(text) == count, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(.timeLimit(.minutes(15))) func longNumbersEndQuickly() throws {
    for digit in 1...40 {
      let rule = try rule("1.\(digit)e398", "2e399", isInteger: false)
      #expect(rule.bytesToEnd([]) == 399)
    }
  }

  /// What the machine keeps of a beginning is its kind alone.
  @Test(arguments: integerBounds + numberBounds, [true, false])
  func beginningsOfOneKindGoOnAlike(bounds: (String?, String?), isInteger: Bool) throws {
    guard let rule = try? rule(bounds.0, bounds.1, isInteger: isInteger) else { return }
    var first: [NumberRule.Kind: [UInt8]] = [:]
    for text in texts(of: "-.0129", length: 5).map({ Array($0.utf8) })
    where !text.isEmpty && rule.mayGoOn(text) {
      let other = first[rule.kind(of: text), default: text]
      first[rule.kind(of: text)] = other
      #expect(rule.isWhole(text) == rule.isWhole(other))
      for byte in "-.0123456789".utf8 {
        #expect(
          rule.mayGoOn(text + [byte]) == rule.mayGoOn(other + [byte]),
          "\(String(decoding: text, as: UTF8.self)) and \(String(decoding: other, as: UTF8.self))")
      }
    }
    // Three digits of anything are a handful of kinds.
    if bounds == (nil, nil) { #expect(first.count < 60) }
  }

  /// A whole number that `text` is the beginning of, found by trying each digit.
  private static func finish(_ text: [UInt8], _ rule: NumberRule) -> [UInt8]? {
    if rule.isWhole(text) { return text }
    guard text.count < 24 else { return nil }
    for byte in "0123456789.-".utf8 where rule.mayGoOn(text + [byte]) {
      if let whole = finish(text + [byte], rule) { return whole }
    }
    return nil
  }

  @Test func integersKeepTo64Bits() throws {
    let rule = try rule(nil, nil, isInteger: true)
    #expect(rule.isWhole(Array("9223372036854775807".utf8)))
    #expect(!rule.mayGoOn(Array("9223372036854775808".utf8)))
    #expect(rule.isWhole(Array("-9223372036854775808".utf8)))
    #expect(!rule.mayGoOn(Array("-9223372036854775809".utf8)))
    #expect(!rule.mayGoOn(Array("1.".utf8)))
  }

  /// Of an integer without a bound on a side, what comes keeps to 64 bits where something there is within the other one.
  @Test(
    arguments: [
      ("9223372036854775808", nil, "9223372036854775808", "9223372036854775807"),
      ("9223372036854775808", nil, "9999999999999999999", "10000000000000000000"),
      (nil, "-1e19", "-10000000000000000000", "-9999999999999999999"),
      (nil, "-1e19", "-99999999999999999999", "-100000000000000000000"),
      (nil, "1e20", "-9223372036854775808", "-9223372036854775809"),
      (nil, "1e20", "100000000000000000000", "100000000000000000001"),
      ("0", "18446744073709551615", "18446744073709551615", "18446744073709551616"),
      ("-1e500", "1e500", "-9223372036854775808", "9223372036854775808"),
      ("-1e500", "1e500", "9223372036854775807", "-9223372036854775809"),
    ] as [(String?, String?, String, String)])
  func boundsOfIntegersMayBeBeyond64Bits(
    minimum: String?, maximum: String?, within: String, beyond: String
  ) throws {
    let rule = try rule(minimum, maximum, isInteger: true)
    #expect(rule.isWhole(Array(within.utf8)) && !rule.isWhole(Array(beyond.utf8)))
    for length in 1..<within.utf8.count { #expect(rule.mayGoOn(Array(within.utf8.prefix(length)))) }
  }

  private static let wrongBounds: [(String?, String?, Bool)] = [
    ("2", "1", true), ("0.2", "0.8", true), ("1e500", nil, false), ("1e-500", nil, false),
    ("1e99999999999", nil, false),
  ]

  @Test(arguments: wrongBounds)
  func boundsWithoutANumberAreRefused(minimum: String?, maximum: String?, isInteger: Bool) {
    #expect(throws: GrammarDefect.emptyRange(minimum: minimum ?? "-∞", maximum: maximum ?? "∞")) {
      try rule(minimum, maximum, isInteger: isInteger)
    }
  }
}
