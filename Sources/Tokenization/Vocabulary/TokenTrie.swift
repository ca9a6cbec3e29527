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
  init(_ pieces: [(bytes: [UInt8], token: Token)], lengthLimit: Int = 256) {
    let sorted = pieces.enumerated()
      .filter { !$0.element.bytes.isEmpty && $0.element.bytes.count <= lengthLimit }
      .sorted { first, second in
        first.element.bytes.lexicographicallyPrecedes(second.element.bytes)
          || (first.element.bytes == second.element.bytes && first.offset < second.offset)
      }
      .map(\.element)
    var path: [Int] = []
    var last: [UInt8] = []
    for (bytes, token) in sorted {
      let shared = zip(bytes, last).prefix { $0 == $1 }.count
      close(&path, to: shared)
      for depth in shared..<bytes.count {
        path.append(nodes.count)
        nodes.append(
          Node(
            byte: bytes[depth], depth: UInt16(depth), end: 0, firstToken: Int32(tokens.count)))
      }
      tokens.append(token)
      last = bytes
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

extension Tokenizer {
  /// The pieces that can be part of a text, as a tree; built by the first call.
  package var trie: TokenTrie {
    vocabulary.trie.withLock { made in
      if let made { return made }
      // Pieces of single bytes come last, as models use them only where they have no other one.
      let isByte = vocabulary.kinds.map { $0 == .byte }
      let order = (0..<count).filter { !isByte[$0] } + (0..<count).filter { isByte[$0] }
      let trie = TokenTrie(order.map { (bytes(of: Token($0)), Token($0)) })
      made = trie
      return trie
    }
  }
}
