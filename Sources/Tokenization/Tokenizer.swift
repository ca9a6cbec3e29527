public import TensorFiles

/// Turns text into tokens and tokens into text, as the tokenizer in a base's file says.
///
/// Text is bytes: input need not be UTF-8, and pieces are never compared as strings. Sources of the rules: the GGUF
/// specification and llama.cpp, <https://github.com/ggml-org/llama.cpp>.
public struct Tokenizer: Sendable {
  let vocabulary: Vocabulary

  /// Reads the tokenizer from the metadata of `file`.
  ///
  /// - Throws: `TokenizerError.tokenizer`, or `.tensorFile` for a value of the wrong type.
  public init(_ file: GGUFFile) throws(TokenizerError) {
    try self.init(file.metadata, file: file.path)
  }

  /// Reads the tokenizer from `metadata`; `file` is its name in errors.
  ///
  /// - Throws: `TokenizerError.tokenizer`, or `.tensorFile` for a value of the wrong type.
  public init(_ metadata: GGUFMetadata, file: String) throws(TokenizerError) {
    var reader = try VocabularyReader(TokenizerMetadata(metadata, file: file))
    vocabulary = try reader.read()
  }

  /// The number of tokens.
  public var count: Int { vocabulary.count }

  /// The token that starts a text, if there is one.
  public var beginToken: Token? { vocabulary.settings.begin }
  /// The token that ends a text, if there is one.
  public var endToken: Token? { vocabulary.settings.end }
  /// Tokens after which nothing more is to be generated, among them the end token.
  public var endsOfGeneration: Set<Token> { vocabulary.endsOfGeneration }

  /// Whether encoding with special tokens starts with the begin token.
  public var addsBegin: Bool { vocabulary.settings.addsBegin }
  /// Whether encoding with special tokens ends with the end token.
  public var addsEnd: Bool { vocabulary.settings.addsEnd }

  /// Whether a space that belongs in front is put at the start of a text alone, not after each special token.
  package var prefixesStartOnly: Bool { vocabulary.settings.prefixesStartOnly }

  /// Whether the special token with this text takes the white space after it along.
  package func stripsRight(_ text: String) -> Bool { vocabulary.special.stripsRight(text) }

  /// The token with exactly this text, special or not, or nil.
  public func token(_ text: String) -> Token? {
    if let token = vocabulary.special.token(text) { return token }
    let piece = vocabulary.pieces.find(Array(text.utf8).span)
    return piece.flatMap { $0 < count ? Token($0) : nil }
  }
}
