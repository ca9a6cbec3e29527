/// How a value is written by `%` and `format`: width, precision and so on.
struct FormatSpecification {
  var fill = SourcedText(" ", .template)
  /// `<`, `>`, `^` or `=`; nil for the one of the type.
  var alignment: Unicode.Scalar?
  var sign: Unicode.Scalar = "-"
  var isAlternative = false
  var groups: Unicode.Scalar?
  var width = 0
  var precision: Int?
  var kind: Unicode.Scalar = "s"

  static let limit = 1000

  /// What writing a value takes, in steps.
  func cost(of value: JinjaValue) -> Int {
    (width + (precision ?? 0)) / 8 + value.weight + Self.cost(of: value)
  }

  /// What all digits of a number take: those near 1 have few.
  static func cost(of value: JinjaValue) -> Int {
    guard case .double(let number) = value, number.isFinite, number != 0 else { return 0 }
    return Int(number.exponent.magnitude) / 4
  }

  /// The number in digits, with its sign.
  func digits(of value: JinjaValue) throws(JinjaFault) -> (sign: String, digits: String) {
    switch kind {
    case "d", "i", "u", "n", "x", "X", "o", "b", "c":
      guard var number = value.integer ?? truncated(value) else {
        throw .wrongType("“\(kind)” takes a number, not a \(value.typeName)")
      }
      let isNegative = number < 0
      guard number != .min else { throw .overflow }
      number = abs(number)
      return (signText(isNegative), integerText(number))
    default:
      guard let number = value.double else {
        throw .wrongType("“\(kind)” takes a number, not a \(value.typeName)")
      }
      return (signText(number.sign == .minus && !number.isNaN), try doubleText(number.magnitude))
    }
  }

  private func truncated(_ value: JinjaValue) -> Int? {
    guard case .double(let number) = value, kind == "d" || kind == "i" || kind == "u" else {
      return nil
    }
    return Int(exactly: number.rounded(.towardZero))
  }

  private func signText(_ isNegative: Bool) -> String {
    isNegative ? "-" : sign == "-" ? "" : "\(sign)"
  }

  private func integerText(_ number: Int) -> String {
    switch kind {
    case "x": (isAlternative ? "0x" : "") + String(number, radix: 16)
    case "X": (isAlternative ? "0X" : "") + String(number, radix: 16, uppercase: true)
    case "o": (isAlternative ? "0o" : "") + String(number, radix: 8)
    case "b": (isAlternative ? "0b" : "") + String(number, radix: 2)
    default: grouped(String(number))
    }
  }

  private func doubleText(_ number: Double) throws(JinjaFault) -> String {
    guard number.isFinite else { return number.isNaN ? "nan" : "inf" }
    switch kind {
    case "f", "F": return grouped(number.fixed(precision ?? 6))
    case "%": return (number * 100).fixed(precision ?? 6) + "%"
    case "s" where precision == nil: return grouped(number.pythonText)
    default: throw .unsupported("“\(kind)” in a format of numbers")
    }
  }

  private func grouped(_ digits: String) -> String {
    guard let groups else { return digits }
    let parts = digits.split(separator: ".", maxSplits: 1)
    let count = parts[0].count
    var whole = ""
    for (index, digit) in parts[0].enumerated() {
      if index > 0, (count - index) % 3 == 0 { whole.unicodeScalars.append(groups) }
      whole.append(digit)
    }
    return parts.count > 1 ? whole + "." + parts[1] : whole
  }

  /// `text` behind `sign`, made as long as the width.
  func padded(
    _ text: SourcedText, sign: String = "", isNumber: Bool
  ) -> SourcedText {
    let missing = max(0, width - text.count - sign.count)
    let alignment = self.alignment ?? (isNumber ? ">" : "<")
    let left =
      switch alignment {
      case "<": 0
      case "^": missing / 2
      default: missing
      }
    var result = SourcedText()
    if alignment == "=" { result.append(sign, .template) }
    for _ in 0..<left { result.append(fill) }
    if alignment != "=" { result.append(sign, .template) }
    result.append(text)
    for _ in 0..<(missing - left) { result.append(fill) }
    return result
  }
}

extension Double {
  /// The number with `places` digits behind the point, rounded to even where two are equally near.
  package func fixed(_ places: Int) -> String {
    // The exact value has at most 1074 digits behind the point; long arithmetic on decimal digits.
    var digits = exactDigits
    let keep = digits.whole + places
    if keep < digits.values.count {
      let rest = digits.values[max(keep, 0)...]
      let isOdd = keep > 0 && digits.values[keep - 1] % 2 == 1
      let isHalf = rest.first == 5 && rest.dropFirst().allSatisfy { $0 == 0 }
      let roundsUp = (rest.first ?? 0) > 5 || rest.first == 5 && (!isHalf || isOdd)
      digits.values.removeSubrange(max(keep, 0)...)
      if roundsUp {
        var index = digits.values.count - 1
        while index >= 0, digits.values[index] == 9 {
          digits.values[index] = 0
          index -= 1
        }
        if index >= 0 {
          digits.values[index] += 1
        } else {
          digits.values.insert(1, at: 0)
          digits.whole += 1
        }
      }
    } else {
      digits.values += Array(repeating: 0, count: keep - digits.values.count)
    }
    let text = String(decoding: digits.values.map { UInt8(0x30 + $0) }, as: UTF8.self)
    let whole = text.prefix(digits.whole)
    let sign = self.sign == .minus ? "-" : ""
    return sign + (whole.isEmpty ? "0" : whole)
      + (places > 0 ? "." + text.dropFirst(digits.whole) : "")
  }

  /// All decimal digits of the magnitude, and how many stand before the point.
  private var exactDigits: (values: [Int], whole: Int) {
    guard isFinite, self != 0 else { return ([0], 1) }
    // significand × 2^exponent with an integer significand; half of n is 5 n / 10.
    var parts = [significandBitPattern | (isNormal ? 1 << 52 : 0)]
    let power = (isNormal ? Int(exponent) : -1022) - 52
    Self.multiply(&parts, by: power > 0 ? 2 : 5, times: abs(power))
    var whole = String(parts.last ?? 0).utf8.map { Int($0) - 0x30 }
    for part in parts.dropLast().reversed() {
      whole += String(part).padded(to: 9).utf8.map { Int($0) - 0x30 }
    }
    var point = whole.count - max(-power, 0)
    if point < 1 {
      whole = Array(repeating: 0, count: 1 - point) + whole
      point = 1
    }
    return (whole, point)
  }

  /// Multiplies a number of nine digits a part, the last part of which may be larger before, by a power.
  private static func multiply(_ parts: inout [UInt64], by base: UInt64, times: Int) {
    var left = times
    repeat {
      // 5^12 and the carry of a product with it fit beside nine digits.
      let count = min(left, 12)
      let factor = (0..<count).reduce(into: 1 as UInt64) { power, _ in power *= base }
      var carry: UInt64 = 0
      for index in parts.indices {
        let (high, low) = parts[index].multipliedFullWidth(by: factor)
        let (sum, isCarried) = low.addingReportingOverflow(carry)
        let (quotient, remainder) = Self.billion.dividingFullWidth(
          (high + (isCarried ? 1 : 0), sum))
        (parts[index], carry) = (remainder, quotient)
      }
      while carry > 0 {
        parts.append(carry % billion)
        carry /= billion
      }
      left -= count
    } while left > 0
  }

  private static let billion: UInt64 = 1_000_000_000
}
