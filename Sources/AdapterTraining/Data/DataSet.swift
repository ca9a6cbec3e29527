import Adapters
import JSON
import SystemFiles

/// The examples of a file, all of which can be used.
public struct DataSet: Sendable {
  /// The examples in file order.
  public let examples: [TrainingExample]

  /// Reads the file at `path`.
  ///
  /// - Throws: `DataSetError.refused` with all that is wrong, or `.file`. Warnings are no error; see `DataCheck`.
  public init(path: String) throws(DataSetError) {
    var found = FindingList()
    var examples: [TrainingExample] = []
    var reader = try DataSetReader(opening: path)
    while let record = try reader.record() {
      found.add(record.findings)
      if let example = record.example { examples.append(example) }
    }
    try found.accept(path, examples: examples.count)
    self.examples = examples
  }

  /// The example on one line of the file at `path`, whatever the other lines are.
  package static func example(
    onLine line: Int, of path: String
  ) throws(DataSetError) -> TrainingExample {
    var reader = try DataSetReader(opening: path)
    while let record = try reader.record() {
      guard record.line == line else { continue }
      if let example = record.example { return example }
      guard !record.errors.isEmpty else { continue }
      var found = FindingList()
      found.add(record.errors)
      try found.accept(path, examples: 0)
    }
    throw .noExample(path: path, line: line)
  }
}

/// Reads a file of examples one by one, of which it keeps no more than a line in memory.
struct DataSetReader {
  /// What one line is.
  struct Record: Sendable {
    /// From 1.
    let line: Int
    /// The example, or nil for an empty line and one with errors.
    let example: TrainingExample?
    /// What was found on the line.
    let findings: [Finding]
    /// Those for which the line is refused.
    var errors: [Finding] { findings.errors }
  }

  /// Longest line that is read, in bytes, unless another is asked for: 8 MiB.
  static let lineLimit = 8 << 20

  /// Bytes of the file.
  let size: Int
  /// Bytes of the file that have been read.
  var position: Int { lines.filePosition }
  private var lines: LineReader
  private var parser: ExampleParser
  private let file: FileReader

  /// Opens the file at `path`; longer lines than `lineLimit` bytes are reported and skipped.
  init(path: String, lineLimit: Int = Self.lineLimit) throws(FileError) {
    self.init(try FileReader(path: path), lineLimit: lineLimit)
  }

  /// Reads an open file from its start.
  init(_ file: FileReader, lineLimit: Int = Self.lineLimit) {
    self.file = file
    size = file.size
    lines = LineReader(file, limit: lineLimit)
    parser = ExampleParser(file: file.path, file)
  }

  /// The next line, or nil at the end of the file; a bad one is no error.
  mutating func next() throws(FileError) -> Record? {
    guard let line = try lines.next() else {
      try file.checkUnchanged()
      return nil
    }
    let (example, findings) = parser.parse(line)
    return Record(line: line.number, example: example, findings: findings)
  }
}

extension DataSetReader {
  /// As `init(path:lineLimit:)`, with errors of the data set.
  init(opening path: String, lineLimit: Int = Self.lineLimit) throws(DataSetError) {
    self = try reading { () throws(FileError) in
      try Self(path: path, lineLimit: lineLimit)
    }
  }

  /// Lines and bytes that a block has at most, unless one line has more.
  private static let (blockLines, blockBytes) = (512, 1 << 20)

  /// The next lines, a bounded number of them; none at the end of the file.
  mutating func block() throws(DataSetError) -> [Record] {
    let end = position + Self.blockBytes
    var records: [Record] = []
    while records.count < Self.blockLines, position < end, let record = try record() {
      records.append(record)
    }
    return records
  }

  /// As `next`, with errors of the data set.
  mutating func record() throws(DataSetError) -> Record? {
    try reading { () throws(FileError) in try next() }
  }
}
