import TensorFiles

/// Reads a vocabulary from the metadata of a file, step by step.
struct VocabularyReader {
  let metadata: TokenizerMetadata
  let settings: TokenizerSettings
  let tokens: GGUFStrings
  var kinds: [TokenKind]
  var pieces: PieceTable
  var specials: [SpecialTokens.Entry] = []
  var endsOfGeneration: Set<Token> = []

  /// Pieces that a vocabulary may have; together with the next, all their bytes can be counted in 32 bits.
  static let countLimit = 1 << 20
  /// Bytes that a piece may have.
  static let pieceLimit = 4095

  /// Checks that what runs beside the vocabulary is as long as it.
  init(_ metadata: TokenizerMetadata) throws(TokenizerError) {
    self.metadata = metadata
    let tokensKey = "tokenizer.ggml.tokens"
    guard let tokens = try metadata.strings(tokensKey) else {
      // An unknown model explains a missing vocabulary better.
      _ = try TokenizerSettings(metadata, vocabularyCount: Int(Int32.max))
      throw metadata.error(.missing(key: tokensKey))
    }
    guard tokens.count > 0, tokens.count <= Self.countLimit else {
      throw metadata.error(.vocabularySize(tokens.count))
    }
    self.tokens = tokens
    settings = try TokenizerSettings(metadata, vocabularyCount: tokens.count)
    kinds = try Self.kinds(metadata, count: tokens.count)
    pieces = PieceTable(minimumCapacity: tokens.count + tokens.count / 8)
  }

  /// The whole vocabulary.
  mutating func read() throws(TokenizerError) -> Vocabulary {
    let isByteLevel: Bool
    if case .byteLevel = settings.algorithm { isByteLevel = true } else { isByteLevel = false }
    var wordsAreSeparate = !isByteLevel
    for index in 0..<tokens.count {
      var text = tokens[index]
      if text.isEmpty { text = Array("[EMPTY_\(index)]".utf8) }
      guard text.count <= Self.pieceLimit else {
        throw metadata.error(.pieceTooLong(token: index, bytes: text.count))
      }
      classify(index, text)
      if isByteLevel {
        appendByteLevel(text, kinds[index])
      } else {
        let isHidden = isHidden(kinds[index], text)
        if wordsAreSeparate, !isHidden { wordsAreSeparate = !continuesAfterSpace(text) }
        pieces.append(text.span, isHidden: isHidden)
      }
    }
    for id in settings.endsOfGeneration + [settings.end].compactMap(\.self) {
      endsOfGeneration.insert(id)
    }
    for text in settings.turnEnds {
      if let token = specialTokens.token(text) { endsOfGeneration.insert(token) }
    }
    keepHarmonyAnswers()
    return try isByteLevel
      ? byteLevel() : sentencePiece(wordsAreSeparate: wordsAreSeparate)
  }

  /// Whether no text may become this token by merging: marks are only set by whoever may set them.
  private func isHidden(_ kind: TokenKind, _ text: [UInt8]) -> Bool {
    switch kind {
    case .control, .unknown: true
    case .userDefined: SpecialTokens.looksLikeMark(text)
    case .undefined, .normal, .unused, .byte: false
    }
  }

  /// Sets the kind of a token from its text where the text is known, and notes special tokens.
  private mutating func classify(_ index: Int, _ text: [UInt8]) {
    if KnownTokens.mayContain(text) {
      let isText = settings.isGemma && kinds[index] == .userDefined
      if settings.hasMerges || isText, text == Array("</s>".utf8) {
        // A tag of HTML like others.
      } else if KnownTokens.endsOfGeneration.contains(text) {
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
    let token = Token(index)
    let stripsRight = settings.stripsRightExcept.map { !$0.contains(name) } ?? false
    specials.append(
      SpecialTokens.Entry(
        token: token, text: text, isUserDefined: kinds[index] == .userDefined,
        stripsLeft: settings.stripsLeft.contains(name) || settings.strippers.left.contains(token),
        stripsRight: stripsRight || settings.strippers.right.contains(token)))
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

  var specialTokens: SpecialTokens {
    SpecialTokens(specials, newlinePiece: settings.newlinePiece)
  }

  private static func kinds(_ metadata: TokenizerMetadata, count: Int) throws(TokenizerError)
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

/// Tokens whose text alone tells what they are for, because files often do not; as in llama.cpp.
enum KnownTokens {
  /// Texts that end an answer.
  static let endsOfGeneration: Set<[UInt8]> = set([
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
    "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
    "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
    "<｜end▁of▁sentence｜>", "[e~[",
  ])

  /// Texts that end a completion of code, unless the file names such tokens itself.
  static let endsOfCode: Set<[UInt8]> = set([
    "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]", "<|fim_repo|>", "<|repo_name|>",
    "<fim-repo>", "<REPO>", "<reponame>", "<|file_sep|>",
  ])

  /// Texts around which code is completed, unless the file names such tokens itself.
  static let codeMarks: Set<[UInt8]> = set([
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
    "<|code_prefix|>", "<|prefix|>", "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",
    "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>", "<|fim_middle|>",
    "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
    "<|middle|>",
  ])

  /// Texts that are shown although files call them control tokens.
  static let shown: Set<[UInt8]> = set(["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"])

  /// Whether a text can be one of those above, which is quick to ask.
  static func mayContain(_ text: [UInt8]) -> Bool {
    guard let first = text.first, text.count <= 32 else { return false }
    return first == UInt8(ascii: "<") || first == UInt8(ascii: "[") || first == UInt8(ascii: "_")
      || first == 0xE2
  }

  private static func set(_ texts: [String]) -> Set<[UInt8]> {
    Set(texts.map { Array($0.utf8) })
  }
}
