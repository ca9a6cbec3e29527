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

  @Test(arguments: 0..<8 as Range<UInt64>)
  func piecesAreInTheOrderOfTheirBytes(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Many begin alike, over more bytes than are compared at once; some end in zeros, and some come twice.
    let heads: [[UInt8]] = [
      [], [0], [0, 0, 0], Array("        ".utf8), [0xFF, 0xFE], [0x7F, 0x80],
    ]
    let pieces: [(bytes: [UInt8], token: Token)] = (0..<2000).map { token in
      let tail = (0..<Int.random(in: 0...12, using: &random)).map { _ -> UInt8 in
        [0, 1, 0x61, 0xFF].randomElement(using: &random) ?? 0
      }
      return ((heads.randomElement(using: &random) ?? []) + tail, Token(token))
    }
    let trie = TokenTrie(pieces.map { ($0.bytes[...], $0.token) })
    let expected = pieces.filter { !$0.bytes.isEmpty }.sorted { one, other in
      one.bytes == other.bytes
        ? one.token < other.token : one.bytes.lexicographicallyPrecedes(other.bytes)
    }
    #expect(trie.tokens == expected.map(\.token))
    for (bytes, _) in expected {
      #expect(trie.longest(bytes, at: 0)?.length == bytes.count)
    }
  }

  @Test func piecesAreLeftOutByTheirLength() {
    let lengths = [0, 1, 8, 9, TokenTrie.lengthLimit, TokenTrie.lengthLimit + 1]
    let trie = TokenTrie(
      lengths.enumerated().map {
        (ArraySlice(repeatElement(UInt8(97), count: $1)), Token($0))
      })
    #expect(trie.tokens == [1, 2, 3, 4])
    #expect(trie.nodes.count == TokenTrie.lengthLimit)
    #expect(TokenTrie([(ArraySlice<UInt8>([]), Token(0))]).nodes.isEmpty)
  }
  /// What makes a value may ask for it; then what was made first stays.
  @Test(.timeLimit(.minutes(15))) func whatIsDerivedIsMadeWithoutALock() throws {
    let tokenizer = try TokenizerFixture.tokenizer("afm")
    let outer = tokenizer.derived { tokenizer in tokenizer.derived { _ in 1 } + 1 }
    #expect(outer == 1)
    #expect(tokenizer.derived { _ in 7 } == 1)
  }
}
