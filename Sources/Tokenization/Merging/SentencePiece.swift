import SystemFiles
import TensorFiles

extension VocabularyReader {
  /// The vocabulary of a SentencePiece tokenizer, whose pieces have been read.
  func sentencePiece(wordsAreSeparate: Bool) throws(TokenizerError) -> Vocabulary {
    let scores = settings.hasMerges ? [] : try scores()
    let merges = settings.hasMerges ? try pieceMerges() : MergeTable(capacity: 0)
    let byteTokens: [Token?] = (0..<256).map { byte in
      let spelled = Array("<0x\(hexadecimal(byte))>".utf8)
      let piece = pieces.find(spelled.span) ?? pieces.find([UInt8(byte)].span)
      return piece.map { Token($0) } ?? unknown
    }
    return Vocabulary(
      settings: settings, pieces: pieces, kinds: kinds, priorities: scores.map(priority),
      merges: merges, byteSymbols: [], byteTokens: byteTokens,
      special: specialTokens, endsOfGeneration: endsOfGeneration,
      wordsAreSeparate: wordsAreSeparate)
  }

  /// What stands for bytes without a piece: never a mark, whatever the file says, as any text may have such bytes.
  private var unknown: Token? {
    settings.unknown.flatMap { token in
      let isMark = [.control, .userDefined].contains(kinds[Int(token)])
      return isMark || endsOfGeneration.contains(token) ? nil : token
    }
  }

  private func scores() throws(TokenizerError) -> [Float] {
    let key = "tokenizer.ggml.scores"
    guard let scores = try metadata.floats(key) else { throw metadata.error(.missing(key: key)) }
    guard scores.count == kinds.count else {
      throw metadata.error(.wrongCount(key: key, count: scores.count, expected: kinds.count))
    }
    if let index = scores.firstIndex(where: \.isNaN) {
      throw metadata.error(.scoreNotNumber(token: index))
    }
    return scores
  }

  /// The merges of pieces as they are written; those of which a side or the result is no piece cannot come about.
  private func pieceMerges() throws(TokenizerError) -> MergeTable {
    let key = "tokenizer.ggml.merges"
    guard let merges = try metadata.strings(key) else { throw metadata.error(.missing(key: key)) }
    var table = MergeTable(capacity: merges.count)
    for rank in 0..<merges.count {
      let text = merges[rank]
      guard let space = text.dropFirst().firstIndex(of: 0x20) else { continue }
      let (first, second) = (text[..<space], text[(space + 1)...])
      guard let left = pieces.find(first.span), let right = pieces.find(second.span),
        let result = pieces.find(Array(first + second).span)
      else { continue }
      table.insert(left: left, right: right, rank: rank, result: result)
    }
    return table
  }

  /// Whether U+2581 follows another character in a piece.
  func continuesAfterSpace(_ text: [UInt8]) -> Bool {
    guard text.count > 3 else { return false }
    return (1...text.count - 3).contains { index in
      isSpaceMark(text, at: index) && !(index >= 3 && isSpaceMark(text, at: index - 3))
    }
  }
}

/// Turns text without special tokens into tokens as SentencePiece's BPE does: characters merge by score or by rank, and those
/// without a piece become bytes.
struct SentencePieceEncoder {
  private let vocabulary: Vocabulary
  private var merger = PairMerger()
  /// The text with U+2581 for each space.
  private var text: [UInt8] = []

  init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

  /// Appends the tokens of `input`, with a space in front if `hasPrefix`.
  mutating func encode(_ input: ArraySlice<UInt8>, hasPrefix: Bool, into tokens: inout [Token]) {
    let isSpared = vocabulary.settings.sparesPrefix && beginsWithSpace(input)
    escape(input, hasPrefix: hasPrefix && !isSpared)
    guard vocabulary.settings.hasMerges else { return encode(0..<text.count, into: &tokens) }
    // Line feeds merge with nothing else, and a run of them that is a piece is that, whatever the merges say.
    var start = 0
    while start < text.count {
      let isFeed = text[start] == 0x0A
      let end = text[start...].firstIndex { ($0 == 0x0A) != isFeed } ?? text.count
      let piece = isFeed ? vocabulary.pieces.find(text.span.extracting(start..<end)) : nil
      if let piece {
        tokens.append(Token(piece))
      } else {
        encode(start..<end, into: &tokens)
      }
      start = end
    }
  }

  /// Appends the tokens of a part of the text, word by word where that is the same.
  private mutating func encode(_ range: Range<Int>, into tokens: inout [Token]) {
    var wordStart = range.lowerBound
    var position = wordStart
    var isAfterSpace = true
    while position < range.upperBound {
      let length = min(Self.length(text[position]), range.upperBound - position)
      let isSpace = isSpaceMark(text, at: position)
      let isStart =
        vocabulary.settings.splitsAtSpaces || !isAfterSpace && vocabulary.wordsAreSeparate
      if isSpace, isStart, wordStart < position {
        merge(wordStart..<position, into: &tokens)
        wordStart = position
      }
      isAfterSpace = isSpace
      position += length
    }
    merge(wordStart..<range.upperBound, into: &tokens)
  }

  /// Whether a space or its sign comes first.
  private func beginsWithSpace(_ input: ArraySlice<UInt8>) -> Bool {
    input.first == 0x20 || input.starts(with: [0xE2, 0x96, 0x81])
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
    let byRank = vocabulary.settings.hasMerges
    merger.merge { left, right in
      if byRank {
        guard left.name >= 0, right.name >= 0 else { return nil }
        return vocabulary.merges.merge(left: left.name, right: right.name).map {
          ($0.rank, $0.result)
        }
      }
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
          if let token = vocabulary.byteTokens[Int(byte)] { tokens.append(token) }
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
