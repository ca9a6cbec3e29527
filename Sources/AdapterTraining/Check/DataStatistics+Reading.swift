import ChatTemplates
import TensorFiles

extension DataStatistics {
  /// The figures of the file at `path`, in tokens too where there is a renderer.
  ///
  /// - Throws: `DataSetError.file`, `.rendering` for an example that the base's chat format has no place for, or
  ///   `.cancelled`. Lines with errors are counted and left out.
  public init(
    reading path: String, renderer: ExampleRenderer?, isCancelled: () -> Bool = { false }
  ) throws(DataSetError) {
    self.init()
    var reader = try AdapterTraining.reading { () throws(TensorFileError) in
      try DataSetReader(path: path)
    }
    while let record = try reader.record() {
      guard !isCancelled() else { throw .cancelled }
      guard let renderer, let example = record.example else {
        add(record, nil)
        continue
      }
      add(record, try renderer.render(example))
    }
  }
}

extension DataSetReader {
  /// The next line, with errors of the data set.
  mutating func record() throws(DataSetError) -> Record? {
    do throws(TensorFileError) {
      return try next()
    } catch {
      throw .file(error)
    }
  }
}
