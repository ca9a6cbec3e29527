import Grammars

/// Proposes what comes next in the generations of one conversation, and learns from what came.
///
/// Each proposer is judged by what it would have proposed, whether that was tried or not: one that is wrong costs nothing
/// but its own time, and is back as soon as it is right again.
public final class Speculator {
  /// What a pass costs by the number of its tokens; what all sessions over the base learn of it if nil.
  var costs: PassCosts?

  private let proposers: [any TokenProposer]
  private let draft: DraftProposer?
  // Passes that the draft is left alone for while it is not worth its time, and those since it was asked.
  private var patience = 0
  private var rest = 0
  private var isProbe = false
  private var rates = AcceptanceRates()
  // What was proposed since the last pass, as far as it has come.
  private var trials: [Trial] = []

  private struct Trial {
    let source: ProposalSource
    // Tokens of others that have to come first.
    var lead: ArraySlice<Int32> = []
    var rest: ArraySlice<ProposedToken>
  }

  /// Tokens that are proposed at once, at most.
  static let limit = PassCosts.count - 1

  /// Proposes what comes in the generations of `session`.
  ///
  /// - Throws: As ``ModelSession``, for the session of a draft model.
  public convenience init(
    _ speculation: Speculation, for session: ModelSession
  ) throws(BaseModelError) {
    var proposers: [any TokenProposer] = [ConversationProposer()]
    if let store = speculation.store { proposers.append(StoreProposer(store)) }
    var draft: DraftProposer?
    if let model = speculation.draft {
      draft = try DraftProposer(
        model, contextLength: session.contextLength, operations: session.operations)
    }
    self.init(only: proposers, draft: draft, costs: speculation.costs?.over(session.model))
  }

  /// Proposes what came earlier in the conversation, and what `proposers` do.
  ///
  /// - Parameters:
  ///   - proposers: Further ones, which are used for no other conversation.
  ///   - costs: What passes cost on this machine; learned from the passes themselves if nil.
  public convenience init(proposers: [any TokenProposer] = [], costs: PassCosts? = nil) {
    self.init(only: [ConversationProposer()] + proposers, costs: costs)
  }

  /// Proposes what `proposers` do and what a grammar forces.
  init(only proposers: [any TokenProposer], draft: DraftProposer? = nil, costs: PassCosts? = nil) {
    (self.proposers, self.draft, self.costs) = (proposers, draft, costs)
  }

  /// A token that could be tried.
  struct Candidate {
    let token: Int32
    let source: ProposalSource
    /// The probability that it comes, and all before it.
    let probability: Double
  }

  /// What is to be proposed for.
  struct Request {
    /// The prompt and all that came since.
    let history: [Int32]
    /// Tokens to propose at most.
    let limit: Int
    /// Chooses the next token.
    let sampler: Sampler
    /// Tokens that the pass evaluates anyway, and the texts that go on with it.
    var rows = 1
    var turns = 1
    /// What the pass costs.
    var costs = PassCosts()
    /// Tokens that a text of the pass has behind it, about.
    var context = 0
  }

  /// The best proposal for `request` of tokens that `constraint` allows.
  func candidates(
    _ request: Request, constraint: inout (any TokenConstraint)?, isCancelled: () -> Bool
  ) -> [Candidate] {
    trials.removeAll(keepingCapacity: true)
    let (history, limit) = (request.history, min(request.limit, Self.limit))
    guard limit > 0 else { return [] }
    var best: [Candidate] = []
    var most = 0.0
    for proposer in proposers {
      let proposal = proposer.propose(after: history, limit: limit).prefix(limit)
      if !proposal.isEmpty { trials.append(Trial(source: proposer.source, rest: proposal)) }
      let candidates = follow(proposal, of: proposer.source, behind: [], limit, &constraint)
      let gain = candidates.reduce(0) { $0 + $1.probability }
      if gain > most { (best, most) = (candidates, gain) }
    }
    let drafted = ask(draft, request, beside: best, &constraint, isCancelled)
    return drafted.reduce(0) { $0 + $1.probability } > most ? drafted : best
  }

