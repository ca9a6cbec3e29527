import JSON

/// The texts of numbers within bounds, without exponents: tells of any beginning whether it can become one of them.
///
/// Magnitudes are compared digit by digit on a grid as fine as the bounds, so nothing is rounded.
struct NumberRule: Sendable {
  /// Digits before and behind the point at most.
  private let wholeDigits: Int
  private let fractionDigits: Int
  /// Bounds of magnitudes for either sign, as digits of the grid; nil where no number has that sign.
  private let positive: Magnitudes?
  private let negative: Magnitudes?

  private static let digitLimit = 400
  /// Digits before and behind the point that are generated whatever the bounds have.
  static let usualDigits = 16

  /// Numbers from `minimum` to `maximum`; on a side without a bound, or with one of more digits than are
  /// generated, integers keep to 64 bits, or to as many digits as the other bound has where no integer of 64 bits is within it.
  ///
  /// - Throws: `.emptyRange`.
  init(minimum: JSONNumber?, maximum: JSONNumber?, isInteger: Bool) throws(GrammarDefect) {
    let failure = GrammarDefect.emptyRange(
      minimum: minimum?.text ?? "-∞", maximum: maximum?.text ?? "∞")
    var (low, high) = (minimum.flatMap(JSONDecimal.init), maximum.flatMap(JSONDecimal.init))
    guard (low == nil) == (minimum == nil), (high == nil) == (maximum == nil) else { throw failure }
    // What is farther from zero than any text can say is no bound.
    if let bound = low, bound.isNegative, bound.point > Self.digitLimit { low = nil }
    if let bound = high, !bound.isNegative, bound.point > Self.digitLimit { high = nil }
    if isInteger { (low, high) = Self.integers(from: low, to: high) }
    let bounds = [low, high].compactMap(\.self).filter { !$0.isZero }
    let usual = isInteger ? 0 : Self.usualDigits
    wholeDigits = max(bounds.map(\.point).max() ?? 1, usual, 1)
    fractionDigits = max(bounds.map { $0.digits.count - $0.point }.max() ?? 0, usual)
    guard wholeDigits <= Self.digitLimit, fractionDigits <= Self.digitLimit else { throw failure }
    let grid = DigitGrid(whole: wholeDigits, fraction: fractionDigits)
    // A bound of the other sign is no bound; one that excludes the sign is no digits, and below all others.
    let zero = grid.digits([], then: 0)
    let top = grid.digits([], then: 9)
    let least = low.map { $0.isNegative ? zero : grid.digits($0) } ?? zero
    let greatest = high.map { $0.isNegative ? [] : grid.digits($0) } ?? top
    positive = Magnitudes(least, greatest)
    let nearest = high.map { $0.isNegative ? grid.digits($0) : zero } ?? zero
    let farthest = low.map { $0.isNegative ? grid.digits($0) : [] } ?? top
    negative = Magnitudes(nearest, farthest)
    guard positive != nil || negative != nil else { throw failure }
  }

  /// The bounds of integers between two bounds.
  private static func integers(
    from low: JSONDecimal?, to high: JSONDecimal?
  ) -> (JSONDecimal?, JSONDecimal?) {
    let (low, high) = (low?.integer(roundedUp: true), high?.integer(roundedUp: false))
    guard let least = JSONDecimal(JSONNumber(Int.min)), let most = JSONDecimal(JSONNumber(Int.max))
    else { preconditionFailure("both have a few digits") }
    return (
      low ?? (high.map { $0 < least } ?? false ? nil : least),
      high ?? (low.map { $0 > most } ?? false ? nil : most)
    )
  }

  /// Whether `text` is a number within the bounds.
  func isWhole(_ text: [UInt8]) -> Bool {
    guard let parts = parts(text), parts.isNumber, let bounds = bounds(parts) else { return false }
    let digits = grid.digits(parts.whole, parts.fraction, then: 0)
    return bounds.overlaps(digits, digits)
  }

