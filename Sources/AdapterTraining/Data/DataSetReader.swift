public import TensorFiles

/// Reads a file of examples one by one, of which it keeps no more than a line in memory.
public struct DataSetReader {
  /// What one line is.
  public struct Record: Sendable {
    /// From 1.
    public let line: Int
    /// The example, or nil for an empty line and one with errors.
    public let example: TrainingExample?
    /// What was found on the line.
    public let findings: [DataFinding]
  }

  /// Longest line that is read, in bytes, unless another is asked for: 8 MiB.
  public static let lineLimit = 8 << 20

  /// Bytes of the file.
  public let size: Int
  /// Bytes that have been read.
  public var position: Int { lines.position }
  private var lines: LineReader
  private var parser: ExampleParser
  private let file: FileReader

  /// Opens the file at `path`; longer lines than `lineLimit` bytes are reported and skipped.
  ///
  /// - Throws: `TensorFileError` when there is no file that can be read.
  public init(path: String, lineLimit: Int = Self.lineLimit) throws(TensorFileError) {
    self.init(try FileReader(path: path), lineLimit: lineLimit)
  }

  /// Reads an open file from its start.
  init(_ file: FileReader, lineLimit: Int = Self.lineLimit) {
    self.file = file
    size = file.size
    lines = LineReader(file, limit: lineLimit)
    parser = ExampleParser(file: file.path)
  }

  /// The next line, or nil at the end of the file.
  ///
  /// - Throws: `TensorFileError` when the file cannot be read, or has changed. A bad line is no error.
  public mutating func next() throws(TensorFileError) -> Record? {
    guard let line = try lines.next() else {
      try file.checkUnchanged()
      return nil
    }
    let (example, findings) = parser.parse(line)
    return Record(line: line.number, example: example, findings: findings)
  }
}
