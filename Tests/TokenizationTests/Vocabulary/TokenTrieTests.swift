import TestSupport
import Testing

@testable import Tokenization

@Suite struct TokenTrieTests {
  @Test func everyPieceStandsAtItsPath() {
    var random = SeededGenerator(seed: 5)
    let pieces = (0..<500).map { token in
      (
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          UInt8.random(in: 97...100, using: &random)
        }, Token(token)
      )
    }
    let trie = TokenTrie(pieces.map { ($0[...], $1) })
    var found: [Token: [UInt8]] = [:]
    var path: [UInt8] = []
    for (index, node) in trie.nodes.enumerated() {
      path = path.prefix(Int(node.depth)) + [node.byte]
      #expect(Int(node.end) > index)
      for token in trie.tokens(at: index) { found[token] = path }
    }
    #expect(
      found == Dictionary(uniqueKeysWithValues: pieces.filter { !$0.0.isEmpty }.map { ($1, $0) }))
  }
}
