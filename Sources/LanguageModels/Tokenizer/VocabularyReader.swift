import TensorFiles

/// Reads a vocabulary from the metadata of a file, step by step.
struct VocabularyReader {
  private let metadata: TokenizerMetadata
  private let settings: TokenizerSettings
  private let tokens: GGUFStrings
  private var kinds: [TokenKind]
  private var pieces: PieceTable
  private var specials: [SpecialTokens.Entry] = []
  private var endsOfGeneration: Set<Token> = []

  /// Checks that what runs beside the vocabulary is as long as it.
  init(_ metadata: TokenizerMetadata) throws(LanguageModelError) {
    self.metadata = metadata
    guard try metadata.string("tokenizer.ggml.model") != nil else {
      throw metadata.error(.noTokenizer)
    }
    let tokensKey = "tokenizer.ggml.tokens"
    guard let tokens = try metadata.strings(tokensKey) else {
      // An unknown model explains a missing vocabulary better.
      _ = try TokenizerSettings(metadata, vocabularyCount: Int(Int32.max))
      throw metadata.error(.missing(key: tokensKey))
    }
    guard tokens.count > 0, tokens.count < Int(Int32.max) else {
      throw metadata.error(.vocabularySize(tokens.count))
    }
    self.tokens = tokens
    settings = try TokenizerSettings(metadata, vocabularyCount: tokens.count)
    kinds = try Self.kinds(metadata, count: tokens.count)
    pieces = PieceTable(minimumCapacity: tokens.count + tokens.count / 8)
  }

  /// The whole vocabulary.
  mutating func read() throws(LanguageModelError) -> Vocabulary {
    let isByteLevel: Bool
    if case .byteLevel = settings.algorithm { isByteLevel = true } else { isByteLevel = false }
    var wordsAreSeparate = !isByteLevel
    var decoded: [UInt8] = []
    for index in 0..<tokens.count {
      var text = tokens[index]
      if text.isEmpty { text = Array("[EMPTY_\(index)]".utf8) }
      classify(index, text)
      let kind = kinds[index]
      // No text may become a control token by merging.
      let isHidden = kind == .control || kind == .unknown
      decoded.removeAll(keepingCapacity: true)
      if isByteLevel, kind != .control, kind != .userDefined, kind != .unknown,
        ByteAlphabet.decode(text.span, into: &decoded)
      {
        pieces.append(decoded.span)
      } else {
        if wordsAreSeparate, !isHidden { wordsAreSeparate = !continuesAfterSpace(text) }
        pieces.append(text.span, isHidden: isHidden)
      }
    }
    for id in settings.endsOfGeneration + [settings.end].compactMap(\.self) {
      endsOfGeneration.insert(id)
    }
    keepHarmonyAnswers()
    return try isByteLevel
      ? byteLevel() : sentencePiece(wordsAreSeparate: wordsAreSeparate)
  }

  /// Sets the kind of a token from its text where the text is known, and notes special tokens.
  private mutating func classify(_ index: Int, _ text: [UInt8]) {
    if KnownTokens.mayContain(text) {
      if KnownTokens.endsOfGeneration.contains(text) {
        endsOfGeneration.insert(Token(index))
        kinds[index] = .control
      } else if !settings.namesCodeTokens, KnownTokens.endsOfCode.contains(text) {
        endsOfGeneration.insert(Token(index))
        kinds[index] = .control
      } else if !settings.namesCodeTokens, KnownTokens.codeMarks.contains(text) {
        kinds[index] = .control
      } else if KnownTokens.shown.contains(text) {
        kinds[index] = .userDefined
      }
    }
    guard [.control, .unknown, .userDefined].contains(kinds[index]) else { return }
    let name = String(decoding: text, as: UTF8.self)
    let stripsRight = settings.stripsRightExcept.map { !$0.contains(name) } ?? false
    specials.append(
      SpecialTokens.Entry(
        token: Token(index), text: text, isUserDefined: kinds[index] == .userDefined,
        stripsLeft: settings.stripsLeft.contains(name), stripsRight: stripsRight))
  }

