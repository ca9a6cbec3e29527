import JSON

/// The forms of the records of one file: of each its own, or the first one's where its keys are
/// those of none.
struct RecordForms {
  private let path: String
  private let names: RecordForm.Names
  /// Whether records with errors are left out.
  private let skips: Bool
  private var first: RecordForm?
  /// The keys of the first record that has a form, or else of the first one.
  private var firstKeys: [String]?
  /// Names that no record has had yet.
  private var missing: [String]
  /// Names of what asks or answers by which no record has been read yet.
  private var unused: [String]
  /// Whether every record was a line of a data set as it stands.
  private var areLines = true
  /// Records of few kinds are many.
  private var known: [[String]: RecordForm] = [:]

  private static let limit = 64

  init(_ names: RecordForm.Names, _ path: String, skips: Bool) {
    (self.names, self.path, self.skips, missing) = (names, path, skips, names.all)
    unused = [names.prompt, names.answer].compactMap(\.self)
  }

  /// The form of a record; members that are null count as not there.
  ///
  /// Nil where neither it nor one before it has a known form.
  ///
  /// - Throws: `DataSetError.isDataSet` for a first record that is a message.
  mutating func form(of record: JSONObject) throws(DataSetError) -> RecordForm? {
    missing.removeAll { record.keys.contains($0) }
    let keys = record.members.filter { $0.value != .null }.map(\.key)
    if let form = known[keys] { return form }
    let names = names.spelled(as: record.keys)
    let found = RecordForm(keys, names) ?? first ?? RecordForm(record.keys, names)
    guard let form = found ?? RecordForm(record.keys, names, takesText: true) else {
      if firstKeys == nil, record["role"] != nil { throw .isDataSet(path: path, skips: skips) }
      firstKeys = firstKeys ?? record.keys
      return nil
    }
    unused.removeAll(where: form.kind.keys.contains)
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

  /// What only shows once all records are known; `isMended` says that some were left out, or that the bytes are no data set's.
  ///
  /// - Throws: `DataSetError.noColumn`, `.unknownForm` where no record has a known form, `.unusedName`, or
  ///   `.isDataSet` where nothing had to be converted.
  func finish(isMended: Bool) throws(DataSetError) {
    guard let firstKeys else { return }
    if let name = missing.first { throw .noColumn(path: path, name: name, known: firstKeys) }
    guard let first else { throw .unknownForm(path: path, keys: firstKeys) }
    if let name = unused.first {
      throw .unusedName(path: path, name: name, used: first.kind.keys)
    }
    if areLines, !isMended { throw .isDataSet(path: path, skips: skips) }
  }
}
