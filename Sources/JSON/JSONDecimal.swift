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
    self.init(isNegative: isNegative, digits: all, point: whole.count + exponent)
  }

  /// The value `0.digits × 10^point`; zeros may stand at both ends.
  private init(isNegative: Bool, digits: [UInt8], point: Int) {
    let leading = digits.prefix { $0 == 0 }.count
    let trailing = digits.reversed().prefix { $0 == 0 }.count
    guard leading < digits.count else {
      (self.isNegative, self.digits, self.point) = (false, [], 0)
      return
    }
    self.isNegative = isNegative
    self.digits = Array(digits[leading..<(digits.count - trailing)])
    self.point = point - leading
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

extension JSONDecimal {
  /// The nearest integer above or below, or the value itself where it is one.
  package func integer(roundedUp: Bool) -> JSONDecimal {
    guard !isInteger else { return self }
    // A place in front for the carry.
    var whole = [0] + digits.prefix(max(0, point))
    if roundedUp != isNegative {
      var place = whole.count - 1
      while whole[place] == 9 {
        whole[place] = 0
        place -= 1
      }
      whole[place] += 1
    }
    return JSONDecimal(isNegative: isNegative, digits: whole, point: whole.count)
  }

  /// The value as a number of things: the largest one where it is beyond 64 bits, nil where it is below zero or has a fraction.
  package var count: Int? {
    guard isInteger, !isNegative else { return nil }
    // The largest one has 19 digits.
    guard point <= 19 else { return .max }
    let zeros = String(repeating: "0", count: point - digits.count)
    return Int("0" + digits.map(String.init).joined() + zeros) ?? .max
  }

  /// Digits that a step has at most.
  package static let stepDigits = 18

  /// Whether values may be multiples of this one: it is above zero, and has few enough digits.
  package var isStep: Bool { !isZero && !isNegative && digits.count <= Self.stepDigits }

  /// Whether the value is a whole number of times `step`; never where that is none.
  package func isMultiple(of step: JSONDecimal) -> Bool {
    guard step.isStep else { return false }
    guard !isZero else { return true }
    // As integers without zeros at the end, times a power of ten each.
    let shift = (point - digits.count) - (step.point - step.digits.count)
    guard shift >= 0 else { return false }
    let divisor = step.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
    var rest = digits.reduce(UInt64(0)) { ($0 * 10 + UInt64($1)) % divisor }
    // No divisor has more than 60 factors of 2 or of 5, so that more tens change nothing.
    for _ in 0..<min(shift, 60) { rest = rest * 10 % divisor }
    return rest == 0
  }
}
