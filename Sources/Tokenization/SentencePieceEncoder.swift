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
      let isSpace = isSpaceMark(at: position)
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

  private func isSpaceMark(at position: Int) -> Bool {
    text[position] == 0xE2 && position + 2 < text.count && text[position + 1] == 0x96
      && text[position + 2] == 0x81
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
