import Grammars

/// Proposes what comes next in the generations of one conversation, and learns from what came.
///
/// Each proposer is judged by what it would have proposed, whether that was tried or not: one that is wrong costs nothing
/// but its own time, and is back as soon as it is right again.
public final class Speculator {
  /// What a pass costs by the number of its tokens.
  public internal(set) var costs: PassCosts

  private let proposers: [any TokenProposer]
  private var rates = AcceptanceRates()
  // What was proposed since the last pass, as far as it has come.
  private var trials: [Trial] = []

  private struct Trial {
    let source: ProposalSource
    var rest: ArraySlice<ProposedToken>
  }

  /// Tokens that are proposed at once, at most.
  static let limit = PassCosts.count - 1

  /// Proposes what came earlier in the conversation, and what `proposers` do.
  ///
  /// - Parameters:
  ///   - proposers: Further ones, which are used for no other conversation.
  ///   - costs: What passes cost on this machine; learned from the passes themselves if nil.
  public convenience init(proposers: [any TokenProposer] = [], costs: PassCosts? = nil) {
    self.init(only: [ConversationProposer()] + proposers, costs: costs)
  }

  /// Proposes what `proposers` do and what a grammar forces.
  init(only proposers: [any TokenProposer], costs: PassCosts? = nil) {
    (self.proposers, self.costs) = (proposers, costs ?? PassCosts())
  }

  /// A token that could be tried.
  struct Candidate {
    let token: Int32
    let source: ProposalSource
    /// The probability that it comes, and all before it.
    let probability: Double
  }

  /// The best proposal after `history`, of up to `limit` tokens that `constraint` allows.
  func candidates(
    after history: [Int32], limit: Int, constraint: inout (any TokenConstraint)?
  ) -> [Candidate] {
    trials.removeAll(keepingCapacity: true)
    let limit = min(limit, Self.limit)
    guard limit > 0 else { return [] }
    var best: [Candidate] = []
    var most = 0.0
    for proposer in proposers {
      let proposal = proposer.propose(after: history, limit: limit).prefix(limit)
      if !proposal.isEmpty { trials.append(Trial(source: proposer.source, rest: proposal)) }
      let candidates = follow(proposal, of: proposer.source, limit, &constraint)
      let gain = candidates.reduce(0) { $0 + $1.probability }
      if gain > most { (best, most) = (candidates, gain) }
    }
    return best
  }

  /// What is left of `proposal` beside a grammar, with what that forces.
  private func follow(
    _ proposal: ArraySlice<ProposedToken>, of source: ProposalSource, _ limit: Int,
    _ constraint: inout (any TokenConstraint)?
  ) -> [Candidate] {
    let tokens = proposal.map(\.token)
    let possible =
      constraint?.continuation(of: tokens, limit: limit)
      ?? tokens.map { PossibleToken(token: $0, isForced: false) }
    var rest = proposal
    var probability = 1.0
    return possible.map { step in
      let proposed = rest.first?.token == step.token ? rest.popFirst() : nil
      if !step.isForced {
        probability *= proposed.map { rates.rate($0, of: source) } ?? 0
      }
      return Candidate(
        token: step.token, source: step.isForced ? .grammar : source, probability: probability)
    }
  }

  /// Learns from the token that came.
  func note(_ token: Int32) {
    for index in trials.indices.reversed() {
      guard let proposed = trials[index].rest.popFirst() else { continue }
      let isRight = proposed.token == token
      rates.note(proposed, of: trials[index].source, isRight: isRight)
      if !isRight { trials.remove(at: index) }
    }
  }
}

/// How many tokens were proposed to passes and how many of them came, by their place behind what was known.
public struct ProposalCounts: Sendable, Equatable {
  /// Tokens proposed in the first place behind what was known, in the second, and so on.
  public internal(set) var proposed: [Int] = []
  /// Those of them that came.
  public internal(set) var accepted: [Int] = []

  mutating func note(_ place: Int, isAccepted: Bool) {
    while proposed.count <= place {
      proposed.append(0)
      accepted.append(0)
    }
    if isAccepted { accepted[place] += 1 } else { proposed[place] += 1 }
  }
}
