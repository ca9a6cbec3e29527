public import SystemFiles

/// Why an adapter cannot be read or written.
public enum AdapterError: Error, Sendable, Equatable {
  /// There is nothing at the path.
  case notFound(path: String)
  /// The package breaks rules; the report lists all of them.
  case refused(CheckReport)
  /// The text of a metadata file breaks rules.
  case invalidMetadata(file: String, [Finding])
  /// Something else stands where the package is to be written.
  case exists(path: String)
  /// The system refused to read or write.
  case file(FileError)
}

extension AdapterError: ExplainedError {
  /// What is wrong, where, and what to do.
  public var text: ErrorText {
    switch self {
    case .notFound(let path):
      "\(path): there is no such package\(remedy: "give the path of a .fmadapter folder")"
    case .refused(let report):
      "\(report)"
    case .invalidMetadata(let file, let findings):
      ErrorText(
        (["\(file): not the metadata of an adapter"] + findings.map { "  \($0)" })
          .joined(separator: "\n"))
    case .exists(let path):
      "\(path): exists already\(remedy: "remove it, or give another path")"
    case .file(let error):
      "\(error)"
    }
  }
}

/// Runs `body`, whose file errors become the package's.
func filing<R>(_ body: () throws(FileError) -> R) throws(AdapterError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw .file(error)
  }
}
