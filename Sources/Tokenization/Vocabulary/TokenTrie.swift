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
    _ pieces: some Collection<(bytes: ArraySlice<UInt8>, token: Token)>,
    lengthLimit: Int = Self.lengthLimit
  ) {
    var list = PieceList(capacity: pieces.count, lengthLimit: lengthLimit)
    for piece in pieces { list.append(piece.bytes, token: piece.token) }
    self.init(list)
  }

  /// Takes the pieces in any order.
  fileprivate init(_ list: consuming PieceList) {
    list.sort()
    tokens.reserveCapacity(list.count)
    nodes.reserveCapacity(list.count * 3)
    var path = [Int](repeating: 0, count: list.lengthLimit)
    var last = PieceList.Piece.none
    for place in 0..<list.count {
      let piece = list[place]
      let shared = list.shared(piece, last)
      close(path, shared..<last.length)
      for depth in shared..<piece.length {
        path[depth] = nodes.count
        nodes.append(
          Node(
            byte: list.byte(piece, depth), depth: UInt16(depth), end: 0,
            firstToken: Int32(tokens.count)))
      }
      tokens.append(list.token(piece))
      last = piece
    }
    close(path, 0..<last.length)
  }

  /// Bytes that a piece of a text has at most: far more than those of any vocabulary.
  static let lengthLimit = 256

  /// Nothing more comes below the nodes of `path` at these depths.
  private mutating func close(_ path: [Int], _ depths: Range<Int>) {
    for depth in depths { nodes[path[depth]].end = Int32(nodes.count) }
  }

  /// The tokens that end at node `index`.
  package func tokens(at index: Int) -> ArraySlice<Token> { tokens[places(at: index)] }

  /// Where the tokens that end at node `index` stand among ``tokens``.
  package func places(at index: Int) -> Range<Int> {
    let end = index + 1 < nodes.count ? Int(nodes[index + 1].firstToken) : tokens.count
    return Int(nodes[index].firstToken)..<end
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

extension Tokenizer {
  /// The pieces that can be part of a text, as a tree; built by the first call.
  package var trie: TokenTrie {
    vocabulary.trie.withLock { made in
      if let made { return made }
      // Pieces of single bytes come last, as models use them only where they have no other one.
      let kinds = vocabulary.kinds
      let tokens = kinds.indices.lazy.map { Token($0) }
      let isByte: (Token) -> Bool = { kinds[Int($0)] == .byte }
      let trie = TokenTrie(list(of: tokens.filter { !isByte($0) } + tokens.filter(isByte)))
      made = trie
      return trie
    }
  }

  /// The pieces of `tokens` as a tree; of equal ones the first comes first.
  package func trie(of tokens: [Token]) -> TokenTrie { TokenTrie(list(of: tokens)) }

  private func list(of tokens: [Token]) -> PieceList {
    let (pieces, kinds, newline) = (vocabulary.pieces, vocabulary.kinds, vocabulary.newline)
    var isByteLevel = false
    if case .byteLevel = vocabulary.settings.algorithm { isByteLevel = true }
    var list = PieceList(
      capacity: tokens.count, lengthLimit: TokenTrie.lengthLimit, sharing: pieces.bytes)
    for token in tokens {
      switch kinds[Int(token)] {
      case .normal where isByteLevel && token != newline,
        .userDefined where isByteLevel && token != newline:
        list.append(pieces.range(of: Int(token)), token: token)
      default: list.append(piece(of: token), token: token)
      }
    }
    return list
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

  /// What somebody makes of the vocabulary, kept with it; there is one such value, though several calls at once may each make one.
  package func derived<Value: Sendable>(_ make: (Tokenizer) -> Value) -> Value {
    if let made = vocabulary.derived.withLock({ $0 }) as? Value { return made }
    let value = make(self)
    return vocabulary.derived.withLock { made in
      if let made = made as? Value { return made }
      made = value
      return value
    }
  }
}
