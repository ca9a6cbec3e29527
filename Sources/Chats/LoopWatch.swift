/// Notices that an answer says the same tokens again and again, and nothing else any more.
///
/// Careful, as tables, lists and code repeat themselves, too: a run of tokens has to follow itself word for word, for as long as no
/// text goes on by itself. What has no words, such as rows of zeros, and what the person has said, as in a text to be copied, has
/// three times as long.
package struct LoopWatch {
  /// Tokens of a run, at most.
  private static let longest = 64
  /// How often a run stands there, at least.
  private static let times = 8
  /// Tokens of all of them together, at least.
  private static let tokens = 128

  /// The tokens of a run, and how often it stood at the end.
  package struct Loop: Equatable, Encodable {
    package let tokens: Int
    package let times: Int
  }

  /// Nil until one is noticed.
  package private(set) var loop: Loop?
  private let asked: String
  private let text: ([Int32]) -> String
  private var said: [Int32] = []
  /// By the length of a run, how many of the last tokens are those that stand so far before them.
  private var same = [Int](repeating: 0, count: longest + 1)

  /// `asked` is all that the person has said; `text` makes text of tokens.
  package init(asked: String, text: @escaping ([Int32]) -> String) {
    (self.asked, self.text) = (asked, text)
  }

  /// Takes the next token of the answer.
  package mutating func append(_ token: Int32) {
    for length in 1...Self.longest {
      let isSame = length <= said.count && said[said.count - length] == token
      same[length] = isSame ? same[length] + 1 : 0
    }
    said.append(token)
    // The shortest run: twice its tokens are a run as well.
    guard loop == nil,
      let length = (1...Self.longest).first(where: { same[$0] >= (Self.times - 1) * $0 })
    else { return }
    let total = same[length] + length
    let least = max(Self.tokens, Self.times * length)
    guard total >= 3 * least || total == least && isOfItsOwn(Array(said.suffix(length))) else {
      return
    }
    loop = Loop(tokens: length, times: total / length)
  }

  /// Whether a run has words, and not those of the person.
  private func isOfItsOwn(_ run: [Int32]) -> Bool {
    let letters = Self.letters(text(run))
    guard !letters.isEmpty else { return false }
    let asked = Self.letters(asked)
    // Where a run begins is chance.
    return !letters.indices.contains { start in
      Self.contains(asked, Array(letters[start...] + letters[..<start]))
    }
  }

  /// Letters alone, in small: case, spaces and punctuation are the model's.
  private static func letters(_ text: String) -> [UInt8] {
    Array(text.lowercased().filter(\.isLetter).utf8)
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start] == part[0] && text[start..<start + part.count].elementsEqual(part)
    }
  }
}
