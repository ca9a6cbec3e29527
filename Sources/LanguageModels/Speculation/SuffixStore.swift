public import Adapters
public import SystemFiles

/// Texts as tokens that show how others like them go on, such as the answers that an adapter was trained on.
///
/// A text that begins as a prompt ends, with the marks before an answer, also tells how answers begin.
public struct SuffixStore: Sendable {
  /// A text, and how often it came.
  public typealias Text = SuffixTexts.Text

  /// Tokens of all texts at most: beyond, it costs more time to open than it saves.
  public static let tokenLimit = SuffixTexts.tokenLimit

  // All texts, each with an end behind it.
  private let tokens: [Int32]
  // Where suffixes begin, in the order of their first tokens.
  private let order: [Int32]
  // How often the suffixes before each place of `order` came, together.
  private let sums: [Int]

  private static let end: Int32 = -1
  /// Tokens of a suffix that its place depends on.
  private static let depth = 32
  /// Longer matches are not told apart.
  private static let longestMatch = 16

  /// Orders `texts`, in O(n log n).
  ///
  /// - Throws: `SuffixStoreDefect` for a token that is none of `vocabularySize`, a count out of range, or too many tokens.
  public init(_ texts: [Text], vocabularySize: Int) throws(SuffixStoreDefect) {
    var merged: [Text] = []
    var places: [[Int32]: Int] = [:]
    var size = 0
    for (index, text) in texts.enumerated() {
      guard (1...SuffixTexts.countLimit).contains(text.count) else {
        throw .count(text.count, text: index)
      }
      if let token = text.tokens.first(where: { !(0..<vocabularySize).contains(Int($0)) }) {
        throw .token(token, text: index, vocabularySize: vocabularySize)
      }
      size += text.tokens.count
      guard size <= Self.tokenLimit else { throw .tooManyTokens(limit: Self.tokenLimit) }
      if let place = places[text.tokens] {
        merged[place].count += text.count
      } else {
        places[text.tokens] = merged.count
        merged.append(text)
      }
    }
    let tokens = merged.flatMap { $0.tokens + [Self.end] }
    let counts = merged.flatMap { Array(repeating: $0.count, count: $0.tokens.count + 1) }
    order = tokens.indices.filter { tokens[$0] != Self.end }.map { Int32($0) }
      .sorted { Self.precedes(Int($0), Int($1), tokens.span) }
    self.tokens = tokens
    var sum = 0
    sums =
      [0]
      + order.map { start in
        sum += counts[Int(start)]
        return sum
      }
  }

  /// Tokens of all texts.
  package var tokenCount: Int { order.count }

  private static func precedes(_ a: Int, _ b: Int, _ tokens: Span<Int32>) -> Bool {
    for offset in 0..<depth {
      let (first, second) = (tokens[a + offset], tokens[b + offset])
      if first != second { return first < second }
      if first == end { break }
    }
    // Equal ones in any order that is always the same.
    return a < b
  }

  /// The token that came most often after the longest match of the end of `history`, then after that, and so on.
  func continuation(of history: [Int32], limit: Int) -> [ProposedToken] {
    // A longer match is a match of its end, too.
    var (known, beyond) = (0, min(Self.longestMatch, history.count) + 1)
    var range = 0..<0
    while beyond - known > 1 {
      let length = (known + beyond) / 2
      let found = self.range(of: history.suffix(length))
      // Those that end here come first, as the end is less than any token.
      if let last = found.last, tokens[Int(order[last]) + length] != Self.end {
        (known, range) = (length, found)
      } else {
        beyond = length
      }
    }
    guard known > 0 else { return [] }
    var proposal: [ProposedToken] = []
    while proposal.count < limit, known + proposal.count < Self.depth,
      let next = likeliest(range, depth: known + proposal.count)
    {
      let weight = Double(sums[range.upperBound] - sums[range.lowerBound])
      let share = Double(sums[next.range.upperBound] - sums[next.range.lowerBound]) / weight
      let level = min(3, (known + proposal.count) / 3)
      proposal.append(
        ProposedToken(
          next.token, prior: share * weight / (weight + 1),
          kind: level * 4 + (share < 0.5 ? 0 : share < 0.8 ? 1 : share < 0.97 ? 2 : 3)))
      range = next.range
    }
    return proposal
  }

  /// The suffixes that begin with `pattern`.
  private func range(of pattern: ArraySlice<Int32>) -> Range<Int> {
    let first = firstPlace { !precedes($0, pattern) }
    return first..<firstPlace(from: first) { !begins($0, with: pattern) }
  }

  private func begins(_ start: Int32, with pattern: ArraySlice<Int32>) -> Bool {
    var place = Int(start)
    for token in pattern {
      if tokens[place] != token { return false }
      place += 1
    }
    return true
  }

  private func precedes(_ start: Int32, _ pattern: ArraySlice<Int32>) -> Bool {
    var place = Int(start)
    for token in pattern {
      if tokens[place] != token { return tokens[place] < token }
      place += 1
    }
    return false
  }

  /// The first place of `order` within `range` from which on `isBeyond` holds.
  private func firstPlace(
    from first: Int = 0, to end: Int? = nil, _ isBeyond: (Int32) -> Bool
  ) -> Int {
    var (low, high) = (first, end ?? order.count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(order[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The token that came most often behind the first `depth` of the suffixes `range`; nil where the texts end.
  private func likeliest(_ range: Range<Int>, depth: Int) -> (token: Int32, range: Range<Int>)? {
    var best: (token: Int32, range: Range<Int>, count: Int)?
    var first = range.lowerBound
    while first < range.upperBound {
      let token = tokens[Int(order[first]) + depth]
      let end = firstPlace(from: first, to: range.upperBound) { tokens[Int($0) + depth] != token }
      let count = sums[end] - sums[first]
      // As often as texts end here, they may go on.
      if count > (best?.count ?? 0) || best?.token == Self.end && count == best?.count {
        best = (token, first..<end, count)
      }
      first = end
    }
    guard let best, best.token != Self.end else { return nil }
    return (best.token, best.range)
  }
}

/// A way in which texts for a suffix store can be wrong.
public enum SuffixStoreDefect: Error, Equatable, Sendable {
  /// A text has a token that the vocabulary lacks.
  case token(Int32, text: Int, vocabularySize: Int)
  /// A text came less often than once, or too often.
  case count(Int, text: Int)
  /// The texts are too long together.
  case tooManyTokens(limit: Int)
}

extension SuffixStoreDefect: ExplainedError {
  /// What is wrong, without the file, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .token(let token, let text, let size):
      "text \(Figures.grouped(text)) has the token \(token), but the base has only \(Figures.grouped(size))"
        + "\(remedy: "make the suffix store anew with this base")"
    case .count(let count, let text):
      "text \(Figures.grouped(text)) has the count \(Figures.grouped(count)), which has to be between 1 and "
        + "\(Figures.grouped(SuffixTexts.countLimit))\(remedy: "make the suffix store anew")"
    case .tooManyTokens(let limit):
      "the texts have more than \(Figures.grouped(limit)) tokens together"
        + "\(remedy: "make the suffix store of fewer")"
    }
  }
}

/// Proposes what followed in the texts of a store.
final class StoreProposer: TokenProposer {
  let source = ProposalSource.store
  private let store: SuffixStore

  init(_ store: SuffixStore) { self.store = store }

  func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
    store.continuation(of: history, limit: limit)
  }
}
