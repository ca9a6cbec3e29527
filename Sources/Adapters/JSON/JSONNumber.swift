package import FoundationEssentials

/// A JSON number as it was written, so that `1`, `1.0` and `1e0` stay what they are.
public struct JSONNumber: Sendable, Equatable {
  /// The number's text, valid JSON.
  public let text: String

  /// Keeps `text`, which the parser has checked.
  init(checked text: String) {
    self.text = text
  }

  /// Keeps `text` if it is a JSON number and nothing else.
  package init?(text: String) {
    guard let number = try? JSONDocument(parsing: Array(text.utf8)).root.number,
      number.text == text
    else { return nil }
    self = number
  }

  /// The decimal text of an integer.
  public init(_ value: Int) {
    text = String(value)
  }

  /// The shortest text that reads back as `value`, which has to be finite.
  public init(_ value: Double) {
    precondition(value.isFinite, "JSON has no text for \(value)")
    text = "\(value)"
  }

  /// Whether the text has neither a fraction nor an exponent.
  public var isInteger: Bool {
    !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
  }

  /// The value when the text is an integer within 64 bits, else nil.
  public var integer: Int? { isInteger ? Int(text) : nil }

  /// The nearest double; infinite when the text is beyond its range.
  public var double: Double { Double(text) ?? .nan }
}

extension JSONNumber {
  /// Whether the shortest text of the nearest double has the same value.
  package var isDouble: Bool {
    double.isFinite && JSONDecimal(JSONNumber(double)) == JSONDecimal(self)
  }

  /// The value as a `Decimal`; nil where that does not hold all digits.
  package var decimal: Decimal? {
    guard let decimal = Decimal(string: text), let same = JSONNumber(text: "\(decimal)"),
      JSONDecimal(same) == JSONDecimal(self)
    else { return nil }
    return decimal
  }
}

/// The exact value of a JSON number: `0.digits × 10^point`, so that no bound is rounded on the way to a comparison.
package struct JSONDecimal: Sendable, Hashable {
  /// Whether the value is below zero.
  package let isNegative: Bool
  /// Digits `0...9` without zeros at either end; none for zero.
  package let digits: [UInt8]
  /// Where the decimal point stands, counted from before the first digit.
  package let point: Int

  /// The value of `number`; nil when its exponent does not fit into 32 bits.
  package init?(_ number: JSONNumber) {
    self.init(text: number.text)
  }

  /// The value of the text of a JSON number.
  private init?(text: String) {
    var mantissa = text.utf8[...]
    var exponent = 0
    if let mark = mantissa.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      let digits = mantissa[mantissa.index(after: mark)...]
      guard let value = Int32(String(decoding: digits, as: UTF8.self)) else { return nil }
      exponent = Int(value)
      mantissa = mantissa[..<mark]
    }
    let isNegative = mantissa.first == UInt8(ascii: "-")
    if isNegative { mantissa = mantissa.dropFirst() }
    let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
    let all = mantissa.compactMap { $0 == UInt8(ascii: ".") ? nil : $0 - UInt8(ascii: "0") }
    let leading = all.prefix { $0 == 0 }.count
    let trailing = all.reversed().prefix { $0 == 0 }.count
    guard leading < all.count else {
      (self.isNegative, digits, point) = (false, [], 0)
      return
    }
    self.isNegative = isNegative
    digits = Array(all[leading..<(all.count - trailing)])
    point = whole.count - leading + exponent
  }

  /// Whether the value is zero.
  package var isZero: Bool { digits.isEmpty }

  /// Whether the value has no fraction.
  package var isInteger: Bool { isZero || point >= digits.count }
}

extension JSONDecimal: Comparable {
  /// Whether `left` is the smaller one.
  package static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
    let (first, second) = (left.sign, right.sign)
    guard first == second else { return first < second }
    let isSmaller =
      left.point == right.point
      ? left.digits.lexicographicallyPrecedes(right.digits) : left.point < right.point
    return first >= 0 ? isSmaller && first > 0 : left != right && !isSmaller
  }

  private var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }
}
