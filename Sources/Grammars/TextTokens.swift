import Tokenization

/// The tokens of a vocabulary that a JSON string takes as they are: whole characters, none of them a quote, a backslash or a
/// control character.
///
/// Inside of a string they make up nearly all that may come, and need not be looked at one by one.
struct TextTokens: Sendable {
  /// All other tokens.
  let others: TokenTrie
  /// Tokens of up to 1, 2, … characters; the last set is not yet all of them where there are longer ones.
  private let sets: [TokenMask]
  /// The longer ones, with their numbers of characters.
  private let longer: [(token: Token, length: Int)]
  private let all: TokenMask

  private static let setCount = 16

  init(_ tokenizer: Tokenizer) {
    var (lengths, rest): ([(token: Token, length: Int)], [Token]) = ([], [])
    let trie = tokenizer.trie
    // Whether all bytes up to each depth are such characters of ASCII, as those of most pieces are.
    var isPlain = [Bool](repeating: true, count: 257)
    for (index, node) in trie.nodes.enumerated() {
      let depth = Int(node.depth) + 1
      isPlain[depth] = isPlain[depth - 1] && Self.isPlainByte[Int(node.byte)]
      for token in trie.tokens(at: index) {
        if let length = isPlain[depth] ? depth : Self.length(tokenizer.bytes(of: token)) {
          lengths.append((token, length))
        } else {
          rest.append(token)
        }
      }
    }
    others = tokenizer.trie(of: rest)
    var all = TokenMask(count: tokenizer.count)
    sets = (1...Self.setCount).map { limit in
      for (token, length) in lengths where length == limit { all[token] = true }
      return all
    }
    longer = lengths.filter { $0.length > Self.setCount }
    for (token, _) in longer { all[token] = true }
    self.all = all
  }

  /// Marks the tokens of up to `room` characters.
  func mark(upTo room: Int, in mask: inout TokenMask) {
    let set = room > Self.setCount ? all : sets[room - 1]
    mask.formUnion(set.resized(to: mask.count))
    guard room > Self.setCount, room < 256 else { return }
    for (token, length) in longer where length > room && Int(token) < mask.count {
      mask[token] = false
    }
  }

  /// The number of characters of a piece that a string takes as it is, if it does.
  private static func length(_ bytes: [UInt8]) -> Int? {
    guard let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy(JSONText.plain.contains)
    else { return nil }
    return text.unicodeScalars.count
  }

  /// Whether each byte is such a character by itself.
  private static let isPlainByte = (UInt8.min...UInt8.max).map { byte in
    byte < 0x80 && JSONText.plain.contains(UnicodeScalar(byte))
  }
}