  /// What the draft proposes, where its time seems worth while beside `others`; it goes on behind those of them that are
  /// likelier than what it says itself.
  ///
  /// Where not, it is asked for a token that no pass tries, to see whether it is right again: the rarer the more often it
  /// was not.
  private func ask(
    _ draft: DraftProposer?, _ request: Request, beside others: [Candidate],
    _ constraint: inout (any TokenConstraint)?, _ isCancelled: () -> Bool
  ) -> [Candidate] {
    guard let draft else { return [] }
    let (costs, limit) = (request.costs, min(request.limit, Self.limit))
    let time = draft.secondsPerToken ?? draft.sizeRatio * costs.time(1, after: request.context)
    let lead = likelier(others, than: rates.rate(of: .draft)).prefix(limit - 1)
    var (length, most) = length(
      of: request, behind: lead, beside: others, secondsPerToken: time)
    rest += 1
    isProbe = length == 0
    if isProbe {
      guard rest > patience else { return [] }
      length = 1
    }
    rest = 0
    let step =
      costs.time(request.rows + lead.count + length, after: request.context)
      - costs.time(request.rows + lead.count, after: request.context)
    most = min(0.5, most * (time + step / Double(length)))
    let known = lead.map(\.token)
    let proposal = draft.propose(
      DraftProposer.Request(
        history: request.history, lead: lead, limit: length, judge: request.sampler,
        rate: { [rates] in rates.rate($0, of: .draft) }, threshold: most),
      isCancelled: isCancelled,
      allowed: { tokens in
        guard constraint != nil else { return nil }
        var mask = TokenMask(count: request.sampler.vocabularySize)
        return constraint?.markAllowed(in: &mask, behind: known + tokens) == true ? mask : nil
      },
      continuation: { tokens in
        constraint?.continuation(of: known + tokens, limit: known.count + length)
          .dropFirst(known.count).map { $0 }
          ?? tokens.map { PossibleToken(token: $0, isForced: false) }
      })
    trials.append(Trial(source: .draft, lead: known[...], rest: proposal[...]))
    return isProbe ? [] : follow(proposal[...], of: .draft, behind: lead, limit, &constraint)
  }

  /// The first of `candidates`, each of which comes at least as often as `rate` where all before it do.
  private func likelier(_ candidates: [Candidate], than rate: Double) -> ArraySlice<Candidate> {
    var before = 1.0
    return candidates.prefix { candidate in
      defer { before = candidate.probability }
      return candidate.probability >= rate * before
    }
  }

  /// How many tokens of the draft behind `lead` give most tokens per time, and what that is; none where `others` give more
  /// without it.
  private func length(
    of request: Request, behind lead: ArraySlice<Candidate>, beside others: [Candidate],
    secondsPerToken time: Double
  ) -> (length: Int, most: Double) {
    let (costs, turns) = (request.costs, Double(request.turns))
    let known = others.map(\.probability)
    let used = known.prefix(costs.best([known], rows: request.rows, after: request.context)[0])
    func yield(_ expected: [Double], before: Double = 0) -> Double {
      costs.yield(
        expected, rows: request.rows, turns: request.turns, after: request.context, before: before)
    }
    var (length, most) = (0, Self.margin * yield(Array(used)))
    var expected = lead.map(\.probability)
    let rate = rates.rate(of: .draft)
    for count in 1...min(request.limit, Self.limit) - lead.count {
      expected.append((expected.last ?? 1) * rate)
      let yield = yield(expected, before: Double(count) * turns * time)
      if yield > most { (length, most) = (count, yield) }
    }
    return (length, most)
  }

  /// What a draft has to promise beyond what comes without it.
  private static let margin = 1.03
  /// Passes that a draft is left alone for when it has turned out to be wrong; twice as many each further time.
  private static let patienceLimits = 8...4096

  /// `lead` and what is left of `proposal` behind it beside a grammar, with what that forces.
  private func follow(
    _ proposal: ArraySlice<ProposedToken>, of source: ProposalSource,
    behind lead: ArraySlice<Candidate>, _ limit: Int, _ constraint: inout (any TokenConstraint)?
  ) -> [Candidate] {
    let tokens = lead.map(\.token) + proposal.map(\.token)
    let possible =
      constraint?.continuation(of: tokens, limit: limit)
      ?? tokens.map { PossibleToken(token: $0, isForced: false) }
    var rest = proposal
    var probability = lead.last?.probability ?? 1
    return lead
      + possible.dropFirst(lead.count).map { step in
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
      if let due = trials[index].lead.popFirst() {
        if due != token { trials.remove(at: index) }
        continue
      }
      guard let proposed = trials[index].rest.popFirst() else { continue }
      let isRight = proposed.token == token
      rates.note(proposed, of: trials[index].source, isRight: isRight)
      if trials[index].source == .draft { beMorePatient(unless: isRight) }
      if !isRight { trials.remove(at: index) }
    }
  }
}

extension Speculator {
  /// A draft that is used is asked each time; in probes one that was wrong is asked after twice as long, one that was right
  /// after half: it may be right and yet too slow.
  private func beMorePatient(unless isRight: Bool) {
    guard isProbe else { return patience = 0 }
    let limits = Self.patienceLimits
    let next = isRight ? patience / 2 : 2 * patience
    patience = min(max(next, limits.lowerBound), limits.upperBound)
  }
}
