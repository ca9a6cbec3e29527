import Adapters
import JSON
import SystemFiles
import TensorFiles

/// Turns somebody else's data into a data set: tables, and JSON in the forms of Alpaca, ShareGPT, trl and others.
///
/// Each record becomes a line in the form of Apple's toolkit, a list of messages, or, with a chosen
/// and a rejected answer, in that of trl, by the keys that it has itself; records whose examples
/// have errors are reported all at once. A data set that is written otherwise, in another encoding or not one value a line, stays
/// what it is but for that. No more of a file than a record is in memory, unless an encoding is given.
package struct DataConversion: Sendable {
  /// How the file is written.
  package enum Source: String, Sendable, CaseIterable {
    /// Fields between commas, the names of the columns in the first row; or between semicolons or
    /// tabs, where the first rows show that.
    case csv
    /// Fields between tabs, likewise.
    case tsv
    /// Objects, in a list or one after the other.
    case json
  }

  /// What came of it.
  package struct Result: Sendable, Equatable {
    /// Examples that were written.
    package internal(set) var examples = 0
    /// Records that were left out for their errors.
    package internal(set) var skipped = 0
    /// Records that were left out as their answers are not to be learnt: the label is false, or the
    /// weight 0, of the record or of all its answers.
    package internal(set) var notToLearn = 0
    /// What stands in records and was not read.
    package internal(set) var unread = UnreadKeys()

    /// Adds what came of another part.
    fileprivate mutating func add(_ other: Result) {
      examples += other.examples
      skipped += other.skipped
      notToLearn += other.notToLearn
      unread.add(other.unread)
    }
  }

  /// How the file is written; by its name, or else its first character, unless given.
  package var source: Source?
  /// The column or key that asks; by its name unless given.
  package var prompt: String?
  /// The column or key that answers; by its name unless given.
  package var answer: String?
  /// The column or key with instructions; by its name unless given.
  package var system: String?
  /// The encoding of the text, by a name that the system's iconv knows; UTF-8, or UTF-16 where the text shows that, unless given.
  package var encoding: String?
  /// Whether records with errors are left out instead of reported.
  package var skips = false

  /// A conversion that finds out by itself what the file is.
  package init() {}

  /// Hands the lines of the data set that the parts at `paths` become together to `write`, as below.
  ///
  /// - Throws: as below; `DataSetError.refused` with the records that are wrong of all parts.
  package func run(
    _ paths: [String], progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }, write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) -> Result {
    var (result, found, files) = (Result(), FindingList(), [DataReport.File]())
    for path in paths {
      do throws(DataSetError) {
        result.add(
          try run(path, progress: progress, isCancelled: isCancelled) {
            (line) throws(DataSetError) in
            if files.isEmpty { try write(line) }
          })
      } catch {
        guard case .refused(let report) = error else { throw error }
        found.add(report.findings)
        files += report.files
      }
    }
    guard files.isEmpty else { throw .refused(DataReport(files: files, found)) }
    return result
  }

  /// Hands the lines of the data set that the file at `path` becomes to `write`, line ends included.
  ///
  /// - Throws: `DataSetError.refused` with all records that are wrong, unless they are skipped; `.unknownForm`, `.noColumn`, `.unusedName`,
  ///   `.isDataSet`, `.table`, `.encoding`, `.file` or `.cancelled`. What was handed out before is then no whole data set.
  package func run(
    _ path: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }, write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) -> Result {
    let file = try reading { () throws(FileError) in try FileReader(path: path) }
    guard encoding == nil || file.size <= EncodedText.sizeLimit else {
      throw .encoding(path: path, .tooLarge(size: file.size))
    }
    let cursor =
      if encoding == nil {
        try reading { () throws(FileError) in try ByteCursor(file) }
      } else {
        try cursor(
          reading { () throws(FileError) in try file.read(0..<file.size) }, named: path)
      }
    return try run(cursor, source ?? Self.source(of: path), path, progress, isCancelled, write)
  }

  /// As above, of a text that is in memory and called `name` in what is said of it.
  package func run(
    _ text: [UInt8], named name: String, isCancelled: () -> Bool = { Task.isCancelled },
    write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) -> Result {
    try run(cursor(text, named: name), source, name, { _, _ in }, isCancelled, write)
  }

  /// The text in UTF-8 where it is in another encoding, all of it in memory.
  private func cursor(_ text: [UInt8], named name: String) throws(DataSetError) -> ByteCursor {
    var read = text
    if let encoding {
      do throws(EncodingDefect) { read = try EncodedText.utf8(text, encoding: encoding) } catch {
        throw .encoding(path: name, error)
      }
    }
    let isForeign = read != text
    return try reading { () throws(FileError) in
      try ByteCursor(read, isForeign: isForeign)
    }
  }

  private func run(
    _ cursor: ByteCursor, _ source: Source?, _ path: String,
    _ progress: (_ done: Int, _ total: Int) -> Void, _ isCancelled: () -> Bool,
    _ write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) -> Result {
    var records = try RecordReader(cursor, source, path)
    var forms = RecordForms(
      .init(prompt: prompt, answer: answer, system: system), path, skips: skips)
    var (found, result, labels) = (FindingList(), Result(), FileLabels())
    var areLists = false
    do throws(DataSetError) {
      try BlockPipeline.run { () throws(DataSetError) in
        try records.block()
      } each: { (block) throws(DataSetError) in
        guard !isCancelled() else { throw .cancelled }
        progress(records.position, cursor.size)
        var entries: [Entry] = []
        for record in block {
          areLists = record.number != nil
          let entry = try entry(of: record, &forms, &result) { label in
            labels.isRight(label) { Self.labelsFit(cursor, source, path, isCancelled) }
          }
          if let entry { entries.append(entry) }
        }
        return entries
      } make: { entries in
        var parser = ExampleParser(file: path)
        return entries.map { ($0.record, Self.line(of: $0.record, $0.form, path, &parser)) }
      } take: { (shares) throws(DataSetError) in
        for (record, line) in shares.joined() {
          forms.note(record, line.value)
          try take(line, &result, &found, write)
        }
      }
    } catch {
      guard case .isDataSet = error, areLists else { throw error }
      return try writeLists(of: cursor, path, progress, isCancelled, write)
    }
    try forms.finish(isMended: records.isForeign || result.hasLess)
    try accept(result, &found, path)
    return result
  }

  /// A record, and the form that it is read by; nil where none is known.
  private typealias Entry = (record: RecordReader.Record, form: RecordForm?)

  /// A record with its form; nil where its answers are not to be learnt.
  private func entry(
    of record: RecordReader.Record, _ forms: inout RecordForms, _ result: inout Result,
    _ isRight: (_ label: JSONValue) -> Bool?
  ) throws(DataSetError) -> Entry? {
    guard case .success(let object) = record.object, let form = try forms.form(of: object) else {
      return (record, nil)
    }
    let isRight = form.label.flatMap { object[$0] }.flatMap(isRight)
    for name in form.unread(in: object, isRight: isRight) {
      result.unread.note(name, line: record.line)
    }
    guard form.isLeftOut(object, isRight: isRight) else { return (record, form) }
    forms.note(record, nil)
    result.notToLearn += 1
    return nil
  }

  /// Hands out a line without errors, and counts what becomes of any other.
  private func take(
    _ line: Line, _ result: inout Result, _ found: inout FindingList,
    _ write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) {
    let errors = line.errors
    if line.value != nil, errors.isEmpty {
      result.examples += 1
      try write(line.text + [0x0A])
    } else if errors.allSatisfy({ $0.rule == DataRule.notToLearn.rawValue }) {
      result.notToLearn += 1
    } else if skips {
      result.skipped += 1
    } else {
      found.add(errors)
    }
  }

  /// Accepts what came of the file at `path`.
  ///
  /// - Throws: `DataSetError.refused` where records are wrong, or none became an example.
  private func accept(
    _ result: Result, _ found: inout FindingList, _ path: String
  ) throws(DataSetError) {
    if result.examples == 0, let gone = result.gone, found.named.isEmpty {
      found.add(
        Finding(
          DataRule.emptyFile.rawValue, .error, nil, at: .init(path),
          "No record became an example: \(gone).",
          remedy: result.skipped > 0
            ? "Leave none out to see what is wrong with each record."
            : "Give records whose answers are right."))
    }
    try found.accept(path, examples: result.examples, isConverted: true)
  }

  /// Whether all labels of the records are truth values, or 0 and 1.
  private static func labelsFit(
    _ cursor: ByteCursor, _ source: Source?, _ path: String, _ isCancelled: () -> Bool
  ) -> Bool {
    guard var records = try? RecordReader(cursor, source, path) else { return false }
    while !isCancelled(), let record = try? records.next() {
      if case .success(let object) = record.object, !FileLabels.fits(object) { return false }
    }
    return true
  }

  /// What the name of a file tells; nil where it does not.
  private static func source(of path: String) -> Source? {
    let whole = path.lowercased()
    let packed = [".gz", ".zst"].first { whole.hasSuffix($0) }
    let name = String(whole.dropLast(packed?.count ?? 0))
    if name.hasSuffix(".csv") { return .csv }
    if name.hasSuffix(".tsv") || name.hasSuffix(".tab") { return .tsv }
    return [".json", ".jsonl", ".ndjson"].contains { name.hasSuffix($0) } ? .json : nil
  }

  /// What a record becomes.
  private struct Line: Sendable {
    /// Nil where it becomes none.
    var value: JSONValue?
    /// As it is written, without an end.
    var text: [UInt8] = []
    /// What is wrong with it.
    let errors: [Finding]
  }

  private static func line(
    of record: RecordReader.Record, _ form: RecordForm?, _ path: String,
    _ parser: inout ExampleParser
  ) -> Line {
    let key = record.number.map { "record \($0)" }
    return line(at: record.line, of: .init(path, key: key, line: record.line), &parser) {
      () throws(RecordReader.Problem) in
      let object = try record.object.get()
      guard let form else {
        throw RecordReader.Problem(
          rule: .record,
          text: "The record has \(ExampleParser.list(object.keys)), which is no known form.")
      }
      return try form.line(of: object)
    }
  }

  /// A line that is made of what stands at `place`, and what is wrong with it.
  private static func line(
    at number: Int, of place: Finding.Place, _ parser: inout ExampleParser,
    _ made: () throws(RecordReader.Problem) -> JSONValue
  ) -> Line {
    do throws(RecordReader.Problem) {
      let value = PaddedNulls.removed(from: try made())
      let text = Array(value.line.utf8)
      let errors = parser.parse(
        LineReader.Line(
          number: number, offset: 0, length: text.count, text: text, hasCarriageReturn: false,
          isTooLong: false)
      ).findings.errors
      return Line(value: value, text: text, errors: errors.map { $0.moved(to: place) })
    } catch {
      // What to do about lines of a data set is to convert them.
      let remedy = (error.rule == .json ? .record : error.rule).remedy
      return Line(errors: [
        Finding(error.rule.rawValue, .error, nil, at: place, error.text, remedy: remedy)
      ])
    }
  }
}

