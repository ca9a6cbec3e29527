import TensorFiles

extension VocabularyReader {
  /// Adds a piece as the bytes that it spells; one that is read as it stands cannot come from merging.
  mutating func appendByteLevel(_ text: [UInt8], _ kind: TokenKind) {
    var bytes: [UInt8] = []
    switch kind {
    case .control, .unknown, .userDefined: pieces.append(text.span, isHidden: true)
    case .undefined, .normal, .unused, .byte:
      if ByteAlphabet.decode(text.span, into: &bytes) {
        pieces.append(bytes.span)
      } else {
        pieces.append(text.span, isHidden: true)
      }
    }
  }

  /// The vocabulary of a byte-level tokenizer, whose pieces have been read.
  mutating func byteLevel() throws(TokenizerError) -> Vocabulary {
    let key = "tokenizer.ggml.merges"
    guard let merges = try metadata.strings(key) else { throw metadata.error(.missing(key: key)) }
    let byteSymbols = (0..<256).map { symbol([UInt8($0)].span) }
    let table = mergeTable(merges)
    let count = kinds.count
    return Vocabulary(
      settings: settings, pieces: pieces, kinds: kinds, priorities: [], merges: table,
      byteSymbols: byteSymbols.map { Int32($0) },
      byteTokens: byteSymbols.map { $0 < count ? Token($0) : settings.unknown },
      special: specialTokens, endsOfGeneration: endsOfGeneration, wordsAreSeparate: false)
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
      guard pieces.byteCount + 2 * pair.count < PieceTable.byteLimit else { break }
      let left = symbol(pair.span.extracting(..<leftCount))
      let right = symbol(pair.span.extracting(leftCount...))
      table.insert(left: left, right: right, rank: rank, result: symbol(pair.span))
    }
    return table
  }

  /// The symbol with these bytes, which is a new one behind the tokens if no token has them.
  private mutating func symbol(_ bytes: Span<UInt8>) -> Int {
    if let number = pieces.find(bytes) { return number }
    pieces.append(bytes)
    return pieces.count - 1
  }
}
