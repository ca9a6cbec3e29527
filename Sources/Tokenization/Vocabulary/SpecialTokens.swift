/// Tokens that are cut out of a text before the rest is merged, and how.
struct SpecialTokens: Sendable {
  /// A token with its text.
  struct Entry: Sendable {
    let token: Token
    let text: [UInt8]
    let isUserDefined: Bool
    /// Takes the white space before it along.
    let stripsLeft: Bool
    /// Takes the white space after it along.
    let stripsRight: Bool
  }

  /// Which tokens are read in a text.
  enum Reading: Sendable {
    /// All: the text is a prompt that its author has marked up.
    case all
    /// Only user-defined ones, as in plain text.
    case userDefined
    /// All in these parts of the text, which the author of a format wrote; elsewhere only user-defined ones that no
    /// format uses as a mark, as text from somebody who must not set marks.
    case marks([Range<Int>])
  }

  /// A part of a text.
  enum Fragment: Equatable, Sendable {
    case text(Range<Int>)
    case token(Token)
  }

  /// Longest first, and by number among equally long ones.
  private let entries: [Entry]
  private let trie: TokenTrie

  /// `newlinePiece` is the text of a token that stands for a line feed, too.
  init(_ entries: [Entry], newlinePiece: String? = nil) {
    var all = entries.filter { !$0.text.isEmpty }
    if let piece = newlinePiece.map({ Array($0.utf8) }),
      let entry = entries.first(where: { $0.text == piece })
    {
      all.append(
        Entry(
          token: entry.token, text: [0x0A], isUserDefined: true, stripsLeft: false,
          stripsRight: false))
    }
    all.sort { ($1.text.count, $0.token) < ($0.text.count, $1.token) }
    self.entries = all
    trie = TokenTrie(
      all.enumerated().map { ($1.text[...], Token($0)) }, lengthLimit: VocabularyReader.pieceLimit)
  }

  /// Whether a text looks like a mark of a format, such as `<|im_end|>` or `<turn_start>`.
  static func looksLikeMark(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: "<") && text.last == UInt8(ascii: ">")
      && text.contains { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "_") }
  }

  /// The token with this text, or nil.
  func token(_ text: String) -> Token? {
    let bytes = Array(text.utf8)
    return entries.first { $0.text == bytes }?.token
  }

  /// Whether a token takes the white space after it along.
  func stripsRight(_ token: Token) -> Bool {
    entries.first { $0.token == token }?.stripsRight ?? false
  }

  /// Cuts `text` at its special tokens.
  ///
  /// As in llama.cpp, longer tokens claim their places first wherever they are; equally long ones by number.
  func cut(_ text: [UInt8], reading: Reading) -> [Fragment] {
    let found = occurrences(in: text, reading)
    guard !found.isEmpty else { return text.isEmpty ? [] : [.text(0..<text.count)] }
    var taken = [Bool](repeating: false, count: text.count)
    var claims: [Claim] = []
    for (index, start) in found {
      if let claim = claim(entries[index], at: start, in: text, &taken, reading) {
        claims.append(claim)
      }
    }
    claims.sort { $0.range.lowerBound < $1.range.lowerBound }
    var fragments: [Fragment] = []
    var end = 0
    for claim in claims {
      if end < claim.range.lowerBound { fragments.append(.text(end..<claim.range.lowerBound)) }
      fragments.append(.token(claim.token))
      end = claim.range.upperBound
    }
    if end < text.count { fragments.append(.text(end..<text.count)) }
    return fragments
  }

  /// A place that a token has, with the white space that it takes along.
  private struct Claim {
    let token: Token
    let range: Range<Int>
  }

  private func isRead(_ entry: Entry, _ reading: Reading) -> Bool {
    switch reading {
    case .all: true
    case .userDefined: entry.isUserDefined
    case .marks(let parts): !parts.isEmpty || isHarmless(entry)
    }
  }

  private func isHarmless(_ entry: Entry) -> Bool {
    entry.isUserDefined && !Self.looksLikeMark(entry.text)
  }

  /// Whether a token may stand at `place`: one that is a mark only where all of it is from the author of a format.
  private func isRead(_ entry: Entry, _ reading: Reading, at place: Range<Int>) -> Bool {
    guard case .marks(let parts) = reading, !isHarmless(entry) else { return true }
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].upperBound < place.upperBound { low = middle + 1 } else { high = middle }
    }
    return low < parts.count && parts[low].lowerBound <= place.lowerBound
  }

  /// Where entries stand in `text` that may be read: by entry, then by place.
  private func occurrences(in text: [UInt8], _ reading: Reading) -> [(entry: Int, start: Int)] {
    var found: [(entry: Int, start: Int)] = []
    for start in text.indices {
      trie.match(text, at: start) { _, tokens in
        for token in tokens where isRead(entries[Int(token)], reading) {
          found.append((Int(token), start))
        }
      }
    }
    found.sort { ($0.entry, $0.start) < ($1.entry, $1.start) }
    return found
  }

  /// The place of `entry` at `start`; nil where something else has a part of it, or where it may not be read.
  private func claim(
    _ entry: Entry, at start: Int, in text: [UInt8], _ taken: inout [Bool], _ reading: Reading
  ) -> Claim? {
    var (start, end) = (start, start + entry.text.count)
    guard !taken[start..<end].contains(true), isRead(entry, reading, at: start..<end) else {
      return nil
    }
    func isFreeSpace(_ index: Int) -> Bool { !taken[index] && Tokenizer.isSpace(text[index]) }
    while entry.stripsLeft, start > 0, isFreeSpace(start - 1) { start -= 1 }
    while entry.stripsRight, end < text.count, isFreeSpace(end) { end += 1 }
    for index in start..<end { taken[index] = true }
    return Claim(token: entry.token, range: start..<end)
  }
}

extension Tokenizer {
  /// White space of ASCII.
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
