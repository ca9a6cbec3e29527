import Adapters
import Grammars
import Kernels
public import TensorFiles

/// A small model that guesses what a base says next; it has the base's tokens.
///
/// Tokens that only fill an embedding up to some multiple do not count, and one of the two may have a few at its end that
/// the other lacks: what the draft has beyond the base is never guessed. Where the head would be most of what it costs, it may be restricted to some of them: the rows of `output.weight` are
/// then of the tokens that the key `fmadapter.draft.tokens` lists in rising order.
public struct DraftModel: Sendable {
  /// The model.
  public let model: LanguageModel
  /// The base's number of tokens; what is beyond is not guessed.
  let vocabularySize: Int
  /// Bytes that a pass reads, those of the base being 1.
  let sizeRatio: Double

  /// Opens the model in the file at `path`, and compares it with the base that it is to guess for.
  ///
  /// - Throws: As ``LanguageModel/init(path:)``, and `.draft`.
  public init(path: String, for base: LanguageModel) throws(LanguageModelError) {
    try self.init(LanguageModel(path: path, isDraft: true), for: base)
  }

  /// Compares `model` with the base that it is to guess for.
  ///
  /// - Throws: `.draft` when it is larger than the base, or when a token of it is another one than the base's.
  public init(_ model: LanguageModel, for base: LanguageModel) throws(LanguageModelError) {
    func require(_ holds: Bool, _ defect: DraftDefect) throws(LanguageModelError) {
      guard holds else { throw .draft(defect, file: model.path) }
    }
    let (size, limit) = (model.weights.parameters, base.weights.parameters)
    try require(size <= limit, .larger(parameters: size, base: limit))
    let (rows, wanted) = (model.configuration.vocabularySize, base.configuration.vocabularySize)
    switch (try Self.tokens(model), try Self.tokens(base)) {
    case (nil, nil): try require(rows == wanted, .vocabularySize(rows, base: wanted))
    case (let tokens?, let others?):
      try require(tokens.count <= rows, .vocabularySize(rows, base: others.count))
      switch tokens.difference(from: others) {
      case .token(let token): throw .draft(.token(token), file: model.path)
      case .count(let count, let other):
        throw .draft(.vocabularySize(count, base: other), file: model.path)
      case nil: break
      }
    default: throw .draft(.token(0), file: model.path)
    }
    self.model = model
    vocabularySize = wanted
    sizeRatio = Double(model.weights.bytesPerPass) / Double(base.weights.bytesPerPass)
  }

  /// The tokens as they are stored; nil in a file without a tokenizer.
  private static func tokens(_ model: LanguageModel) throws(LanguageModelError) -> RealTokens? {
    do {
      return try model.file.metadata.strings("tokenizer.ggml.tokens").map {
        RealTokens($0, model.file)
      }
    } catch {
      throw .tensorFile(error)
    }
  }

  /// Seconds that a token takes in use, where each few come after a pass of `base`, which takes the caches; the fastest of
  /// `repetitions` counts.
  ///
  /// - Throws: as ``ModelSession/evaluate(_:isCancelled:)``.
  public func secondsPerToken(
    beside base: LanguageModel, threads: Int? = nil, repetitions: Int = 5,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(LanguageModelError) -> Double {
    func session(_ model: LanguageModel) throws(LanguageModelError) -> ModelSession {
      try ModelSession(
        model, contextLength: min(model.configuration.contextLength, 8), threads: threads)
    }
    let (own, other) = (try session(model), try session(base))
    let count = min(3, own.contextLength)
    var fastest = Double.infinity
    for _ in 0...max(1, repetitions) {
      other.truncate(to: 0)
      own.truncate(to: 0)
      try other.evaluate([0], isCancelled: isCancelled)
      let begin = ContinuousClock.now
      for _ in 0..<count { try own.evaluate([0], isCancelled: isCancelled) }
      fastest = min(fastest, begin.duration(to: .now) / .seconds(1) / Double(count))
    }
    return max(fastest, 1e-9)
  }
}

/// A way in which a draft model can be wrong for its base.
public enum DraftDefect: Error, Equatable, Sendable {
  /// It has more parameters than the base, so that guessing costs more than knowing.
  case larger(parameters: Int, base: Int)
  /// It has another number of tokens.
  case vocabularySize(Int, base: Int)
  /// One of its tokens is another one than the base's.
  case token(Int)
}

extension DraftDefect: ExplainedError {
  /// What is wrong, without the file, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .larger(let parameters, let base):
      "the draft has \(Figures.grouped(parameters)) parameters, more than the \(Figures.grouped(base)) of the base"
        + "\(remedy: "use a smaller one, or none", command: "use a smaller one, or none with --draft off")"
    case .vocabularySize(let count, let base):
      "the draft has \(Figures.grouped(count)) tokens, but the base has \(Figures.grouped(base))"
        + "\(remedy: "use a draft with the tokenizer of the base")"
    case .token(let token):
      "token \(token) of the draft is another one than the base's"
        + "\(remedy: "use a draft with the tokenizer of the base")"
    }
  }
}

/// Lets a draft model go on with a text; its keys and values are kept from one proposal to the next.
final class DraftProposer {
  /// Seconds that a token takes, of late; nil before the first.
  private(set) var secondsPerToken: Double?
  /// Tokens that it has drawn.
  private(set) var drawn = 0
  /// For tests: whether its time counts for nothing.
  var isFree = false

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
  ) throws(LanguageModelError) {
    let configuration = draft.model.configuration
    session = try ModelSession(
      draft.model, contextLength: min(contextLength, configuration.contextLength),
      operations: operations)
    tokens = draft.model.outputTokens
    outputs = tokens.map { tokens in
      Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, Int32($0)) })
    }
    let count = tokens?.count ?? configuration.vocabularySize
    sampler = Sampler(GenerationOptions(), seed: 0, vocabularySize: count)
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
    var recent = Array(history.suffix(Sampler.penalizedTokens))
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
    if drawn > 0, !isFirst || isFree {
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
    let seconds = isFree ? 0 : time / .seconds(1) / Double(tokens)
    guard let known = secondsPerToken else { return secondsPerToken = seconds }
    // What was disturbed says little.
    secondsPerToken = known + (seconds < known ? 0.4 : 0.2) * (min(seconds, 2 * known) - known)
  }
}
