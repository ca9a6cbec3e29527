/// Rows under headings; each row becomes a small list of its own where the table is too wide.
struct TextTable {
  let headings: [String]
  var rows: [[String]] = []
  /// Columns that are set to the right, for figures.
  var rightAligned: Set<Int> = []

  /// The table as lines of at most `columns` cells.
  func lines(columns: Int, style: TextStyle = .plain) -> [String] {
    let rows = rows.map { $0.map(\.printable) }
    let widths = headings.indices.map { column in
      ([headings] + rows).map { $0[column].cellWidth }.max() ?? 0
    }
    if widths.reduce(0, +) + 2 * (widths.count - 1) <= columns {
      let head = line(headings, widths)
      return [style.bold(head)] + rows.map { line($0, widths) }
    }
    return rows.map { records($0, columns) }.joined(separator: [""]).map(\.self)
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

  private func records(_ cells: [String], _ columns: Int) -> [String] {
    zip(headings, cells).filter { !$0.1.isEmpty }.flatMap { heading, cell in
      let label = heading.lowercased() + ": "
      return TextLayout.wrap(label + cell, columns: columns)
    }
  }
}
