import Adapters
import TensorFiles

/// The records of a file, however it is written.
struct RecordReader {
  /// One record.
  struct Record {
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
    case rows(TableReader, names: [String])
  }

  private var reader: Reader
  private let path: String

  init(_ file: FileReader, _ source: DataConversion.Source) throws(DataSetError) {
    path = file.path
    let cursor = try reading { () throws(TensorFileError) in try ByteCursor(file) }
    guard source != .json else {
      reader = .objects(ObjectReader(cursor))
      return
    }
    var table = TableReader(cursor, separator: UInt8(ascii: source == .csv ? "," : "\t"))
    let head = try Self.converting(path) { try table.next() }
    let names = head?.fields ?? []
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw .table(path: path, line: head?.line ?? 1, .repeatedName(name))
    }
    reader = .rows(table, names: names)
  }

  /// Bytes that have been read.
  var position: Int {
    switch reader {
    case .objects(let objects): objects.cursor.position
    case .rows(let table, _): table.cursor.position
    }
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
    case .rows(var table, let names):
      guard let row = try Self.converting(path, { try table.next() }) else { return nil }
      reader = .rows(table, names: names)
      return Record(line: row.line, object: Self.object(row, names))
    }
  }

  private static func object(_ found: ObjectReader.Found) -> Result<JSONObject, Problem> {
    if let duplicate = found.duplicate {
      return .failure(
        Problem(
          rule: .repeatedKey, text: "The key '\(duplicate.path)' stands twice in one object."))
    }
    return found.object.mapError {
      Problem(rule: .json, text: "The record is not JSON: \($0).")
    }
  }

  private static func object(
    _ row: TableReader.Row, _ names: [String]
  ) -> Result<JSONObject, Problem> {
    guard row.isText else {
      return .failure(Problem(rule: .encoding, text: "The row is not UTF-8 text."))
    }
    guard row.fields.count == names.count else {
      let count = Figures.count(row.fields.count, "field")
      return .failure(
        Problem(rule: .record, text: "The row has \(count), the first one \(names.count)."))
    }
    let members = zip(names, row.fields).map { JSONObject.Member(key: $0, value: .string($1)) }
    return .success(JSONObject(members))
  }

  private static func converting<R>(
    _ path: String, _ body: () throws -> R
  ) throws(DataSetError) -> R {
    do {
      return try body()
    } catch let error as TableReader.Failure {
      throw .table(path: path, line: error.line, error.defect)
    } catch let error as ObjectReader.Failure {
      throw .objects(path: path, line: error.line, problem: error.problem)
    } catch let error as TensorFileError {
      throw .file(error)
    } catch {
      preconditionFailure("no other errors")
    }
  }
}
