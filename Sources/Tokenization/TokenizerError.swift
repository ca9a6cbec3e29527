public import SystemFiles

/// Why the tokenizer of a base cannot be used.
public enum TokenizerError: Error, Equatable, Sendable {
  /// A value in the file has the wrong type.
  case file(FileError)
  /// The tokenizer in the file is not one that can be used.
  case tokenizer(TokenizerDefect, file: String)
}

extension TokenizerError: ExplainedError {
  /// A sentence with a full stop, but for what is wrong in a file's format.
  public var description: String {
    if case .file = self { text.description } else { "\(text)." }
  }

  /// One sentence that names the file and place, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .file(let error): "\(error)"
    case .tokenizer(let defect, let file): "\(file): \(defect)"
    }
  }
}

/// The ways in which the tokenizer of a base can be wrong.
public enum TokenizerDefect: Error, Equatable, Sendable {
  /// The file has no tokenizer at all.
  case noTokenizer
  /// `tokenizer.ggml.model` names a kind of tokenizer that is not known.
  case unknownModel(String)
  /// A byte-level tokenizer does not say how it cuts text into pieces.
  case noPreTokenizer
  /// `tokenizer.ggml.pre` names a way to cut text into pieces that is not known.
  case unknownPreTokenizer(String)
  /// An array or value that this kind of tokenizer needs is not there.
  case missing(key: String)
  /// The vocabulary has no pieces, or more than can be numbered.
  case vocabularySize(Int)
  /// A piece is longer than any real one.
  case pieceTooLong(token: Int, bytes: Int)
  /// An array that runs beside the vocabulary has another length.
  case wrongCount(key: String, count: Int, expected: Int)
  /// The score of a piece is not a number.
  case scoreNotNumber(token: Int)
  /// A key names a token outside the vocabulary.
  case tokenOutside(key: String, token: Int, count: Int)
  /// Text has to start or end with a token that the file does not name.
  case missingToken(flag: String, key: String)
}

extension TokenizerDefect: ExplainedError {
  /// One sentence that names the key, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .noTokenizer:
      "the file has no tokenizer\(remedy: "convert the model again with its tokenizer")"
    case .unknownModel(let name):
      "tokenizer model “\(name)” is unknown; known are llama, gpt2 and gemma4"
    case .noPreTokenizer:
      "tokenizer.ggml.pre is missing, so nobody can tell how this tokenizer cuts text into pieces"
        + "\(remedy: "convert the model again with a current converter")"
    case .unknownPreTokenizer(let name):
      "pre-tokenizer “\(name)” is unknown; known are \(PreTokenizer.names.joined(separator: ", "))"
    case .missing(let key):
      "metadata key “\(key)” is missing\(remedy: "convert the model again")"
    case .vocabularySize(let count):
      "the vocabulary has \(Figures.grouped(count)) pieces instead of 1 to "
        + "\(Figures.grouped(VocabularyReader.countLimit))\(remedy: "convert the model again")"
    case .pieceTooLong(let token, let bytes):
      "the piece of token \(token) has \(Figures.bytes(bytes)), more than the limit of "
        + "\(Figures.grouped(VocabularyReader.pieceLimit)); the file is damaged"
    case .wrongCount(let key, let count, let expected):
      "metadata key “\(key)” has \(Figures.grouped(count)) elements for a vocabulary of "
        + "\(Figures.grouped(expected)) pieces\(remedy: "convert the model again")"
    case .scoreNotNumber(let token):
      "the score of token \(token) is not a number\(remedy: "convert the model again")"
    case .tokenOutside(let key, let token, let count):
      "metadata key “\(key)” names token \(token) of a vocabulary of \(Figures.grouped(count)) "
        + "pieces\(remedy: "convert the model again")"
    case .missingToken(let flag, let key):
      "metadata key “\(flag)” is true, but “\(key)” is missing"
        + "\(remedy: "convert the model again")"
    }
  }
}
