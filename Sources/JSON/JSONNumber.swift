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
