import Grammars
import Kernels

/// Lets a draft model go on with a text; its keys and values are kept from one proposal to the next.
final class DraftProposer {
  /// Seconds that a token takes, of late; nil before the first.
  private(set) var secondsPerToken: Double?
  /// Tokens that it has drawn.
  private(set) var drawn = 0
  /// For tests: what counts as the seconds that a token takes.
  var fixedSeconds: Double?

  /// For benchmarks: what is proposed in the place of the draft's own tokens.
  var replacement: Replacement?

  /// Bytes that a pass reads, those of the base being 1.
  let sizeRatio: Double

  private let session: ModelSession
  private var sampler: Sampler
  // The tokens of the outputs, and back; nil where they are the same.
  private let tokens: [Int32]?
  private let outputs: [Int32: Int32]?
  // The outputs of tokens that the base has; nil where it has all.
  private let known: TokenMask?

  /// What is forced behind a token of the draft's; such tokens say nothing about it.
  private static let forcedKind = 15

  /// Prepares `draft` for texts of `contextLength` tokens, or as many as it can take.
  init(
    _ draft: DraftModel, contextLength: Int, operations: Operations
  ) throws(BaseModelError) {
    let configuration = draft.model.configuration
    session = try ModelSession(
      draft.model, contextLength: min(contextLength, configuration.contextLength),
      operations: operations)
    tokens = draft.model.outputTokens
    outputs = tokens.map { tokens in
      Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, Int32($0)) })
    }
    let count = tokens?.count ?? configuration.vocabularySize
    sampler = Sampler(SamplingOptions(), seed: 0, vocabularySize: count)
    sizeRatio = draft.sizeRatio
    let size = Int32(draft.vocabularySize)
    if let tokens, let last = tokens.last, last >= size {
      known = TokenMask(count: count, marking: tokens.indices.lazy.filter { tokens[$0] < size })
    } else if tokens == nil, count > size {
      known = TokenMask(count: count, marking: 0..<Int(size))
    } else {
      known = nil
    }
  }

  /// What a proposal may be.
  struct Request {
    let history: [Int32]
    /// What others propose behind it, which the draft goes on with.
    var lead: ArraySlice<Speculator.Candidate> = []
    /// Tokens of the draft's own at most.
    let limit: Int
    /// The sampler that will judge it.
    let judge: Sampler
    /// The probability that a token comes where all before it do.
    let rate: (ProposedToken) -> Double
    /// Where the whole proposal is less likely, another token is not worth its time.
    let threshold: Double
  }

  /// The tokens that the draft chooses with the random numbers that are due, and those that are forced between them.
  ///
  /// It ends where the draft cannot go on: the base can without it.
  func propose(
    _ request: Request, isCancelled: () -> Bool, allowed: ([Int32]) -> TokenMask?,
    continuation: ([Int32]) -> [PossibleToken]
  ) -> [ProposedToken] {
    let history = request.history + request.lead.map(\.token)
    guard let missing = catchUp(history, isCancelled) else { return [] }
    let begin = ContinuousClock.now
    guard (try? session.evaluate(missing, isCancelled: isCancelled)) != nil else { return [] }
    sampler.follow(request.judge)
    // What a grammar forces is not drawn.
    sampler.skip(request.lead.count { $0.source != .grammar })
    var recent = Array(history.suffix(request.judge.penalizedTokens))
    var proposal: [ProposedToken] = []
    var (probability, drawn) = (1.0, 0)
    while proposal.count < request.limit, probability > request.threshold {
      let mask = outputs(of: allowed(proposal.map(\.token)))
      guard
        let next = draw(after: recent, place: history.count + proposal.count, of: mask)
      else { break }
      drawn += 1
      let possible = continuation(proposal.map(\.token) + [next.token])
      guard possible.count > proposal.count else { break }
      let more = possible[proposal.count...].map(\.token)
      proposal.append(next)
      proposal += more.dropFirst().map { ProposedToken($0, prior: 1, kind: Self.forcedKind) }
      probability *= request.rate(next)
      recent += more
      guard proposal.count < request.limit, probability > request.threshold,
        (try? session.evaluate(more, isCancelled: isCancelled)) != nil
      else { break }
    }
    // The first time weights may not be at hand yet.
    let isFirst = self.drawn == 0
    self.drawn += drawn
    if drawn > 0, !isFirst || fixedSeconds != nil {
      note(begin.duration(to: .now), tokens: drawn)
    }
    return proposal
  }

  /// The token that is due, one of the outputs `allowed` if they are given; how sure the draft is of it shows in how far
  /// its logit is above all others.
  private func draw(
    after recent: [Int32], place: Int, of allowed: TokenMask?
  ) -> ProposedToken? {
    if let allowed, allowed.isEmpty { return nil }
    let history = outputs.map { outputs in recent.compactMap { outputs[$0] } } ?? recent
    return session.withLogits { logits in
      guard let output = sampler.next(logits, after: history, allowed: allowed) else { return nil }
      var best = -Float.infinity
      for index in logits.indices where index != Int(output) && logits[index] > best {
        if allowed.map({ $0[Int32(index)] }) ?? true { best = logits[index] }
      }
      let margin = Double(logits[Int(output)] - best)
      return ProposedToken(
        replacement?[place] ?? tokens?[Int(output)] ?? output,
        prior: 0.3 + 0.6 * min(max(margin / 4, 0), 1),
        kind: margin < 0 ? 0 : 1 + Int(min(margin * 2, 13)))
    }
  }

  /// The outputs of the tokens `allowed`, without those that the base lacks; nil where those are all.
  private func outputs(of allowed: TokenMask?) -> TokenMask? {
    guard let allowed else { return known }
    // A grammar allows what the base has.
    guard let tokens else { return allowed.resized(to: session.model.configuration.vocabularySize) }
    return TokenMask(
      count: tokens.count,
      marking: tokens.indices.lazy.filter { place in
        Int(tokens[place]) < allowed.count && allowed[tokens[place]]
      })
  }

  /// Lets the draft see what it has not seen of `history` but for the last tokens, which a single pass takes and which are the
  /// answer; nil where it cannot.
  ///
  /// What came while it was not asked says nothing about the time that a token takes.
  private func catchUp(_ history: [Int32], _ isCancelled: () -> Bool) -> [Int32]? {
    guard history.count < session.contextLength else { return nil }
    let shared = zip(session.tokens, history.dropLast()).prefix { $0 == $1 }.count
    session.truncate(to: shared)
    let missing = history[shared...]
    guard missing.count > Self.few else { return Array(missing) }
    let earlier = Array(missing.dropLast())
    guard (try? session.evaluate(earlier, isCancelled: isCancelled)) != nil else { return nil }
    return Array(missing.suffix(1))
  }

  /// Tokens that the draft has missed, at most, when it is asked before each pass: those that came after its own.
  private static let few = 2

  private func note(_ time: Duration, tokens: Int) {
    let seconds = fixedSeconds ?? time / .seconds(1) / Double(tokens)
    guard let known = secondsPerToken else { return secondsPerToken = seconds }
    // What was disturbed says little.
    secondsPerToken = known + (seconds < known ? 0.4 : 0.2) * (min(seconds, 2 * known) - known)
  }
}
