extension VocabularyReader {
  /// The vocabulary of a SentencePiece tokenizer, whose pieces have been read.
  func sentencePiece(wordsAreSeparate: Bool) throws(TokenizerError) -> Vocabulary {
    let key = "tokenizer.ggml.scores"
    guard let scores = try metadata.floats(key) else { throw metadata.error(.missing(key: key)) }
    guard scores.count == kinds.count else {
      throw metadata.error(.wrongCount(key: key, count: scores.count, expected: kinds.count))
    }
    if let index = scores.firstIndex(where: \.isNaN) {
      throw metadata.error(.scoreNotNumber(token: index))
    }
    let byteTokens: [Token?] = (0..<256).map { byte in
      let spelled = Array("<0x\(hexadecimal(byte))>".utf8)
      return (pieces.find(spelled.span) ?? pieces.find([UInt8(byte)].span)).map { Token($0) }
    }
    return Vocabulary(
      settings: settings, pieces: pieces, kinds: kinds, priorities: scores.map(priority),
      merges: MergeTable(capacity: 0), byteSymbols: [], byteTokens: byteTokens,
      special: specialTokens, endsOfGeneration: endsOfGeneration,
      wordsAreSeparate: wordsAreSeparate)
  }

  /// Whether U+2581 follows another character in a piece.
  func continuesAfterSpace(_ text: [UInt8]) -> Bool {
    guard text.count > 3 else { return false }
    return (1...text.count - 3).contains { index in
      isSpaceMark(text, at: index) && !(index >= 3 && isSpaceMark(text, at: index - 3))
    }
  }
}

/// Turns text without special tokens into tokens as SentencePiece's BPE does: characters merge by score, and those
/// without a piece become bytes.
struct SentencePieceEncoder {
  private let vocabulary: Vocabulary
  private var merger = PairMerger()
  /// The text with U+2581 for each space.
  private var text: [UInt8] = []

  init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

  /// Appends the tokens of `input`, with a space in front if `hasPrefix`.
  mutating func encode(_ input: ArraySlice<UInt8>, hasPrefix: Bool, into tokens: inout [Token]) {
    escape(input, hasPrefix: hasPrefix)
    var wordStart = 0
    var position = 0
    var isAfterSpace = true
    while position < text.count {
      let length = min(Self.length(text[position]), text.count - position)
      let isSpace = isSpaceMark(text, at: position)
      if isSpace, !isAfterSpace, vocabulary.wordsAreSeparate {
        merge(wordStart..<position, into: &tokens)
        wordStart = position
      }
      isAfterSpace = isSpace
      position += length
    }
    merge(wordStart..<text.count, into: &tokens)
  }

  private mutating func escape(_ input: ArraySlice<UInt8>, hasPrefix: Bool) {
    text.removeAll(keepingCapacity: true)
    text.reserveCapacity(input.count + input.count / 2 + 3)
    if hasPrefix { text += [0xE2, 0x96, 0x81] }
    for byte in input {
      if byte == 0x20 {
        text.append(0xE2)
        text.append(0x96)
        text.append(0x81)
      } else {
        text.append(byte)
      }
    }
  }

  private mutating func merge(_ range: Range<Int>, into tokens: inout [Token]) {
    merger.removeAll()
    var position = range.lowerBound
    let (text, vocabulary) = (text, vocabulary)
    while position < range.upperBound {
      let length = min(Self.length(text[position]), range.upperBound - position)
      let piece = vocabulary.pieces.find(text.span.extracting(position..<position + length))
      merger.append(name: piece.map { Int32($0) } ?? -1, start: position, length: length)
      position += length
    }
    merger.merge { left, right in
      let both = left.start..<right.end
      return vocabulary.pieces.find(text.span.extracting(both)).map {
        (vocabulary.priorities[$0], Int32($0))
      }
    }
    merger.forEach { symbol in
      if symbol.name >= 0 {
        tokens.append(Token(symbol.name))
      } else {
        for byte in text[symbol.start..<symbol.end] {
          if let token = vocabulary.byteTokens[Int(byte)] ?? vocabulary.settings.unknown {
            tokens.append(token)
          }
        }
      }
    }
  }

  /// Bytes of the character that starts with `lead`; 1 for a byte that starts none.
  private static func length(_ lead: UInt8) -> Int {
    switch lead >> 4 {
    case 0xC, 0xD: 2
    case 0xE: 3
    case 0xF: 4
    default: 1
    }
  }
}

/// A number that is smaller the greater `score` is, and equal for equal scores.
private func priority(_ score: Float) -> UInt32 {
  let bits = (score == 0 ? 0 : score).bitPattern
  return ~(bits >> 31 == 1 ? ~bits : bits | 0x8000_0000)
}

/// Whether U+2581 stands at `index`.
private func isSpaceMark(_ text: [UInt8], at index: Int) -> Bool {
  text[index] == 0xE2 && index + 2 < text.count && text[index + 1] == 0x96
    && text[index + 2] == 0x81
}

private func hexadecimal(_ byte: Int) -> String {
  let digits = Array("0123456789ABCDEF")
  return "\(digits[byte >> 4])\(digits[byte & 15])"
}
