/// Rows under headings; each row becomes a small list of its own where the table is too wide.
struct TextTable {
  let headings: [String]
  var rows: [[String]] = []
  /// Columns that are set to the right, for figures.
  var rightAligned: Set<Int> = []

  /// The table as lines of at most `columns` cells.
  func lines(columns: Int) -> [Line] {
    let rows = rows.map { $0.map(\.printable) }
    let widths = widths
    if Self.width(widths) <= columns {
      return [Line(line(headings, widths), .bold)] + rows.map { Line(line($0, widths)) }
    }
    return Array(rows.map { records($0, columns) }.joined(separator: [""]))
  }

  /// Cells of its widest line.
  var width: Int { Self.width(widths) }

  private static func width(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + 2 * (widths.count - 1)
  }

  private var widths: [Int] {
    headings.indices.map { column in
      ([headings] + rows).map { $0[column].printable.cellWidth }.max() ?? 0
    }
  }

  /// The columns of these `headings` alone.
  func keeping(_ headings: [String]) -> TextTable {
    let columns = headings.compactMap(self.headings.firstIndex)
    return TextTable(
      headings: headings, rows: rows.map { row in columns.map { row[$0] } },
      rightAligned: Set(columns.indices.filter { rightAligned.contains(columns[$0]) }))
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let fill = String(repeating: " ", count: max(0, cell.1 - cell.0.cellWidth))
      return rightAligned.contains(column) ? fill + cell.0 : cell.0 + fill
    }
    let text = padded.joined(separator: "  ")
    guard let last = text.unicodeScalars.lastIndex(where: { $0 != " " }) else { return "" }
    return String(text.unicodeScalars[...last])
  }

  private func records(_ cells: [String], _ columns: Int) -> [Line] {
    zip(headings, cells).filter { !$0.1.isEmpty }.flatMap { heading, cell in
      let label = heading.isEmpty ? "" : heading.lowercased() + ": "
      return Line(label + cell).wrapped(columns: columns)
    }
  }
}

/// Names and values, one pair a line, the values in one column.
struct FactList {
  private(set) var facts: [(name: String, value: String)] = []

  /// Adds a fact, unless it is not known.
  mutating func add(_ name: String, _ value: String?) {
    if let value, !value.isEmpty { facts.append((name, value.printable)) }
  }

  /// The lines; a long value goes on below its start, or below its name where the terminal is narrow.
  func lines(columns: Int) -> [Line] {
    let widest = facts.map(\.name.cellWidth).max() ?? 0
    let indent = widest + 2 <= columns / 2 ? widest + 2 : 4
    return facts.flatMap { name, value -> [Line] in
      let lines = TextLayout.wrap(value, columns: columns - indent)
      let margin = String(repeating: " ", count: indent)
      guard indent > widest else { return [Line(name)] + lines.map { Line(margin + $0) } }
      return lines.enumerated().map { index, line in
        Line((index == 0 ? TextLayout.pad(name, indent) : margin) + line)
      }
    }
  }
}

/// Lines of text that fit a terminal.
enum TextLayout {
  /// Breaks `text` at spaces into lines of at most `columns` cells, as ``Line/wrapped(columns:)`` does.
  static func wrap(_ text: String, columns: Int) -> [String] {
    Line(text).wrapped(columns: columns).map(\.text)
  }

  /// `text` filled with spaces to `columns` cells.
  static func pad(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - text.cellWidth))
  }

  /// `text`, cut to `columns` cells with a mark where something is missing.
  static func cut(_ text: String, _ columns: Int) -> String {
    guard text.cellWidth > columns else { return text }
    var (kept, width) = ("", 0)
    for character in text {
      guard width + character.cellWidth < columns else { break }
      kept.append(character)
      width += character.cellWidth
    }
    return kept + "…"
  }
}

extension StringProtocol {
  /// Cells that the text takes on a terminal.
  var cellWidth: Int { reduce(0) { $0 + $1.cellWidth } }
}

extension Character {
  /// Cells that the character takes on a terminal: those of its scalars, or two for one that is shown as an emoji.
  var cellWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    let isEmoji =
      first.properties.isEmojiPresentation
      || first.properties.isEmoji && unicodeScalars.contains("\u{FE0F}")
    return isEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.cellWidth }
  }
}

extension Unicode.Scalar {
  /// 0, 1 or 2: cells by Unicode's East Asian Width; marks that stand beside their letter take one.
  fileprivate var cellWidth: Int {
    if value < 0x300 { return value < 32 ? 0 : 1 }
    // What follows in a syllable of Hangul stands in it.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(value) } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB,
    0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
