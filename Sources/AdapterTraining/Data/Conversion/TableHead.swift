import TensorFiles

/// What the beginning of a table tells of all of it: what stands between its fields, and what its
/// columns are called.
struct TableHead {
  let separator: UInt8
  /// The names without blanks around them; nil for a column without one.
  let columns: [String?]

  /// Rows that are looked at to find the separator.
  private static let sample = 10

  /// Reads over the first row, and over a line such as `sep=;` before it; `usual` separates where
  /// nothing tells.
  ///
  /// - Throws: `TableReader.Failure` or `FileError`.
  init(_ cursor: inout ByteCursor, usual: UInt8) throws {
    separator = try Self.said(&cursor) ?? Self.found(cursor, usual)
    var table = TableReader(cursor, separator: separator)
    let row = try table.next()
    cursor = table.cursor
    guard row?.isText ?? true else {
      throw TableReader.Failure(defect: .notText, line: row?.line ?? 1)
    }
    columns = (row?.fields ?? []).map(PlainText.trimmed).map { $0.isEmpty ? nil : $0 }
    var known: Set<String> = []
    if let name = columns.compactMap(\.self).first(where: { !known.insert($0).inserted }) {
      throw TableReader.Failure(defect: .repeatedName(name), line: row?.line ?? 1)
    }
  }

  /// What a first line says as Excel reads and writes it; nil, with nothing read, where there is
  /// none such.
  private static func said(_ cursor: inout ByteCursor) throws -> UInt8? {
    var ahead = cursor
    var line: [UInt8] = []
    while let byte = try ahead.next(), byte != 0x0A, line.count < 8 { line.append(byte) }
    let text = String(
      decoding: line.filter { $0 != 0x0D && $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    guard text.lowercased().hasPrefix("sep="), text.utf8.count == 5, let last = text.utf8.last
    else { return nil }
    cursor = ahead
    return last
  }

  /// The separator by which most rows have as many fields as the first one.
  private static func found(_ cursor: ByteCursor, _ usual: UInt8) -> UInt8 {
    let others = ",;\t".utf8.filter { $0 != usual }
    let scores = ([usual] + others).map { separator -> (separator: UInt8, rows: Int, fields: Int) in
      let counts = counts(cursor, separator)
      let first = counts.first ?? 0
      return (separator, first > 1 ? counts.count { $0 == first } : 0, first)
    }
    let best = scores.reduce(scores[0]) { ($1.rows, $1.fields) > ($0.rows, $0.fields) ? $1 : $0 }
    return best.separator
  }

  /// How many fields each of the first rows has, as far as they can be read.
  private static func counts(_ cursor: ByteCursor, _ separator: UInt8) -> [Int] {
    var table = TableReader(cursor, separator: separator)
    var counts: [Int] = []
    while counts.count < sample, let row = try? table.next() { counts.append(row.fields.count) }
    return counts
  }
}
