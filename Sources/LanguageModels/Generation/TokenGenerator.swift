public import Grammars

/// Generates the continuation of a prompt, one token at a time.
///
/// The generator knows nothing of text: a tokenizer and a chat format stand before and after it.
public final class TokenGenerator {
  /// What it evaluates with.
  public let session: ModelSession
  /// What it has done so far.
  public var statistics: GenerationStatistics { noted }

  /// Whether no further token comes: it is finished, was stopped, or failed.
  public var hasEnded: Bool { noted.finish != nil || isStopped || failure != nil }

  /// The error that ended it; nil where none did, and where it was cancelled, as it can go on then.
  public private(set) var failure: BaseModelError?
  private var isStopped = false

  /// How many of the likeliest tokens are told of with each token that comes; nil for no ``report``.
  ///
  /// Then no token comes without a pass, not even where a constraint leaves no choice.
  package var reporting: Int?
  /// What the model made of the last token, before anything kept it from another one.
  package private(set) var report: TokenReport?

  private var noted = GenerationStatistics()
  private var options: SamplingOptions
  private let stopTokens: Set<Int32>
  private var sampler: Sampler
  private var constraint: (any TokenConstraint)?
  private let speculator: Speculator?
  // What the last pass tried that has not come yet, and how much of it came.
  private var tried: ArraySlice<Speculator.Candidate> = []
  private var mask: TokenMask
  // What of the text `mask` is for, and how much of it may still come.
  private var marked: (count: Int, room: Int)?
  private var forced: ArraySlice<Int32> = []
  // Tokens that the model has not seen yet: the prompt, then each token that came out.
  private(set) var pending: [Int32]
  // Those of them that are the prompt's.
  private var promptLeft: Int
  private var history: [Int32]
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant

  /// Prepares the continuation of `prompt`: all tokens of the conversation from the first on.
  ///
  /// What `session` or its pool holds of the prompt's beginning is used again, the rest of its tokens are forgotten. With a
  /// `constraint`, no token comes that it does not allow. With a `speculator` the same tokens come sooner.
  ///
  /// - Throws: `.emptyPrompt`, `.contextExceeded` when the prompt leaves no room for a token, or
  ///   `.invalidOption`.
  public init(
    _ session: ModelSession, prompt: [Int32], options: SamplingOptions = SamplingOptions(),
    stopTokens: Set<Int32> = [], constraint: (any TokenConstraint)? = nil,
    speculator: Speculator? = nil
  ) throws(BaseModelError) {
    try options.check()
    guard !prompt.isEmpty else { throw .emptyPrompt }
    guard prompt.count <= session.contextLength else {
      throw .contextExceeded(limit: session.contextLength, needed: prompt.count)
    }
    start = clock.now
    (self.session, self.options, self.stopTokens) = (session, options, stopTokens)
    let seed = options.drawnSeed
    let vocabularySize = session.model.configuration.vocabularySize
    try options.shifts.check(vocabularySize)
    sampler = Sampler(
      options, seed: seed, vocabularySize: vocabularySize, promptCount: prompt.count)
    (self.constraint, self.speculator) = (constraint, speculator)
    mask = TokenMask(count: constraint == nil ? 0 : vocabularySize)
    // The last token is always evaluated: its logits choose the first token of the answer.
    session.begin(prompt)
    session.adopt(prompt.dropLast())
    let shared = zip(session.tokens, prompt.dropLast()).prefix { $0 == $1 }.count
    session.truncate(to: shared)
    pending = Array(prompt.dropFirst(shared))
    promptLeft = pending.count
    history = prompt
    history.reserveCapacity(session.contextLength)
    noted.seed = seed
    noted.isActivated = session.adapters.isEmpty ? nil : session.start != nil
    noted.reusedTokens = shared
  }

