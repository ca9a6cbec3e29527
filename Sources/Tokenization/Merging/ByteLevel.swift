// The standard library composes characters, but not yet under a public name.
@_spi(_Unicode) import Swift
import TensorFiles

/// The characters that byte-level vocabularies spell bytes with: printable Latin-1 stands for itself, the other
/// 68 bytes for U+0100 and up.
///
/// Source: `bytes_to_unicode` of <https://github.com/openai/gpt-2/blob/master/src/encoder.py>.
enum ByteAlphabet {
  /// The byte that each scalar below U+0144 stands for, or -1.
  private static let byteOfScalar: [Int16] = {
    var table = [Int16](repeating: -1, count: 0x144)
    var next = 0x100
    for byte in 0..<256 {
      let isPrintable = (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || byte >= 0xAE
      table[isPrintable ? byte : next] = Int16(byte)
      if !isPrintable { next += 1 }
    }
    return table
  }()

  /// Appends the bytes that `text`, UTF-8 of the alphabet, spells; false when some character is not in the alphabet.
  static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
    let table = byteOfScalar
    var index = 0
    while index < text.count {
      let lead = text[index]
      var scalar = Int(lead)
      if lead >= 0x80 {
        // Two-byte forms are all that the alphabet needs.
        guard lead & 0xE0 == 0xC0, index + 1 < text.count, text[index + 1] & 0xC0 == 0x80 else {
          return false
        }
        scalar = Int(lead & 0x1F) << 6 | Int(text[index + 1] & 0x3F)
        index += 1
      }
      guard scalar < table.count, table[scalar] >= 0 else { return false }
      bytes.append(UInt8(table[scalar]))
      index += 1
    }
    return true
  }
}

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
      byteTokens: byteSymbols.map { $0 < count ? Token($0) : nil },
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
    var decoded = LenientUTF8(input)
    if vocabulary.settings.composes { decoded = Self.composed(decoded) }
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

  /// The text in Unicode's form NFC; ASCII is its own.
  private static func composed(_ text: LenientUTF8) -> LenientUTF8 {
    guard text.scalars.contains(where: { $0 >= 0x80 }) else { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: String(decoding: text.bytes, as: UTF8.self)._nfc)
    return LenientUTF8(Array(String(scalars).utf8)[...])
  }

  private mutating func encodePiece(
    _ bytes: [UInt8], _ range: Range<Int>, into tokens: inout [Token]
  ) {
    let vocabulary = vocabulary
    if vocabulary.settings.ignoresMerges,
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
