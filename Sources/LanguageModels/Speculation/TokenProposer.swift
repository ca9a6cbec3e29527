/// Guesses how a text goes on, at a small part of what a pass of the base costs.
///
/// A guess never changes a text: the base looks at all proposed tokens in one pass, and those come that would have come
/// without them.
public protocol TokenProposer: AnyObject {
  /// What statistics count its proposals under.
  var source: ProposalSource { get }

  /// The tokens that may come after `history`, the prompt with all that came since; none where it has no idea.
  ///
  /// What is beyond `limit`, outside the vocabulary or forbidden by a grammar is left out by whoever asks.
  func propose(after history: [Int32], limit: Int) -> [ProposedToken]
}

/// Where a proposed token comes from.
public enum ProposalSource: String, Sendable, CaseIterable {
  /// The grammar leaves no choice about it.
  case grammar
  /// The same tokens came earlier in the conversation.
  case conversation
  /// The same tokens came in texts that are kept for this, such as an adapter's training answers.
  case store
  /// A draft model chose it.
  case draft
  /// A proposer of the caller's.
  case other
}

/// A token that is proposed, and how likely it seems to come where all before it do.
public struct ProposedToken: Sendable, Equatable {
  /// The token.
  public var token: Int32
  /// Its probability as long as nothing is known of its kind, `[0, 1]`.
  public var prior: Double
  /// Proposals of one kind are expected to be right as often as others of it were; `0..<16`.
  public var kind: Int

  /// A token of a kind.
  public init(_ token: Int32, prior: Double = 0.5, kind: Int = 0) {
    (self.token, self.prior, self.kind) = (token, prior, kind)
  }
}

/// How often tokens came that were proposed, by their source and kind; what is long ago counts less.
struct AcceptanceRates {
  private struct Count {
    var accepted = 0.0
    var tried = 0.0
    /// What the prior counts beside them.
    var prior = 3.0
  }

  private var counts: [ProposalSource: [Count]] = [:]

  /// What a trial counts for each later one, and what is left of a prior.
  private static let memory = 0.97
  private static let priorMemory = 0.9

  /// The probability that any proposal of `source` is right.
  func rate(of source: ProposalSource) -> Double {
    let count = counts[source]?[Self.kinds] ?? Count()
    return (count.accepted + 0.6 * count.prior) / (count.tried + count.prior)
  }

  /// The probability that a proposal of `source` is right.
  func rate(_ proposal: ProposedToken, of source: ProposalSource) -> Double {
    let count = counts[source]?[kind(proposal)] ?? Count()
    return (count.accepted + proposal.prior * count.prior) / (count.tried + count.prior)
  }

  mutating func note(_ proposal: ProposedToken, of source: ProposalSource, isRight: Bool) {
    for place in [kind(proposal), Self.kinds] { note(place, of: source, isRight: isRight) }
  }

  private mutating func note(_ place: Int, of source: ProposalSource, isRight: Bool) {
    var count = counts[source]?[place] ?? Count()
    count.prior *= Self.priorMemory
    count.tried = count.tried * Self.memory + 1
    count.accepted = count.accepted * Self.memory + (isRight ? 1 : 0)
    counts[source, default: Array(repeating: Count(), count: Self.kinds + 1)][place] = count
  }

  // Behind the kinds is what all of them are together.
  private static let kinds = 16
  private func kind(_ proposal: ProposedToken) -> Int { min(max(proposal.kind, 0), Self.kinds - 1) }
}

/// Proposes what came after the longest earlier occurrence of the last tokens, the latest of several.
///
/// It looks through the whole conversation each time: 4,000 tokens take a few microseconds, and nothing has to be kept.
final class ConversationProposer: TokenProposer {
  let source = ProposalSource.conversation

  /// Longer matches are not told apart.
  private static let longestMatch = 24

  func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
    let (start, matched) = Self.longestMatch(in: history.span)
    guard matched > 0 else { return [] }
    var proposal: [ProposedToken] = []
    for index in 0..<limit {
      // Behind the end of the text it goes on with itself, as periods do.
      let place = start + index
      let token =
        place < history.count ? history[place] : proposal[place - history.count].token
      proposal.append(Self.token(token, matched: matched + index))
    }
    return proposal
  }

  private static func token(_ token: Int32, matched: Int) -> ProposedToken {
    let kind = min(15, matched <= 8 ? matched : 6 + matched / 4)
    return ProposedToken(token, prior: 1 - 0.85 / Double(matched + 1).squareRoot(), kind: kind)
  }

  /// Where it goes on after the longest earlier occurrence of the last tokens, and how many those are.
  private static func longestMatch(in history: Span<Int32>) -> (start: Int, count: Int) {
    var best = (start: 0, count: 0)
    guard let last = history.indices.last else { return best }
    for end in stride(from: last - 1, through: 0, by: -1) where history[end] == history[last] {
      var count = 1
      while count < longestMatch, count <= end, history[end - count] == history[last - count] {
        count += 1
      }
      if count > best.count { best = (end + 1, count) }
      if count == longestMatch { break }
    }
    return best
  }
}
