/// Names and values, one pair a line, the values in one column.
struct FactList {
  private(set) var facts: [(name: String, value: String)] = []

  /// Adds a fact, unless it is not known.
  mutating func add(_ name: String, _ value: String?) {
    if let value, !value.isEmpty { facts.append((name, value.printable)) }
  }

  /// The lines; a long value goes on below its start, or below its name where the terminal is narrow.
  func lines(columns: Int) -> [String] {
    let widest = facts.map(\.name.count).max() ?? 0
    let indent = widest + 2 <= columns / 2 ? widest + 2 : 4
    return facts.flatMap { name, value -> [String] in
      let lines = TextLayout.wrap(value, columns: columns - indent)
      let margin = String(repeating: " ", count: indent)
      guard indent > widest else { return [name] + lines.map { margin + $0 } }
      return lines.enumerated().map { index, line in
        (index == 0 ? TextLayout.pad(name, indent) : margin) + line
      }
    }
  }
}