  /// The next token; nil after a stop token or the maximum number of tokens.
  ///
  /// - Throws: `.contextExceeded` when the session is full, `.cancelled` within a layer of `isCancelled`
  ///   becoming true, `.nonFiniteLogits`, `.diverged`, `.tokenOutsideVocabulary`, `.noTokenAllowed`, or what the constraint throws.
  ///   What came out before stays valid; but for the second, the same error comes again.
  public func next(
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> Int32? {
    if let failure { throw failure }
    guard goesOn() else { return nil }
    return try failing { () throws(BaseModelError) in
      if let token = try takeForcedToken() { return token }
      while try !catchUp(isCancelled) {
        if let passes = session.passes {
          try passes.advance(self, isCancelled)
        } else {
          try session.alone.advance([self], isCancelled)
        }
        if let failure { throw failure }
      }
      return try takeToken()
    }
  }

  /// Lets no further token come, as nobody waits for one; what it has in common with others, such as a batch, goes on without it.
  public func stop() {
    guard !hasEnded else { return }
    leaveSession()
    isStopped = true
  }

  /// What `body` gives; an error of it ends the generation, unless it was cancelled.
  func failing<R>(_ body: () throws(BaseModelError) -> R) throws(BaseModelError) -> R {
    do throws(BaseModelError) { return try body() } catch {
      end(by: error)
      throw error
    }
  }

  /// As ``failing(_:)``, and nil where it has ended.
  func trying<R>(_ body: () throws(BaseModelError) -> R) throws(BaseModelError) -> R? {
    do throws(BaseModelError) { return try failing(body) } catch {
      if error == .cancelled { throw error }
      return nil
    }
  }

  func end(by error: BaseModelError) {
    guard error != .cancelled else { return }
    leaveSession()
    failure = error
  }

  /// Whether another token may come.
  func goesOn() -> Bool {
    guard !hasEnded else { return false }
    guard noted.generatedTokens < options.maximumTokens else {
      finish(isWhole() ? .stopToken : .length)
      return false
    }
    return true
  }

  /// Lets at most `count` more tokens come, by which a constraint ends its text.
  package func endSoon(within count: Int) {
    options.maximumTokens = min(options.maximumTokens, noted.generatedTokens + count)
  }

  /// Whether the constraint lets nothing come any more but the end.
  private func isWhole() -> Bool {
    guard constraint != nil, forced.isEmpty else { return false }
    marked = nil
    mask.removeAll()
    constraint?.limit(to: .max)
    guard (try? constraint?.markAllowed(in: &mask)) != nil, !mask.isEmpty else { return false }
    for token in stopTokens where (0..<mask.count).contains(Int(token)) { mask[token] = false }
    return mask.isEmpty
  }

  private func finish(_ finish: GenerationStatistics.Finish) {
    leaveSession()
    noted.finish = finish
  }

  private func leaveSession() {
    session.forgetProposals()
    noted.logitsHash = session.logitsHash
  }

  /// The token that the session's logits lead to; nil after a stop token.
  func takeToken() throws(BaseModelError) -> Int32? {
    let token = try chooseToken()
    if noted.timeToFirstToken == nil {
      noted.timeToFirstToken = start.duration(to: clock.now)
    }
    guard !stopTokens.contains(token) else {
      finish(.stopToken)
      return nil
    }
    report = reporting.map { count in
      session.withLogits { TokenReport(of: token, $0, likeliest: count) }
    }
    return try accept(token)
  }

  /// The next of the tokens that the constraint leaves no choice about; the model sees them all in one pass later.
  func takeForcedToken() throws(BaseModelError) -> Int32? {
    guard reporting == nil else { return nil }
    if forced.isEmpty {
      forced = try asking { (constraint) throws(GrammarDefect) in
        try constraint?.forcedTokens() ?? []
      }[...]
    }
    // What the session has no room for would never be evaluated.
    guard history.count < session.contextLength, let token = forced.popFirst() else { return nil }
    return try accept(token)
  }

  /// Takes `token` as the next one of the text.
  private func accept(_ token: Int32) throws(BaseModelError) -> Int32 {
    try asking { (constraint) throws(GrammarDefect) in try constraint?.advance(past: token) }
    noted.generatedTokens += 1
    speculator?.note(token)
    history.append(token)
    pending.append(token)
    return token
  }

  /// What the constraint answers, or its error as one of a generation.
  private func asking<Answer>(
    _ question: (inout (any TokenConstraint)?) throws(GrammarDefect) -> Answer
  ) throws(BaseModelError) -> Answer {
    do { return try question(&constraint) } catch { throw .grammar(error) }
  }

  private func chooseToken() throws(BaseModelError) -> Int32 {
    var allowed: TokenMask?
    if constraint != nil {
      try mark()
      guard !mask.isEmpty else { throw .noTokenAllowed(position: history.count) }
      allowed = mask
    }
    guard let token = draw(allowed) else { throw session.notFinite(at: history.count - 1) }
    return token
  }

  /// Marks what may come next in `mask`.
  private func mark() throws(BaseModelError) {
    let room = min(
      options.maximumTokens - noted.generatedTokens, session.contextLength - history.count)
    if let marked, marked == (history.count, room) { return }
    marked = nil
    mask.removeAll()
    try asking { (constraint) throws(GrammarDefect) in
      constraint?.limit(to: room)
      try constraint?.markAllowed(in: &mask)
    }
    marked = (history.count, room)
  }

  /// The tokens whose logits choose what comes behind what is pending, and behind the `proposals` that may follow it; nil where
  /// those of all tokens may.
  func wanted(behind proposals: ArraySlice<Int32>) -> TokenMask? {
    guard constraint != nil, reporting == nil, forced.isEmpty else { return nil }
    guard (try? mark()) != nil, mask.groups != nil else { return nil }
    var wanted = mask
    for end in proposals.indices {
      var mask = TokenMask(count: wanted.count)
      let behind = Array(proposals[...end])
      guard constraint?.markAllowed(in: &mask, behind: behind) == true else { return nil }
      wanted.formUnion(mask)
      guard wanted.groups != nil else { return nil }
    }
    return wanted
  }

  /// The token that is due; nil when a logit that counts is not finite.
  private func draw(_ allowed: TokenMask?) -> Int32? {
    let isWhole = allowed.map(session.hasLogits) ?? true
    guard sampler.takesMostLikely else {
      return session.withLogits { sampler.next($0, after: history, allowed: allowed) }
    }
    let best = isWhole ? session.mostLikelyToken : nil
    guard let allowed else { return best }
    return best.flatMap { allowed[$0] ? $0 : nil } ?? mostLikely(allowed)
  }

  /// The token of `allowed` of the highest logit, the lowest of several; nil when one is not finite.
  private func mostLikely(_ allowed: TokenMask) -> Int32? {
    session.withLogits { logits in
      var best: Int32?
      var isFinite = true
      allowed.forEach { token in
        isFinite = isFinite && logits[Int(token)].isFinite
        if best.map({ logits[Int(token)] > logits[Int($0)] }) ?? true { best = token }
      }
      return isFinite ? best : nil
    }
  }

  /// What passes cost, as far as it is known.
  var costs: PassCosts { speculator?.costs ?? session.model.passCosts }

  /// Goes through what is pending for as long as it was proposed and evaluated before; true once nothing is left.
  func catchUp(_ isCancelled: () -> Bool) throws(BaseModelError) -> Bool {
    while let token = pending.first, session.hasProposed(token) {
      if isCancelled() { throw .cancelled }
      session.goOn()
      pending.removeFirst()
      noted.decodedTokens += 1
      if let candidate = tried.first {
        noted.proposals[candidate.source, default: ProposalCounts()]
          .note(tried.startIndex, isAccepted: true)
        tried.removeFirst()
      }
    }
    return pending.isEmpty
  }

  /// What could be tried in the pass that is due; nothing beyond what the answer may still have.
  ///
  /// The pass goes on with `turns` texts, and evaluates `rows` tokens anyway. They come after about `context` others.
  func candidates(
    rows: Int, turns: Int, costs: PassCosts, after context: Int, _ isCancelled: () -> Bool
  ) -> [Speculator.Candidate] {
    guard let speculator, pending.count < PassCosts.count else { return [] }
    // Nothing is guessed behind a prompt that took several passes.
    guard promptLeft == 0 || noted.promptTokens == 0 else { return [] }
    let begin = clock.now
    defer { noted.decodeTime += begin.duration(to: clock.now) }
    let request = Speculator.Request(
      history: history, limit: options.maximumTokens - noted.generatedTokens - 1,
      sampler: sampler, rows: rows, turns: turns, costs: costs, context: context)
    let candidates = speculator.candidates(
      request, constraint: &constraint, isCancelled: isCancelled)
    // Nothing comes behind what ends the text.
    return Array(candidates.prefix { !stopTokens.contains($0.token) })
  }

  /// Whether the next pass reads the prompt.
  var isReading: Bool { promptLeft > 0 }

  /// Takes over what others have read meanwhile of the same prompt's beginning.
  func takeWhatIsRead() {
    guard isReading else { return }
    let held = session.count
    session.adopt(history.dropLast(noted.generatedTokens + 1))
    let found = session.count - held
    pending.removeFirst(found)
    promptLeft -= found
    noted.reusedTokens += found
  }

  /// Learns what a pass of `rows` tokens of this text alone takes.
  func noteCosts(_ rows: Int, after context: Int, _ time: Duration) {
    guard let speculator else { return }
    if speculator.costs != nil {
      speculator.costs?.note(rows, after: context, time)
    } else {
      session.model.notePass(rows, after: context, time)
    }
  }

  /// Notes that in a pass that took so much time the session has seen the next `count` tokens of what was pending, and of
  /// `candidates` what it could.
  func notePass(_ time: Duration, _ count: Int, _ candidates: [Speculator.Candidate]) {
    if isReading {
      // Forced tokens may stand behind the prompt already.
      let read = min(count, promptLeft)
      promptLeft -= read
      noted.promptTokens += read
      noted.prefillTime += time
    } else {
      noted.decodePasses += 1
      noted.decodedTokens += count
      noted.decodeTime += time
    }
    pending.removeFirst(count)
    tried = candidates.prefix(session.proposed)
    for (place, candidate) in tried.enumerated() {
      noted.proposals[candidate.source, default: ProposalCounts()].note(place, isAccepted: false)
    }
  }
}
