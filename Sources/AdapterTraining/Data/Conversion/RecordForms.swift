import Adapters

/// The forms of the records of one file: of each its own, or the first one's where its keys are
/// those of none.
struct RecordForms {
  private let path: String
  private let names: RecordForm.Names
  private var first: RecordForm?
  private var firstKeys: [String] = []
  /// Names that no record has had yet.
  private var missing: [String]
  /// Whether every record was a line of a data set as it stands.
  private var areLines = true
  /// Records of few kinds are many.
  private var known: [[String]: RecordForm] = [:]

  private static let limit = 64

  init(_ names: RecordForm.Names, _ path: String) {
    (self.names, self.path, missing) = (names, path, names.all)
  }

  /// The form of a record; members that are null count as not there.
  ///
  /// - Throws: `DataSetError.noColumn`, `.isDataSet` or `.unknownForm` for the first record.
  mutating func form(of record: JSONObject) throws(DataSetError) -> RecordForm {
    missing.removeAll { record[$0] != nil }
    let keys = record.members.filter { $0.value != .null }.map(\.key)
    if let form = known[keys] { return form }
    guard let form = RecordForm(keys, names) ?? first ?? RecordForm(record.keys, names) else {
      if let name = missing.first { throw .noColumn(path: path, name: name, known: record.keys) }
      if record["role"] != nil { throw .isDataSet(path: path) }
      throw .unknownForm(path: path, keys: record.keys)
    }
    if first == nil { (first, firstKeys) = (form, record.keys) }
    if known.count == Self.limit { known = [:] }
    known[keys] = form
    return form
  }

  /// Notes what a record became; nil where that was nothing.
  mutating func note(_ record: RecordReader.Record, _ line: JSONValue?) {
    guard areLines, case .success(let object) = record.object else { return }
    areLines = record.isLine && object["chosen"] == nil && line == .object(object)
  }

  /// What only shows once all records are known.
  ///
  /// - Throws: `DataSetError.noColumn`, or `.isDataSet` where nothing had to be converted.
  func finish() throws(DataSetError) {
    guard first != nil else { return }
    if let name = missing.first { throw .noColumn(path: path, name: name, known: firstKeys) }
    if areLines { throw .isDataSet(path: path) }
  }
}
