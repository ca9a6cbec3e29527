public import TensorFiles

/// Why the tokenizer of a base cannot be used.
public enum TokenizerError: Error, Equatable, Sendable {
  /// A value in the file has the wrong type.
  case tensorFile(TensorFileError)
  /// The tokenizer in the file is not one that can be used.
  case tokenizer(TokenizerDefect, file: String)
}

extension TokenizerError: CustomStringConvertible {
  /// One sentence that names the file and place, and the remedy where there is one.
  public var description: String {
    switch self {
    case .tensorFile(let error): error.description
    case .tokenizer(let defect, let file): "\(file): \(defect)."
    }
  }
}
