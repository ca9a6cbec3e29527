import Synchronization

/// The pieces of a vocabulary as a tree of bytes, laid out so that a walk over it goes straight through memory.
package struct TokenTrie: Sendable {
  /// A byte behind those of the node above it.
  package struct Node: Sendable {
    package let byte: UInt8
    /// Bytes on the way here, this one included, less one.
    package let depth: UInt16
    /// The first node that is not below this one.
    package fileprivate(set) var end: Int32
    /// Where the tokens that end here start in `tokens`; they end where those of the next node start.
    let firstToken: Int32
  }

  /// Parents before children, children in the order of their bytes.
  package private(set) var nodes: [Node] = []
  package private(set) var tokens: [Token] = []

  /// `pieces` are the bytes of each token; tokens without any or with more than `lengthLimit`, below 2¹⁶, are left out, and
  /// those with equal ones keep their order.
  init(
    _ pieces: some Collection<(bytes: ArraySlice<UInt8>, token: Token)>, lengthLimit: Int = 256
  ) {
    var list = PieceList()
    list.reserve(pieces.count)
    for piece in pieces where !piece.bytes.isEmpty && piece.bytes.count <= lengthLimit {
      list.append(piece.bytes, token: piece.token)
    }
    list.sort()
    tokens.reserveCapacity(list.entries.count)
    var path: [Int] = []
    var last = 0..<0
    for entry in list.entries {
      let piece = list.range(of: entry)
      let shared = list.shared(piece, last)
      close(&path, to: shared)
      for depth in shared..<piece.count {
        path.append(nodes.count)
        nodes.append(
          Node(
            byte: list.bytes[piece.lowerBound + depth], depth: UInt16(depth), end: 0,
            firstToken: Int32(tokens.count)))
      }
      tokens.append(list.tokens[Int(entry.number)])
      last = piece
    }
    close(&path, to: 0)
  }

  private mutating func close(_ path: inout [Int], to depth: Int) {
    while path.count > depth { nodes[path.removeLast()].end = Int32(nodes.count) }
  }

  /// The tokens that end at node `index`.
  package func tokens(at index: Int) -> ArraySlice<Token> {
    let end = index + 1 < nodes.count ? Int(nodes[index + 1].firstToken) : tokens.count
    return tokens[Int(nodes[index].firstToken)..<end]
  }

  /// Calls `body` with each piece that stands at `start` of `text`, shortest first: its length and its tokens.
  @inline(__always)
  func match(
    _ text: [UInt8], at start: Int, _ body: (_ length: Int, _ tokens: ArraySlice<Token>) -> Void
  ) {
    var (index, end) = (0, nodes.count)
    var position = start
    while position < text.count {
      while index < end, nodes[index].byte != text[position] { index = Int(nodes[index].end) }
      guard index < end else { return }
      position += 1
      let tokens = tokens(at: index)
      if !tokens.isEmpty { body(position - start, tokens) }
      (index, end) = (index + 1, Int(nodes[index].end))
    }
  }

  /// The longest piece at `start` of `text`, and its first token.
  package func longest(_ text: [UInt8], at start: Int) -> (length: Int, token: Token)? {
    var found: (length: Int, token: Token)?
    match(text, at: start) { length, tokens in found = tokens.first.map { (length, $0) } }
    return found
  }
}

/// Pieces one behind the other, while a tree is made of them.
private struct PieceList {
  struct Entry {
    /// The first eight bytes, zeros behind a shorter piece: most pieces differ there, and compare as one number.
    let head: UInt64
    let number: Int32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var tokens: [Token] = []
  private(set) var entries: [Entry] = []
  private var starts: [Int] = [0]

  mutating func reserve(_ count: Int) {
    bytes.reserveCapacity(count * 8)
    tokens.reserveCapacity(count)
    entries.reserveCapacity(count)
    starts.reserveCapacity(count + 1)
  }

  mutating func append(_ piece: ArraySlice<UInt8>, token: Token) {
    var head: UInt64 = 0
    for byte in piece.prefix(8) { head = head << 8 | UInt64(byte) }
    head <<= UInt64(8 * max(0, 8 - piece.count))
    entries.append(Entry(head: head, number: Int32(tokens.count)))
    bytes += piece
    tokens.append(token)
    starts.append(bytes.count)
  }

  func range(of entry: Entry) -> Range<Int> {
    starts[Int(entry.number)]..<starts[Int(entry.number) + 1]
  }

  /// Bytes that two pieces begin with.
  func shared(_ one: Range<Int>, _ other: Range<Int>) -> Int {
    var count = 0
    while count < min(one.count, other.count),
      bytes[one.lowerBound + count] == bytes[other.lowerBound + count]
    {
      count += 1
    }
    return count
  }

  mutating func sort() {
    var sorted = entries
    sorted.sort { one, other in
      guard one.head == other.head else { return one.head < other.head }
      let (first, second) = (bytes[range(of: one)], bytes[range(of: other)])
      return first.lexicographicallyPrecedes(second)
        || first == second && one.number < other.number
    }
    entries = sorted
  }
}

extension Tokenizer {
  /// The pieces that can be part of a text, as a tree; built by the first call.
  package var trie: TokenTrie {
    vocabulary.trie.withLock { made in
      if let made { return made }
      // Pieces of single bytes come last, as models use them only where they have no other one.
      let isByte = vocabulary.kinds.map { $0 == .byte }
      let order = (0..<count).filter { !isByte[$0] } + (0..<count).filter { isByte[$0] }
      let trie = trie(of: order.map(Token.init))
      made = trie
      return trie
    }
  }

  /// The pieces of `tokens` as a tree; of equal ones the first comes first.
  package func trie(of tokens: [Token]) -> TokenTrie {
    TokenTrie(tokens.lazy.map { (piece(of: $0), $0) })
  }

  /// The tokens of a part of a text as they are in what models learn; the longest pieces where those say something else, or
  /// are `forbidden`.
  package func pieces(of text: [UInt8], forbidden: (Token) -> Bool = { _ in false }) -> [Token] {
    var learnt: [Token] = []
    _ = append(text, marks: [], after: .text, to: &learnt)
    if !learnt.contains(where: forbidden), learnt.flatMap({ bytes(of: $0) }) == text {
      return learnt
    }
    var tokens: [Token] = []
    var start = 0
    while let piece = trie.longest(text, at: start), !forbidden(piece.token) {
      tokens.append(piece.token)
      start += piece.length
    }
    return tokens
  }

  /// What somebody makes of the vocabulary, made by the first call and kept with it; there is one such value.
  package func derived<Value: Sendable>(_ make: (Tokenizer) -> Value) -> Value {
    vocabulary.derived.withLock { made in
      if let made = made as? Value { return made }
      let value = make(self)
      made = value
      return value
    }
  }
}
