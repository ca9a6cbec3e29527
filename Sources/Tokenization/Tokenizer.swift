public import TensorFiles

/// Turns text into tokens and tokens into text, as the tokenizer in a base's file says.
///
/// Text is bytes: input need not be UTF-8, and pieces are never compared as strings. Sources of the rules: the GGUF
/// specification and llama.cpp, <https://github.com/ggml-org/llama.cpp>.
public struct Tokenizer: Sendable {
  let vocabulary: Vocabulary

  /// Reads the tokenizer from the metadata of `file`.
  ///
  /// - Throws: `TokenizerError.tokenizer`, or `.file` for a value of the wrong type.
  public init(_ file: GGUFFile) throws(TokenizerError) {
    try self.init(file.metadata, file: file.path)
  }

  /// Reads the tokenizer from `metadata`; `file` is its name in errors.
  ///
  /// - Throws: `TokenizerError.tokenizer`, or `.file` for a value of the wrong type.
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

  /// The token with exactly this text, special or not, or nil.
  public func token(_ text: String) -> Token? {
    if let token = vocabulary.special.token(text) { return token }
    let piece = vocabulary.pieces.find(Array(text.utf8).span)
    return piece.flatMap { $0 < count ? Token($0) : nil }
  }
}

extension Tokenizer {
  /// The tokens of `text`.
  ///
  /// With `special`, begin and end tokens are added as the file says, and special tokens in the text are read; without,
  /// neither, and no text can give a control token.
  ///
  /// - Complexity: O(n log n) in the bytes of `text`.
  public func encode(_ text: String, special: Bool = true) -> [Token] {
    encode(Array(text.utf8), special: special)
  }

  /// The tokens of `text`, which need not be UTF-8: for byte-level tokenizers stray bytes are U+FFFD.
  public func encode(_ text: [UInt8], special: Bool = true) -> [Token] {
    let settings = vocabulary.settings
    var tokens: [Token] = []
    if special, settings.addsBegin, let begin = settings.begin { tokens.append(begin) }
    append(text, reading: special ? .all : .userDefined, isStart: true, to: &tokens)
    if special, settings.addsEnd, let end = settings.end { tokens.append(end) }
    return tokens
  }

  /// The most tokens that a text of so many bytes can have, with begin and end.
  ///
  /// A token has a byte at least. Where spaces are put in front of what follows a mark, each byte may have one beside it; without a piece
  /// for the space that is three bytes. Composed characters may be three times as long as what they stand for.
  package func mostTokens(ofBytes count: Int) -> Int {
    switch vocabulary.settings.algorithm {
    case .byteLevel: count * (vocabulary.settings.composes ? 3 : 1) + 2
    case .sentencePiece: count * (token("\u{2581}") == nil ? 6 : 2) + 5
    }
  }

  /// What a part of a text follows, as far as its first token depends on it.
  package enum Predecessor: Sendable {
    /// The part is the first one.
    case nothing
    case text
    /// A special token; `stripsRight` says that it takes the white space after it along.
    case token(stripsRight: Bool)
  }

  /// Appends the tokens of a part of a text, in which special tokens are read where `marks` are; returns what a next part
  /// follows.
  ///
  /// `marks` are ascending and apart. Elsewhere no mark of a format is read.
  package func append(
    _ text: [UInt8], marks: [Range<Int>], after predecessor: Predecessor, to tokens: inout [Token]
  ) -> Predecessor {
    var start = 0
    if case .token(stripsRight: true) = predecessor {
      start = text.firstIndex { !Self.isSpace($0) } ?? text.count
    }
    guard start < text.count else { return predecessor }
    let text = Array(text[start...])
    let reading = SpecialTokens.Reading.marks(
      marks.map { max($0.lowerBound - start, 0)..<max($0.upperBound - start, 0) })
    let fragments = vocabulary.special.cut(text, reading: reading)
    guard let last = fragments.last else { return predecessor }
    let isStart =
      switch (predecessor, fragments.first) {
      case (.text, _): false
      case (.nothing, .text?): true
      default: !prefixesStartOnly
      }
    append(text, fragments, isStart: isStart, to: &tokens)
    guard case .token(let token) = last else { return .text }
    return .token(stripsRight: vocabulary.special.stripsRight(token))
  }

  /// Appends the tokens of a part of a text.
  ///
  /// `isStart` tells whether the part stands at the start of the text or after a special token, where a SentencePiece
  /// tokenizer may put a space in front.
  func append(
    _ text: [UInt8], reading: SpecialTokens.Reading, isStart: Bool, to tokens: inout [Token]
  ) {
    append(
      text, vocabulary.special.cut(text, reading: reading), isStart: isStart, to: &tokens)
  }

  private func append(
    _ text: [UInt8], _ fragments: [SpecialTokens.Fragment], isStart: Bool, to tokens: inout [Token]
  ) {
    switch vocabulary.settings.algorithm {
    case .byteLevel(let preTokenizer):
      var encoder = ByteLevelEncoder(vocabulary, preTokenizer)
      for fragment in fragments {
        switch fragment {
        case .text(let range): encoder.encode(text[range], into: &tokens)
        case .token(let token): tokens.append(token)
        }
      }
    case .sentencePiece:
      appendSentencePiece(text, fragments, isStart: isStart, to: &tokens)
    }
  }

  private func appendSentencePiece(
    _ text: [UInt8], _ fragments: [SpecialTokens.Fragment], isStart: Bool, to tokens: inout [Token]
  ) {
    let settings = vocabulary.settings
    var encoder = SentencePieceEncoder(vocabulary)
    var needsPrefix = settings.addsSpacePrefix && isStart
    if settings.prefixesStartOnly, !settings.sparesPrefix, needsPrefix,
      case .token = fragments.first
    {
      encoder.encode([], hasPrefix: true, into: &tokens)
      needsPrefix = false
    }
    for fragment in fragments {
      switch fragment {
      case .text(let range):
        encoder.encode(text[range], hasPrefix: needsPrefix, into: &tokens)
        needsPrefix = false
      case .token(let token):
        tokens.append(token)
        needsPrefix = settings.addsSpacePrefix && !settings.prefixesStartOnly
      }
    }
  }
}
