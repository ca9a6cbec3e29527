public import ChatTemplates
public import SystemFiles

/// Why a data set cannot be read, rendered or split.
public enum DataSetError: Error, Equatable, Sendable {
  /// The system refused to read or write a file.
  case file(FileError)
  /// The data set has errors; the report lists all of them.
  case refused(DataReport)
  /// An example cannot be turned into tokens for this base.
  case rendering(ChatDefect, line: Int)
  /// There is no such line, or no example on it.
  case noExample(path: String, line: Int)
  /// The records have no known form.
  case unknownForm(path: String, keys: [String])
  /// No column or member of the records is called so.
  case noColumn(path: String, name: String, known: [String])
  /// No record is read by this name, as all have what is `used`.
  case unusedName(path: String, name: String, used: [String])
  /// The file need not be converted; `skips` where lines with errors were to be left out, too.
  case isDataSet(path: String, skips: Bool = false)
  /// A table cannot be read.
  case table(path: String, line: Int, TableDefect)
  /// A file of JSON objects cannot be read.
  case objects(path: String, line: Int, problem: String)
  /// A file is not in the encoding that was named.
  case encoding(path: String, EncodingDefect)
  /// The examples that differ are too few for two files.
  case tooFew(path: String, count: Int)
  /// Something stands where a file is to be written.
  case exists(path: String)
  /// A file would be written over the one that is read.
  case overwritesInput(path: String)
  /// A folder has no data sets.
  case noParts(path: String)
  /// Something stands in a folder of data sets that is none by its name.
  case strangePart(path: String)
  /// A file is named twice.
  case repeatedPart(path: String, other: String)
  /// The caller asked to stop.
  case cancelled
}

extension DataSetError: ExplainedError {
  /// What is wrong, where, and what to do.
  public var text: ErrorText {
    switch self {
    case .file(let error): "\(error)"
    case .refused(let report): "\(report)"
    case .rendering(let error, let line): "line \(line): \(error)"
    case .noExample(let path, let line):
      "\(path): there is no example on line \(line)"
        + "\(remedy: "a check of the data names lines that cannot be read")"
    case .unknownForm(let path, let keys):
      "\(path): the first record has \(ExampleParser.list(keys)), but no prompt and answer under usual names"
        + "\(remedy: "name the one that asks and the one that answers")"
    case .noColumn(let path, let name, let known):
      "\(path): nothing is called '\(name)'\(remedy: "there is \(ExampleParser.list(known))")"
    case .unusedName(let path, let name, let used):
      "\(path): '\(name)' is not read, as \(ExampleParser.list(used)) says what is asked and answered"
        + "\(remedy: "name both what asks and what answers, or neither")"
    case .isDataSet(let path, _):
      "\(path): is a data set as it stands\(remedy: "a check tells whether it can be trained on")"
    case .table(let path, let line, let defect): "\(path): line \(line): \(defect)"
    case .objects(let path, let line, let problem):
      "\(path): line \(line): \(problem)"
        + "\(remedy: "give objects in one list, or one after the other")"
    case .encoding(let path, let defect): "\(path): \(defect)"
    case .tooFew(let path, let count):
      "\(path): \(Figures.count(count, "different example")) cannot be split; at least two are needed"
    case .exists(let path):
      "\(path): exists already"
        + "\(remedy: "give another path, or let it be replaced")"
    case .overwritesInput(let path):
      "\(path): is the file that is read\(remedy: "give another path")"
    case .noParts(let path):
      "\(path): the folder has no data set\(remedy: "give a file, or a folder of .jsonl files")"
    case .strangePart(let path):
      "\(path): is no data set by its name\(remedy: "give the files of the folder that are one")"
    case .repeatedPart(let path, let other):
      "\(path): is the same file as \(other)\(remedy: "give it once")"
    case .cancelled: "interrupted"
    }
  }
}

extension DataSetError {
  /// Checks that a file may be written at `target`.
  ///
  /// - Throws: `.overwritesInput` where it is the one at `input`, `.exists` where another stands there that is not to be
  ///   replaced, or `.file`.
  package static func checkTarget(
    _ target: String, input: String, replaces: Bool
  ) throws(DataSetError) {
    func info(_ path: String) throws(DataSetError) -> FileSystem.Info? {
      try reading { () throws(FileError) in try FileSystem.info(path) }
    }
    guard let there = try info(target) else { return }
    if try info(input)?.isSame(as: there) == true { throw .overwritesInput(path: target) }
    if !replaces { throw .exists(path: target) }
  }
}

/// Runs `body`, whose file errors become the data set's.
func reading<R>(_ body: () throws(FileError) -> R) throws(DataSetError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw .file(error)
  }
}
