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
    var cuts: [(range: Range<Int>, token: Token)] = []
    var isCut = [Bool](repeating: false, count: text.count)
    var claims = Heap()
    for start in text.indices {
      if let index = claim(text, start, isCut, reading) { claims.insert(Claim(index, start)) }
    }
    while let claim = claims.popFirst() {
      let entry = entries[claim.index]
      var (left, right) = (claim.start, claim.start + entry.text.count)
      guard !isCut[left] else { continue }
      // What has been cut is as long at least, so that it covers an end where it covers anything.
      guard !isCut[right - 1] else {
        if let index = self.claim(text, left, isCut, reading) { claims.insert(Claim(index, left)) }
        continue
      }
      while entry.stripsLeft, left > 0, !isCut[left - 1], Tokenizer.isSpace(text[left - 1]) {
        left -= 1
      }
      while entry.stripsRight, right < text.count, !isCut[right], Tokenizer.isSpace(text[right]) {
        right += 1
      }
      for place in left..<right { isCut[place] = true }
      cuts.append((left..<right, entry.token))
    }
    return Self.fragments(of: text, cuts)
  }

  private static func fragments(
    of text: [UInt8], _ cuts: [(range: Range<Int>, token: Token)]
  ) -> [Fragment] {
    var fragments: [Fragment] = []
    var start = 0
    for cut in cuts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      if start < cut.range.lowerBound { fragments.append(.text(start..<cut.range.lowerBound)) }
      fragments.append(.token(cut.token))
      start = cut.range.upperBound
    }
    if start < text.count { fragments.append(.text(start..<text.count)) }
    return fragments
  }

  /// The first of the entries that may stand at `start`, as far as nothing has been cut yet.
  private func claim(
    _ text: [UInt8], _ start: Int, _ isCut: [Bool], _ reading: Reading
  ) -> Int? {
    var first: Int?
    trie.match(text, at: start) { length, found in
      guard !isCut[start + length - 1] else { return }
      for index in found.lazy.map({ Int($0) }) where index < first ?? .max {
        let entry = entries[index]
        if isRead(entry, reading), isRead(entry, reading, at: start..<start + length) {
          first = index
        }
      }
    }
    return first
  }

  /// An entry that may stand somewhere; those of entries before it come first, then those of places before it.
  private struct Claim: Comparable {
    let index: Int
    let start: Int

    init(_ index: Int, _ start: Int) { (self.index, self.start) = (index, start) }

    static func < (left: Claim, right: Claim) -> Bool {
      (left.index, left.start) < (right.index, right.start)
    }
  }

  /// Claims, of which the first is found quickly.
  private struct Heap {
    private var claims: [Claim] = []

    mutating func insert(_ claim: Claim) {
      claims.append(claim)
      var place = claims.count - 1
      while place > 0, claims[place] < claims[(place - 1) / 2] {
        claims.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    mutating func popFirst() -> Claim? {
      guard let first = claims.first else { return nil }
      let last = claims.removeLast()
      guard !claims.isEmpty else { return first }
      claims[0] = last
      var place = 0
      while case let child = 2 * place + 1, child < claims.count {
        let isSecond = child + 1 < claims.count && claims[child + 1] < claims[child]
        let least = isSecond ? child + 1 : child
        guard claims[least] < claims[place] else { break }
        claims.swapAt(place, least)
        place = least
      }
      return first
    }
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
}

extension Tokenizer {
  /// White space of ASCII.
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
