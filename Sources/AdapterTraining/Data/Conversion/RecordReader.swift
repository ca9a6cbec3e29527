import JSON
import SystemFiles
import TensorFiles

/// The records of a file, however it is written.
struct RecordReader {
  /// One record.
  struct Record: Sendable {
    let line: Int
    /// Its number in a list of JSON, from 1, as all of that may stand on one line.
    var number: Int?
    /// Whether a data set could have it as it stands.
    var isLine = false
    /// What it says, or what is wrong with it alone.
    let object: Result<JSONObject, Problem>
  }

  struct Problem: Error {
    let rule: DataRule
    let text: String
  }

  private enum Reader {
    case objects(ObjectReader)
    case rows(TableReader, columns: [String?])
  }

  private var reader: Reader
  private let path: String
  /// Why there are no records behind those of the last block.
  private var failure: DataSetError?

  /// Records and bytes that a block has at most, unless one record has more.
  private static let (blockRecords, blockBytes) = (512, 1 << 20)

  /// Reads what the text at `path` is; `source` says how it is written, else its first character
  /// does.
  init(
    _ cursor: ByteCursor, _ source: DataConversion.Source?, _ path: String
  ) throws(DataSetError) {
    self.path = path
    if let kind = try Self.converting(path, { try Self.binary(cursor) }) {
      throw .table(path: path, line: 1, .binary(kind))
    }
    var cursor = cursor
    let written = try Self.converting(path) { try source ?? Self.source(of: cursor) }
    guard written != .json else {
      reader = .objects(ObjectReader(cursor))
      return
    }
    let usual = UInt8(ascii: written == .csv ? "," : "\t")
    let head = try Self.converting(path) { try TableHead(&cursor, usual: usual) }
    reader = .rows(TableReader(cursor, separator: head.separator), columns: head.columns)
  }

  /// The kind of a file that is no text; nil for any other.
  private static func binary(_ cursor: ByteCursor) throws -> String? {
    var (cursor, start) = (cursor, [UInt8]())
    while start.count < BinaryKind.length, let byte = try cursor.next() { start.append(byte) }
    return BinaryKind.name(of: start)
  }

  /// JSON where the first character begins an object or a list, else a table.
  private static func source(of cursor: ByteCursor) throws -> DataConversion.Source {
    var cursor = cursor
    while let byte = try cursor.next() {
      if !" \t\r\n".utf8.contains(byte) { return "{[".utf8.contains(byte) ? .json : .csv }
    }
    return .json
  }

  /// Bytes that have been read.
  var position: Int { cursor.position }

  /// Whether a data set has other bytes, as far as the text was read.
  var isForeign: Bool { cursor.isForeign }

  private var cursor: ByteCursor {
    switch reader {
    case .objects(let objects): objects.cursor
    case .rows(let table, _): table.cursor
    }
  }

  /// The next records, a bounded number of them; none at the end.
  mutating func block() throws(DataSetError) -> [Record] {
    if let failure { throw failure }
    let end = position + Self.blockBytes
    var records: [Record] = []
    do throws(DataSetError) {
      while records.count < Self.blockRecords, position < end, let record = try next() {
        records.append(record)
      }
    } catch {
      // Those before it come first: they may say more of what the file is.
      guard !records.isEmpty else { throw error }
      failure = error
    }
    return records
  }

  /// The next record; nil at the end.
  mutating func next() throws(DataSetError) -> Record? {
    switch reader {
    case .objects(var objects):
      let found = try Self.converting(path) { try objects.next() }
      reader = .objects(objects)
      return found.map { found in
        Record(
          line: found.line, number: found.number, isLine: found.isLine, object: Self.object(found))
      }
    case .rows(var table, let columns):
      // Excel writes rows of separators alone below a table that once had more.
      let found = try Self.converting(path) {
        var row = try table.next()
        while row?.isBlank ?? false { row = try table.next() }
        return row
      }
      reader = .rows(table, columns: columns)
      return found.map { Record(line: $0.line, object: Self.object($0, columns)) }
    }
  }

  private static func object(_ found: ObjectReader.Found) -> Result<JSONObject, Problem> {
    value(found).flatMap { value in
      value.object.map { .success($0) }
        ?? .failure(Problem(rule: .record, text: "The record is \(value.kind), not an object."))
    }
  }

  /// What was found, or what is wrong with it.
  static func value(_ found: ObjectReader.Found) -> Result<JSONValue, Problem> {
    if let duplicate = found.duplicate {
      return .failure(
        Problem(
          rule: .repeatedKey, text: "The key '\(duplicate.path)' stands twice in one object."))
    }
    return found.value.mapError { defect in
      switch defect {
      case .syntax(let error) where error.reason.isLimit:
        Problem(rule: .bounds, text: "The record is not read: \(error).")
      case .syntax(let error): Problem(rule: .json, text: "The record is not JSON: \(error).")
      case .encoding: Problem(rule: .encoding, text: "The record is not UTF-8 text.")
      }
    }
  }

  private static func object(
    _ row: TableReader.Row, _ columns: [String?]
  ) -> Result<JSONObject, Problem> {
    guard row.isText else {
      return .failure(Problem(rule: .encoding, text: "The row is not UTF-8 text."))
    }
    // Columns without a name, and fields beyond the last one, only count where something stands in
    // them.
    let fields = row.fields
    let missing = columns.dropFirst(fields.count).contains { $0 != nil }
    guard !missing, fields.dropFirst(columns.count).allSatisfy(\.isBlank) else {
      let count = Figures.count(fields.count, "field")
      return .failure(
        Problem(rule: .record, text: "The row has \(count), the first one \(columns.count)."))
    }
    let members = zip(columns, fields).enumerated().compactMap { index, pair in
      pair.0 != nil || !pair.1.isBlank
        ? JSONObject.Member(key: pair.0 ?? "column \(index + 1)", value: .string(pair.1)) : nil
    }
    return .success(JSONObject(members))
  }

  /// Runs `body`, whose errors become the data set's.
  static func converting<R>(
    _ path: String, _ body: () throws -> R
  ) throws(DataSetError) -> R {
    do {
      return try body()
    } catch let error as TableReader.Failure {
      throw .table(path: path, line: error.line, error.defect)
    } catch let error as ObjectReader.Failure {
      throw .objects(path: path, line: error.line, problem: error.problem)
    } catch let error as FileError {
      throw .file(error)
    } catch {
      preconditionFailure("no other errors")
    }
  }
}

extension TableReader.Row {
  /// Whether no field says anything.
  fileprivate var isBlank: Bool { fields.count > 1 && isText && fields.allSatisfy(\.isBlank) }
}
