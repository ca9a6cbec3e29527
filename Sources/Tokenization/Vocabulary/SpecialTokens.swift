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
    var fragments: [Fragment] = text.isEmpty ? [] : [.text(0..<text.count)]
    for index in present(in: text) where isRead(entries[index], reading) {
      let entry = entries[index]
      var next: [Fragment] = []
      for fragment in fragments {
        if case .text(let range) = fragment {
          cut(text, range, by: entry, reading, into: &next)
        } else {
          next.append(fragment)
        }
      }
      fragments = next
    }
    return fragments
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

  /// The entries that occur in `text`, in order.
  private func present(in text: [UInt8]) -> [Int] {
    var isPresent = [Bool](repeating: false, count: entries.count)
    for start in text.indices {
      trie.match(text, at: start) { _, found in for index in found { isPresent[Int(index)] = true }
      }
    }
    return entries.indices.filter { isPresent[$0] }
  }

  private func cut(
    _ text: [UInt8], _ range: Range<Int>, by entry: Entry, _ reading: Reading,
    into fragments: inout [Fragment]
  ) {
    var start = range.lowerBound
    var position = start
    while position + entry.text.count <= range.upperBound {
      guard text[position] == entry.text[0], hasToken(text, entry.text, at: position),
        isRead(entry, reading, at: position..<(position + entry.text.count))
      else {
        position += 1
        continue
      }
      var left = position
      while entry.stripsLeft, left > start, Tokenizer.isSpace(text[left - 1]) { left -= 1 }
      if left > start { fragments.append(.text(start..<left)) }
      fragments.append(.token(entry.token))
      position += entry.text.count
      while entry.stripsRight, position < range.upperBound, Tokenizer.isSpace(text[position]) {
        position += 1
      }
      start = position
    }
    if start < range.upperBound { fragments.append(.text(start..<range.upperBound)) }
  }

  private func hasToken(_ text: [UInt8], _ token: [UInt8], at position: Int) -> Bool {
    for index in token.indices where text[position + index] != token[index] { return false }
    return true
  }
}

extension Tokenizer {
  /// White space of ASCII.
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