  /// Whether `text` is the beginning of a number within the bounds, or one itself.
  func mayGoOn(_ text: [UInt8]) -> Bool {
    guard let parts = parts(text), let bounds = bounds(parts) else { return false }
    if parts.hasPoint {
      guard fractionDigits > 0 else { return false }
      return bounds.overlaps(
        grid.digits(parts.whole, parts.fraction, then: 0),
        grid.digits(parts.whole, parts.fraction, then: 9))
    }
    if parts.whole.isEmpty { return true }
    let longest = parts.whole == [0] ? 1 : wholeDigits
    for count in parts.whole.count...longest {
      let more = count - parts.whole.count
      let low = grid.digits(parts.whole + Array(repeating: 0, count: more), [], then: 0)
      let high = grid.digits(parts.whole + Array(repeating: 9, count: more), [], then: 9)
      if bounds.overlaps(low, high) { return true }
    }
    return false
  }

  /// Bytes that make `text`, which may go on, a whole number at least.
  func bytesToEnd(_ text: [UInt8]) -> Int {
    guard let parts = parts(text) else { preconditionFailure("no beginning of a number") }
    var least = bounds(parts).flatMap { bytesToEnd(parts, $0) } ?? .max
    // Nothing written yet: a sign may come.
    if text.isEmpty, let negative, let more = bytesToEnd(parts, negative) {
      least = min(least, 1 + more)
    }
    precondition(least < .max, "no beginning of a number")
    return least
  }

  /// The same for numbers of one sign; nil where none is within the bounds.
  private func bytesToEnd(_ parts: Parts, _ bounds: Magnitudes) -> Int? {
    guard !parts.hasPoint else {
      guard let needed = fraction(of: parts.whole, more: 0, parts.fraction, bounds) else {
        return nil
      }
      return max(needed, parts.fraction.count, 1) - parts.fraction.count
    }
    var least: Int?
    let most = parts.whole == [0] ? 0 : wholeDigits - parts.whole.count
    for more in (parts.whole.isEmpty ? 1 : 0)...max(most, 0) where more < least ?? .max {
      guard let needed = fraction(of: parts.whole, more: more, [], bounds) else { continue }
      least = min(least ?? .max, more + (needed == 0 ? 0 : needed + 1))
    }
    return least
  }

  /// Digits behind the point of the shortest number within the bounds that begins with `whole`, has so many digits
  /// `more` before the point, and then `fraction`; nil for none.
  private func fraction(
    of whole: [UInt8], more: Int, _ fraction: [UInt8], _ bounds: Magnitudes
  ) -> Int? {
    // A number of several digits begins with none that is 0.
    var zeros = [UInt8](repeating: 0, count: more)
    if whole.isEmpty, more > 1 { zeros[0] = 1 }
    let low = grid.digits(whole + zeros, fraction, then: 0)
    let high = grid.digits(whole + Array(repeating: 9, count: more), fraction, then: 9)
    return bounds.shortest(from: low, to: high).map { max(0, $0 - wholeDigits) }
  }

  /// The bytes of numbers, and two that are none.
  static let bytes: ClosedRange<UInt8> = UInt8(ascii: "-")...UInt8(ascii: "9")

  /// What decides how a beginning may go on: beginnings of one kind go on alike.
  struct Kind: Hashable, Sendable {
    fileprivate let isNegative: Bool
    fileprivate let isZero: Bool
    fileprivate let hasPoint: Bool
    fileprivate let wholeCount: Int
    fileprivate let fractionCount: Int
    /// How its digits compare with the bounds, for each number of digits that may come before the point.
    fileprivate let order: [UInt8]
  }

  /// The kind of `text`, which may go on.
  func kind(of text: [UInt8]) -> Kind {
    guard let parts = parts(text), let bounds = bounds(parts) else {
      preconditionFailure("no beginning of a number")
    }
    let digits = parts.whole + parts.fraction
    let longest = parts.hasPoint || parts.whole == [0] ? parts.whole.count : wholeDigits
    return Kind(
      isNegative: parts.isNegative, isZero: parts.whole == [0], hasPoint: parts.hasPoint,
      wholeCount: parts.whole.count, fractionCount: parts.fraction.count,
      order: (parts.whole.count...longest).map { count in
        bounds.order(of: digits, from: wholeDigits - count)
      })
  }

  private var grid: DigitGrid { DigitGrid(whole: wholeDigits, fraction: fractionDigits) }

