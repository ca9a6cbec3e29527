import JSON

extension SchemaPart {
  /// The bounds of a number; those that exclude themselves become the next number of as many digits as are generated.
  mutating func bounds(
    isInteger: Bool
  ) throws(GrammarDefect) -> (minimum: JSONNumber?, maximum: JSONNumber?) {
    if let step = try number("multipleOf"),
      !isInteger || JSONDecimal(step) != JSONDecimal(JSONNumber(1))
    {
      throw unsupported("multipleOf")
    }
    let minimum = try bound("minimum", "exclusiveMinimum", above: true)
    return (minimum, try bound("maximum", "exclusiveMaximum", above: false))
  }

  private mutating func bound(
    _ key: String, _ exclusiveKey: String, above: Bool
  ) throws(GrammarDefect) -> JSONNumber? {
    let bound = try number(key)
    guard let excluded = try number(exclusiveKey) else { return bound }
    guard let decimal = JSONDecimal(excluded), let next = decimal.neighbour(above: above) else {
      throw unsupported(exclusiveKey)
    }
    guard let bound else { return next }
    guard let first = JSONDecimal(bound), let second = JSONDecimal(next) else { return bound }
    return (above ? first < second : second < first) ? next : bound
  }
}

extension JSONDecimal {
  /// The nearest number above or below with as many digits behind the point as numbers of a grammar have, or one more than
  /// this one has; nil where there would be hundreds.
  fileprivate func neighbour(above: Bool) -> JSONNumber? {
    let fraction = max(NumberRule.usualDigits, digits.count - point)
    guard abs(point) <= 300, fraction <= 300 else { return nil }
    // The digits of the magnitude on a grid with a place in front for a carry.
    let whole = max(point, 1) + 1
    var grid = [UInt8](repeating: 0, count: whole - point) + digits
    grid += [UInt8](repeating: 0, count: whole + fraction - grid.count)
    let grows = isZero || above != isNegative
    for index in grid.indices.reversed() {
      if grows {
        grid[index] = grid[index] == 9 ? 0 : grid[index] + 1
        if grid[index] != 0 { break }
      } else {
        grid[index] = grid[index] == 0 ? 9 : grid[index] - 1
        if grid[index] != 9 { break }
      }
    }
    let text = grid.map(String.init)
    let sign = isZero ? !above : isNegative
    let head = text.prefix(whole).drop { $0 == "0" }.joined()
    return JSONNumber(
      text: (sign ? "-" : "") + (head.isEmpty ? "0" : head) + "."
        + text.suffix(fraction).joined())
  }
}
