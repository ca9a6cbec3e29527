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

  /// Appends the tokens of a part of a text of which nothing is read as a mark of a format; see below for `isStart`.
  package func appendHarmless(_ text: [UInt8], isStart: Bool, to tokens: inout [Token]) {
    append(text, reading: .harmless, isStart: isStart, to: &tokens)
  }

  /// Appends the tokens of a part of a text.
  ///
  /// `isStart` tells whether the part stands at the start of the text or after a special token, where a SentencePiece
  /// tokenizer may put a space in front.
  func append(
    _ text: [UInt8], reading: SpecialTokens.Reading, isStart: Bool, to tokens: inout [Token]
  ) {
    let fragments = vocabulary.special.cut(text, reading: reading)
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
    if settings.prefixesStartOnly, needsPrefix, case .token = fragments.first {
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
