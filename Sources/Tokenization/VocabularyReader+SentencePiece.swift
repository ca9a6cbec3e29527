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