  /// In the vocabularies of gpt-oss and Solar, `<|end|>` ends a part of an answer, not the answer.
  private mutating func keepHarmonyAnswers() {
    let texts = Set(endsOfGeneration.map { String(decoding: tokens[Int($0)], as: UTF8.self) })
    guard texts.contains("<|call|>") || texts.contains("<|calls|>"),
      texts.contains("<|return|>") || texts.contains("<|flush|>"),
      let end = endsOfGeneration.first(where: { tokens[Int($0)] == Array("<|end|>".utf8) })
    else { return }
    endsOfGeneration.remove(end)
  }

  private static func kinds(_ metadata: TokenizerMetadata, count: Int) throws(LanguageModelError)
    -> [TokenKind]
  {
    let key = "tokenizer.ggml.token_type"
    guard let numbers = try metadata.integers(key) else {
      return [TokenKind](repeating: .normal, count: count)
    }
    guard numbers.count == count else {
      throw metadata.error(.wrongCount(key: key, count: numbers.count, expected: count))
    }
    return numbers.map { UInt8(exactly: $0).flatMap(TokenKind.init(rawValue:)) ?? .undefined }
  }
}

// MARK: SentencePiece

extension VocabularyReader {
  private func sentencePiece(wordsAreSeparate: Bool) throws(LanguageModelError) -> Vocabulary {
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
  private func continuesAfterSpace(_ text: [UInt8]) -> Bool {
    guard text.count > 3 else { return false }
    return (1...text.count - 3).contains { index in
      isSpaceMark(text, at: index) && !(index >= 3 && isSpaceMark(text, at: index - 3))
    }
  }

  private func isSpaceMark(_ text: [UInt8], at index: Int) -> Bool {
    text[index] == 0xE2 && text[index + 1] == 0x96 && text[index + 2] == 0x81
  }
}

/// A number that is smaller the greater `score` is, and equal for equal scores.
private func priority(_ score: Float) -> UInt32 {
  let bits = (score == 0 ? 0 : score).bitPattern
  return ~(bits >> 31 == 1 ? ~bits : bits | 0x8000_0000)
}

private func hexadecimal(_ byte: Int) -> String {
  let digits = Array("0123456789ABCDEF")
  return "\(digits[byte >> 4])\(digits[byte & 15])"
}

// MARK: Byte level

extension VocabularyReader {
  private mutating func byteLevel() throws(LanguageModelError) -> Vocabulary {
    let key = "tokenizer.ggml.merges"
    guard let merges = try metadata.strings(key) else { throw metadata.error(.missing(key: key)) }
    let byteSymbols = (0..<256).map { symbol([UInt8($0)]) }
    let table = mergeTable(merges)
    let count = kinds.count
    return Vocabulary(
      settings: settings, pieces: pieces, kinds: kinds, priorities: [], merges: table,
      byteSymbols: byteSymbols,
      byteTokens: byteSymbols.map { $0 < count ? Token($0) : settings.unknown },
      special: specialTokens, endsOfGeneration: endsOfGeneration, wordsAreSeparate: false)
  }

  /// The symbol with these bytes, which is a new one behind the tokens if no token has them.
  private mutating func symbol(_ bytes: [UInt8]) -> Int {
    if let number = pieces.find(bytes.span) { return number }
    pieces.append(bytes.span)
    return pieces.count - 1
  }

  private mutating func mergeTable(_ merges: GGUFStrings) -> MergeTable {
    var table = MergeTable(capacity: merges.count)
    var pair: [UInt8] = []
    for rank in 0..<merges.count {
      let text = merges[rank]
      // The left side is never empty, so a space in front belongs to it.
      guard let space = text.dropFirst().firstIndex(of: 0x20) else { continue }
      pair.removeAll(keepingCapacity: true)
      // A character outside the alphabet cannot come from any text.
      guard ByteAlphabet.decode(text.span.extracting(..<space), into: &pair) else { continue }
      let leftCount = pair.count
      guard ByteAlphabet.decode(text.span.extracting((space + 1)...), into: &pair) else { continue }
      let left = symbol(pair, ..<leftCount)
      let right = symbol(pair, leftCount...)
      table.insert(left: left, right: right, rank: rank, result: symbol(pair))
    }
    return table
  }

  private mutating func symbol(_ bytes: [UInt8], _ part: some RangeExpression<Int>) -> Int {
    let span = bytes.span.extracting(part)
    if let number = pieces.find(span) { return number }
    pieces.append(span)
    return pieces.count - 1
  }

  private var specialTokens: SpecialTokens {
    SpecialTokens(specials, newlinePiece: settings.newlinePiece)
  }
}
