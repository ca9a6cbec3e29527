/// Turns text without special tokens into tokens by byte-level BPE: pieces are cut, and the bytes of each merge by rank.
struct ByteLevelEncoder {
  private let vocabulary: Vocabulary
  private let preTokenizer: PreTokenizer
  private var merger = PairMerger()

  init(_ vocabulary: Vocabulary, _ preTokenizer: PreTokenizer) {
    self.vocabulary = vocabulary
    self.preTokenizer = preTokenizer
  }

  /// Appends the tokens of `input`.
  mutating func encode(_ input: ArraySlice<UInt8>, into tokens: inout [Token]) {
    let decoded = LenientUTF8(input)
    let splitter = PieceSplitter(scalars: decoded.scalars)
    var start = 0
    var scalar = 0
    for end in splitter.ends(preTokenizer) {
      var stop = start
      for index in scalar..<end { stop += LenientUTF8.length(decoded.scalars[index]) }
      encodePiece(decoded.bytes, start..<stop, into: &tokens)
      start = stop
      scalar = end
    }
  }

  private mutating func encodePiece(
    _ bytes: [UInt8], _ range: Range<Int>, into tokens: inout [Token]
  ) {
    let vocabulary = vocabulary
    if preTokenizer.ignoresMerges,
      let piece = vocabulary.pieces.find(bytes.span.extracting(range)), piece < vocabulary.count
    {
      tokens.append(Token(piece))
      return
    }
    merger.removeAll()
    for index in range {
      merger.append(name: vocabulary.byteSymbols[Int(bytes[index])], start: index, length: 1)
    }
    merger.merge { left, right in
      vocabulary.merges.merge(left: left.name, right: right.name)
        .map { ($0.rank, $0.result) }
    }
    let count = Int32(vocabulary.count)
    merger.forEach { symbol in
      if symbol.name < count {
        tokens.append(Token(symbol.name))
      } else {
        for byte in bytes[symbol.start..<symbol.end] {
          if let token = vocabulary.byteTokens[Int(byte)] { tokens.append(token) }
        }
      }
    }
  }
}
