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
    var rest: [Token] = []
    var longer: [(token: Token, length: Int)] = []
    var short = [[Token]](repeating: [], count: Self.setCount)
    let trie = tokenizer.trie
    let (nodes, tokens) = (trie.nodes, trie.tokens)
    var path = [TextProgress](repeating: TextProgress(), count: 257)
    let isPlain = TextProgress.isPlain
    for index in nodes.indices {
      let node = nodes[index]
      let text = path[Int(node.depth)].after(node.byte, isPlain)
      path[Int(node.depth) + 1] = text
      for place in trie.places(at: index) {
        switch text.length {
        case let length? where length <= Self.setCount: short[length - 1].append(tokens[place])
        case let length?: longer.append((tokens[place], length))
        case nil: rest.append(tokens[place])
        }
      }
    }
    others = tokenizer.trie(of: rest)
    var all = TokenMask(count: tokenizer.count)
    sets = short.map { tokens in
      for token in tokens { all[token] = true }
      return all
    }
    self.longer = longer
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
}

/// Bytes as the beginning of such a text.
struct TextProgress {
  private var characters: UInt16 = 0
  /// Bytes that the last character still needs.
  private var missing: UInt8 = 0
  /// Bounds of the next of them.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  /// The number of characters, where the last one is whole.
  var length: Int? { missing == 0 ? Int(characters) : nil }

  /// Stands for what no byte can make a text again.
  private static let broken = TextProgress(characters: 0, missing: .max, lower: 1, upper: 0)

  /// The text with a byte more: UTF-8 as the Unicode Standard has it, table 3-7.
  ///
  /// `isPlain` is the table of that name, which is handed in as asking for it takes longer than reading it.
  @inline(__always)
  func after(_ byte: UInt8, _ isPlain: [Bool]) -> TextProgress {
    if missing > 0 {
      guard byte >= lower, byte <= upper else { return Self.broken }
      return TextProgress(characters: characters, missing: missing - 1, lower: 0x80, upper: 0xBF)
    }
    let (missing, lower, upper): (UInt8, UInt8, UInt8)
    switch byte {
    case 0..<0x80 where isPlain[Int(byte)]: (missing, lower, upper) = (0, 0x80, 0xBF)
    case 0xC2...0xDF: (missing, lower, upper) = (1, 0x80, 0xBF)
    case 0xE0: (missing, lower, upper) = (2, 0xA0, 0xBF)
    case 0xED: (missing, lower, upper) = (2, 0x80, 0x9F)
    case 0xE1...0xEF: (missing, lower, upper) = (2, 0x80, 0xBF)
    case 0xF0: (missing, lower, upper) = (3, 0x90, 0xBF)
    case 0xF1...0xF3: (missing, lower, upper) = (3, 0x80, 0xBF)
    case 0xF4: (missing, lower, upper) = (3, 0x80, 0x8F)
    default: return Self.broken
    }
    return TextProgress(
      characters: characters + 1, missing: missing, lower: lower, upper: upper)
  }

  /// Whether each character of ASCII is one that a string takes as it is.
  static let isPlain = (UInt8.min..<0x80).map { JSONText.plain.contains(UnicodeScalar($0)) }
}
