import Adapters
public import TensorFiles

/// Turns somebody else's data into a data set: tables, and JSON in the forms of Alpaca, ShareGPT, trl and others.
///
/// Each record becomes a line in the form of Apple's toolkit, a list of messages, or, with a chosen and a rejected answer, in that of trl;
/// records whose examples have errors are reported all at once. No more of the file than a record is in memory.
public struct DataConversion: Sendable {
  /// How the file is written.
  public enum Source: String, Sendable, CaseIterable {
    /// Fields between commas, the names of the columns in the first row.
    case csv
    /// Fields between tabs, the names of the columns in the first row.
    case tsv
    /// Objects, in a list or one after the other.
    case json
  }

  /// What came of it.
  public struct Result: Sendable, Equatable {
    /// Examples that were written.
    public internal(set) var examples = 0
    /// Records that were left out.
    public internal(set) var skipped = 0
  }

  /// How the file is written; by its name unless given.
  public var source: Source?
  /// The column or key that asks; by its name unless given.
  public var prompt: String?
  /// The column or key that answers; by its name unless given.
  public var answer: String?
  /// The column or key with instructions; by its name unless given.
  public var system: String?
  /// Whether records with errors are left out instead of reported.
  public var skips = false

  /// A conversion that finds out by itself what the file is.
  public init() {}

  /// Hands the lines of the data set that the file at `path` becomes to `write`, line ends included.
  ///
  /// - Throws: `DataSetError.refused` with all records that are wrong, unless they are skipped; `.unknownForm`, `.noColumn`,
  ///   `.isDataSet`, `.table`, `.file` or `.cancelled`. What was handed out before is then no whole data set.
  public func run(
    _ path: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { false }, write: ([UInt8]) throws(TensorFileError) -> Void
  ) throws(DataSetError) -> Result {
    let file = try reading { () throws(TensorFileError) in try FileReader(path: path) }
    var records = try RecordReader(file, source ?? Self.source(of: path))
    var (form, parser, found) = (RecordForm?.none, ExampleParser(file: path), FindingList())
    var result = Result()
    while let record = try records.next() {
      guard !isCancelled() else { throw .cancelled }
      if form == nil, case .success(let object) = record.object {
        form = try self.form(of: object, isLine: record.isLine, path)
      }
      let (line, errors) = Self.example(of: record, form, path, &parser)
      if errors.isEmpty {
        result.examples += 1
        try reading { () throws(TensorFileError) in try write(line) }
      } else if skips {
        result.skipped += 1
      } else {
        found.add(errors)
      }
      progress(records.position, file.size)
    }
    try found.accept(path, examples: result.examples)
    return result
  }

  private static func source(of path: String) -> Source {
    let name = path.lowercased()
    return name.hasSuffix(".csv")
      ? .csv : name.hasSuffix(".tsv") || name.hasSuffix(".tab") ? .tsv : .json
  }

  private func form(
    of record: JSONObject, isLine: Bool, _ path: String
  ) throws(DataSetError) -> RecordForm {
    for name in [prompt, answer, system].compactMap(\.self) where record[name] == nil {
      throw .noColumn(path: path, name: name, known: record.keys)
    }
    if let prompt, let answer { return .members(prompt: prompt, answer: answer, system: system) }
    let known = RecordForm(keys: record.keys)
    if case .pairs(let ownPrompt, let ownSystem)? = known {
      return .pairs(prompt: prompt ?? ownPrompt, system: system ?? ownSystem)
    }
    if record["messages"]?.array != nil, !isLine { return .messages }
    if record["messages"] != nil || record["role"] != nil { throw .isDataSet(path: path) }
    guard var form = known else { throw .unknownForm(path: path, keys: record.keys) }
    if case .members(let ownPrompt, let more, let ownAnswer, let ownSystem) = form {
      form = .members(
        prompt: prompt ?? ownPrompt, more: prompt == nil ? more : nil, answer: answer ?? ownAnswer,
        system: system ?? ownSystem)
    }
    return form
  }

  /// The line of a record, or what is wrong with it.
  private static func example(
    of record: RecordReader.Record, _ form: RecordForm?, _ path: String,
    _ parser: inout ExampleParser
  ) -> (line: [UInt8], errors: [Finding]) {
    let place = Finding.Place(
      path, key: record.number.map { "record \($0)" }, line: record.line)
    do throws(RecordReader.Problem) {
      let object = try record.object.get()
      guard let form else { preconditionFailure("the first record decides") }
      let text = Array(try form.line(of: object).line.utf8)
      let line = LineReader.Line(
        number: record.line, offset: 0, length: text.count, text: text, hasCarriageReturn: false,
        isTooLong: false)
      let errors = parser.parse(line).findings.errors
      return (text + [0x0A], errors.map { $0.moved(to: place) })
    } catch {
      return ([], [Finding(error.rule, at: place, error.text)])
    }
  }
}
