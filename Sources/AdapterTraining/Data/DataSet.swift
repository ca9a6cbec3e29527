import TensorFiles

/// The examples of a file, all of which can be used.
public struct DataSet: Sendable {
  /// Where the file is.
  public let path: String
  /// The examples in file order.
  public let examples: [TrainingExample]

  /// Reads the file at `path`.
  ///
  /// - Throws: `DataSetError.refused` with all that is wrong, or `.file`. Warnings are no error; see `DataCheck`.
  public init(
    path: String, lineLimit: Int = DataSetReader.lineLimit
  ) throws(DataSetError) {
    var found = FindingList()
    var examples: [TrainingExample] = []
    try reading {
      () throws(TensorFileError) in
      var reader = try DataSetReader(path: path, lineLimit: lineLimit)
      while let record = try reader.next() {
        found.add(record.findings)
        if let example = record.example { examples.append(example) }
      }
    }
    found.addEmptyFile(path, examples: examples.count)
    let report = DataReport(files: [.init(path: path, examples: examples.count)], found)
    guard report.isAccepted else { throw .refused(report) }
    self.path = path
    self.examples = examples
  }
}
