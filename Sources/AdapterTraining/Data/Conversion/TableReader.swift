public import SystemFiles
import TensorFiles

/// What is wrong with a table.
public enum TableDefect: Error, Equatable, Sendable {
  /// A quotation mark that opens a field is never closed.
  case openQuote
  /// Text stands behind the quotation mark that closes a field.
  case textBehindQuote
  /// A row is longer than is read.
  case tooLong(limit: Int)
  /// Two columns have one name.
  case repeatedName(String)
  /// The names of the columns are not UTF-8.
  case notText
  /// The file is a binary one of this kind.
  case binary(String)
}

extension TableDefect: ExplainedError {
  /// What is wrong, and what to do.
  public var text: ErrorText {
    switch self {
    case .openQuote: "a quotation mark is never closed\(remedy: "double marks inside of fields")"
    case .textBehindQuote:
      "text stands behind the mark that closes a field\(remedy: "double marks inside of fields")"
    case .tooLong(let limit):
      "the row has more than \(Figures.size(limit))\(remedy: "look for a mark that is never closed")"
    case .repeatedName(let name): "two columns are called '\(name)'\(remedy: "rename one")"
    case .notText:
      "the names of the columns are not UTF-8"
        + "\(remedy: "save the file as UTF-8, or name its encoding")"
    case .binary(let kind):
      "the file is \(kind)\(remedy: "give its records as CSV or as JSON lines")"
    }
  }
}

/// Reads the rows of a table in CSV or TSV: fields that may stand in quotation marks, in which line ends and separators are text
/// and two marks are one.
///
/// Source: RFC 4180; a mark inside of a field that does not start with one is text, as in Python's `csv`.
struct TableReader {
  struct Row {
    /// The line that it starts on.
    let line: Int
    let fields: [String]
    /// False where a field is not UTF-8.
    let isText: Bool
  }

  /// What is wrong, and the line that it is on.
  struct Failure: Error {
    let defect: TableDefect
    let line: Int
  }

  /// Bytes of a row at most.
  static let limit = DataSetReader.lineLimit

  private(set) var cursor: ByteCursor
  private let separator: UInt8

  init(_ cursor: ByteCursor, separator: UInt8) {
    self.cursor = cursor
    self.separator = separator
  }

  /// The next row that is more than a line end; nil at the end.
  mutating func next() throws -> Row? {
    while let first = try cursor.peek() {
      guard first != 0x0A, first != 0x0D else {
        _ = try cursor.next()
        continue
      }
      return try row()
    }
    return nil
  }

  private mutating func row() throws -> Row {
    let line = cursor.line
    var (fields, size, isText, isLast) = ([String](), 0, true, false)
    while !isLast {
      let (bytes, ends) = try field(startedOn: line)
      size += bytes.count
      guard size <= Self.limit else {
        throw Failure(defect: .tooLong(limit: Self.limit), line: line)
      }
      let text = String(validating: bytes, as: UTF8.self)
      if text == nil { isText = false }
      fields.append(text ?? "")
      isLast = ends
    }
    return Row(line: line, fields: fields, isText: isText)
  }

  /// The next field, and whether the row ends with it.
  private mutating func field(startedOn line: Int) throws -> (bytes: [UInt8], isLast: Bool) {
    var bytes: [UInt8] = []
    if try cursor.peek() == UInt8(ascii: "\"") {
      bytes = try quoted(startedOn: line)
      if let next = try cursor.peek(), ![separator, 0x0A, 0x0D].contains(next) {
        throw Failure(defect: .textBehindQuote, line: cursor.line)
      }
    }
    while let byte = try cursor.next(), bytes.count <= Self.limit {
      switch byte {
      case separator: return (bytes, false)
      // A line feed behind it is a line end of its own, which is passed over.
      case 0x0A, 0x0D: return (bytes, true)
      default: bytes.append(byte)
      }
    }
    return (bytes, true)
  }

  /// What stands between marks; the cursor is behind the second one.
  private mutating func quoted(startedOn line: Int) throws -> [UInt8] {
    _ = try cursor.next()
    var bytes: [UInt8] = []
    while let byte = try cursor.next() {
      guard byte != UInt8(ascii: "\"") else {
        guard try cursor.peek() == byte else { return bytes }
        _ = try cursor.next()
        bytes.append(byte)
        continue
      }
      bytes.append(byte)
      // A mark that is never closed would take in the rest of the file.
      if bytes.count > Self.limit { break }
    }
    throw Failure(defect: .openQuote, line: line)
  }
}
