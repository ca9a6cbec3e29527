import TensorFiles

/// Holds data sets against every rule and reports all that it finds, lines of several files against each other too.
public struct DataCheck: Sendable {
  /// Turns examples into tokens, to compare their length with a context; nil when no base is known.
  public var renderer: ExampleRenderer?
  /// Tokens that the base was trained to see at once.
  public var contextLength: Int?
  /// Longest line that is read, in bytes.
  public var lineLimit = DataSetReader.lineLimit

  /// A check that knows no base.
  public init() {}

  /// Checks the files at `paths`, the first of which is the one to train on.
  ///
  /// `progress` is told bytes done, bytes of the file, and its path.
  ///
  /// - Throws: `DataSetError.file` when one cannot be read, `.cancelled` once `isCancelled` says so. Bad lines are no
  ///   error here but a report.
  public func run(
    _ paths: [String],
    progress: (_ done: Int, _ total: Int, _ path: String) -> Void = { _, _, _ in },
    isCancelled: () -> Bool = { false }
  ) throws(DataSetError) -> DataReport {
    var found = FindingList()
    var files: [DataReport.File] = []
    var repeats = RepeatedExamples()
    for path in paths {
      var reader = try reading { () throws(TensorFileError) in
        try DataSetReader(path: path, lineLimit: lineLimit)
      }
      var uniform = UniformExamples(path: path)
      var count = 0
      repeats.start(path)
      while let record = try reader.record() {
        guard !isCancelled() else { throw .cancelled }
        found.add(record.findings)
        progress(reader.position, reader.size, path)
        guard let example = record.example else { continue }
        count += 1
        found.add(uniform.findings(example))
        found.add(repeats.findings(example))
        found.add(tokenFindings(example, path))
      }
      found.add(repeats.finish())
      found.addEmptyFile(path, examples: count)
      files.append(DataReport.File(path: path, examples: count))
    }
    return DataReport(files: files, found)
  }
}