  /// The parts of `text`, if it has no more digits than the grid.
  private func parts(_ text: [UInt8]) -> Parts? {
    guard let parts = Parts(text), parts.whole.count <= wholeDigits,
      parts.fraction.count <= fractionDigits
    else { return nil }
    return parts
  }

  private func bounds(_ parts: Parts) -> Magnitudes? { parts.isNegative ? negative : positive }
}

/// Digits before and behind a point, as many as in all numbers of a rule.
private struct DigitGrid {
  let whole: Int
  let fraction: Int

  func digits(_ value: JSONDecimal) -> [UInt8] {
    guard !value.isZero else { return digits([], then: 0) }
    let leading = [UInt8](repeating: 0, count: max(0, whole - value.point))
    let digits = leading + value.digits
    return digits + [UInt8](repeating: 0, count: whole + fraction - digits.count)
  }

  /// The grid's digits of a number; all places behind its last digit are `filler`.
  func digits(_ whole: [UInt8], _ fraction: [UInt8] = [], then filler: UInt8) -> [UInt8] {
    let leading = [UInt8](
      repeating: whole.isEmpty ? filler : 0, count: self.whole - whole.count)
    let rest = [UInt8](repeating: filler, count: self.fraction - fraction.count)
    return leading + whole + fraction + rest
  }
}

/// Magnitudes between two of the same grid.
private struct Magnitudes: Sendable {
  private let lower: [UInt8]
  private let upper: [UInt8]

  init?(_ lower: [UInt8], _ upper: [UInt8]) {
    guard !upper.lexicographicallyPrecedes(lower) else { return nil }
    (self.lower, self.upper) = (lower, upper)
  }

  /// How digits at a place of the grid, with zeros before them, compare with those of the bounds up to their end.
  func order(of digits: [UInt8], from place: Int) -> UInt8 {
    let digits = Array(repeating: 0, count: place) + digits
    func compare(_ bound: [UInt8]) -> UInt8 {
      let bound = bound[..<digits.count]
      return digits.lexicographicallyPrecedes(bound)
        ? 0 : bound.lexicographicallyPrecedes(digits) ? 2 : 1
    }
    return compare(lower) * 3 + compare(upper)
  }

  /// Digits of the grid up to the last one that is not 0, for that of the magnitudes from `low` to `high` and among
  /// these which has the fewest; nil for none.
  func shortest(from low: [UInt8], to high: [UInt8]) -> Int? {
    let least = low.lexicographicallyPrecedes(lower) ? lower : low
    let greatest = upper.lexicographicallyPrecedes(high) ? upper : high
    guard !greatest.lexicographicallyPrecedes(least) else { return nil }
    let end = least.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    // Behind the first digit that is larger, the greatest one may be cut off.
    let differing = least.indices.first { least[$0] != greatest[$0] }.map { $0 + 1 } ?? .max
    return min(end, differing)
  }

  /// Whether one of the magnitudes from `low` to `high` is among these.
  func overlaps(_ low: [UInt8], _ high: [UInt8]) -> Bool {
    !high.lexicographicallyPrecedes(lower) && !upper.lexicographicallyPrecedes(low)
  }
}

/// The beginning of a number's text, cut at sign and point.
private struct Parts {
  let isNegative: Bool
  let whole: [UInt8]
  let hasPoint: Bool
  let fraction: [UInt8]

  /// Nil when `text` is no beginning of a number.
  init?(_ text: [UInt8]) {
    isNegative = text.first == UInt8(ascii: "-")
    let unsigned = text.dropFirst(isNegative ? 1 : 0)
    let parts = unsigned.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, unsigned.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }) else {
      return nil
    }
    whole = (parts.first ?? []).map { $0 - 0x30 }
    hasPoint = parts.count == 2
    fraction = hasPoint ? parts[1].map { $0 - 0x30 } : []
    if whole.first == 0, whole.count > 1 { return nil }
    if hasPoint, whole.isEmpty { return nil }
  }

  /// Whether nothing is missing.
  var isNumber: Bool { !whole.isEmpty && (!hasPoint || !fraction.isEmpty) }
}