// Data sets in the form of Apple's toolkit, whose lines are lists.
extension DataConversion {
  /// Hands out each list of messages on a line, where they are written otherwise, or some are left out.
  private func writeLists(
    of cursor: ByteCursor, _ path: String, _ progress: (_ done: Int, _ total: Int) -> Void,
    _ isCancelled: () -> Bool, _ write: ([UInt8]) throws(DataSetError) -> Void
  ) throws(DataSetError) -> Result {
    var lists = ObjectReader(cursor, areLists: true)
    var (parser, found, result) = (ExampleParser(file: path), FindingList(), Result())
    var areLines = true
    while let list = try RecordReader.converting(path, { try lists.next() }) {
      guard !isCancelled() else { throw .cancelled }
      progress(lists.cursor.position, cursor.size)
      let line = Self.line(at: list.line, of: .init(path, line: list.line), &parser) {
        () throws(RecordReader.Problem) in try RecordReader.value(list).get()
      }
      if case .success(let value) = list.value {
        areLines = areLines && list.isLine && line.value == value
      }
      try take(line, &result, &found, write)
    }
    guard !areLines || lists.cursor.isForeign || result.hasLess else {
      throw .isDataSet(path: path, skips: skips)
    }
    try accept(result, &found, path)
    return result
  }
}

extension DataConversion.Result {
  /// Whether some records became no example.
  fileprivate var hasLess: Bool { skipped + notToLearn > 0 }

  /// What became of records that are no examples; nil where there are none.
  fileprivate var gone: String? {
    let parts = [
      notToLearn > 0
        ? "\(Figures.grouped(notToLearn)) not to be learnt (label or weight)" : nil,
      skipped > 0 ? "\(Figures.grouped(skipped)) left out for their errors" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
