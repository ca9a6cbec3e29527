import Adapters
import TensorFiles

extension DataSet {
  /// The example on one line of the file at `path`, whatever the other lines are.
  ///
  /// - Throws: `DataSetError.noExample` when there is none, `.refused` when the line has errors, or `.file`.
  public static func example(
    onLine line: Int, of path: String
  ) throws(DataSetError) -> TrainingExample {
    var reader = try reading { () throws(TensorFileError) in try DataSetReader(path: path) }
    while let record = try reader.record() {
      guard record.line == line else { continue }
      if let example = record.example { return example }
      var found = FindingList()
      found.add(record.findings.filter { $0.severity == .error })
      let report = DataReport(files: [.init(path: path, examples: 0)], found)
      if !report.isAccepted { throw .refused(report) }
    }
    throw .noExample(path: path, line: line)
  }
}
