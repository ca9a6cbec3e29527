import Kernels

/// Several continuations over one base, a pass for all of them at a time.
///
/// While they decode, the weights are read once for all of them; the tokens are those that each would get alone.
public final class GenerationBatch {
  /// The continuations, in the order in which tokens are handed out.
  public private(set) var generators: [TokenGenerator]
  private let batch: SessionBatch?
  // What a pass for all costs.
  private var costs = PassCosts()
  private let clock = ContinuousClock()

  /// Puts `generators` together; traps unless their sessions are different ones over one base.
  public init(_ generators: [TokenGenerator]) {
    self.generators = generators
    if let costs = generators.first?.costs { self.costs = costs }
    batch = generators.count > 1 ? SessionBatch(generators.map(\.session)) : nil
  }

  /// Puts another continuation in the place of one, on the same session; traps on another one.
  public func replace(_ index: Int, by generator: TokenGenerator) {
    precondition(generator.session === generators[index].session, "another session")
    generators[index] = generator
  }

  /// Hands out the next tokens of each that has not ended, with its place in ``generators``; false once all have.
  ///
  /// First come those that need no pass: forced ones, and what was proposed and turned out right. Then a pass for all of
  /// them brings each one more, so that none has to be without the company of the others.
  ///
  /// - Throws: as ``TokenGenerator/next(isCancelled:)`` for the first that fails, which has a ``TokenGenerator/failure`` then, as all have
  ///   whose pass fails. What came out before stays valid, and the others go on with the next call.
  public func next(
    isCancelled: () -> Bool = { Task.isCancelled },
    eachToken body: (_ index: Int, _ token: Int32) -> Void
  ) throws(BaseModelError) -> Bool {
    let active = generators.indices.filter { generators[$0].goesOn() }
    var waiting: [Int] = []
    for index in active {
      let waits = try generators[index].failing { () throws(BaseModelError) in
        try handOut(index, isCancelled, body)
      }
      if waits { waiting.append(index) }
    }
    // One that was stopped by what took a token of another waits no longer.
    try evaluate(waiting.filter { !generators[$0].hasEnded }, isCancelled)
    for index in waiting where !generators[index].hasEnded {
      let token = try generators[index].failing { () throws(BaseModelError) in
        try generators[index].takeToken()
      }
      if let token { body(index, token) }
    }
    return !active.isEmpty
  }

  /// Hands out what a generator has without a pass; true where it goes on with one.
  private func handOut(
    _ index: Int, _ isCancelled: () -> Bool, _ body: (_ index: Int, _ token: Int32) -> Void
  ) throws(BaseModelError) -> Bool {
    let generator = generators[index]
    while generator.goesOn() {
      if let token = try generator.takeForcedToken() {
        body(index, token)
        continue
      }
      guard try generator.catchUp(isCancelled) else { return true }
      guard let token = try generator.takeToken() else { return false }
      body(index, token)
    }
    return false
  }

  /// Lets the sessions of `waiting` see what they have not seen yet: a few tokens of each together, prompts by themselves.
  private func evaluate(
    _ waiting: [Int], _ isCancelled: () -> Bool
  ) throws(BaseModelError) {
    let room = (batch?.rows ?? 0) / max(1, waiting.count)
    let together = waiting.filter { generators[$0].pending.count <= room }
    let isShared = together.count > 1
    for index in waiting {
      let generator = generators[index]
      try generator.failing { () throws(BaseModelError) in
        try generator.session.check(generator.pending)
        guard !isShared || generator.pending.count > room else { return }
        try generator.evaluatePending(isCancelled)
      }
    }
    guard let batch, isShared else { return }
    let known = together.reduce(0) { $0 + generators[$1].pending.count }
    let context = together.reduce(0) { $0 + generators[$1].session.count } / together.count
    var candidates = together.map {
      generators[$0].candidates(
        rows: known, turns: together.count, costs: costs, after: context, isCancelled)
    }
    let counts = costs.best(
      candidates.map { $0.map(\.probability) }, rows: known, after: context)
    for (index, count) in counts.enumerated() {
      candidates[index].removeLast(candidates[index].count - count)
    }
    let turns = zip(together, candidates).map { index, candidates in
      SessionBatch.Turn(
        session: index, tokens: generators[index].pending, proposals: candidates.map(\.token))
    }
    let begin = clock.now
    do throws(BaseModelError) { try batch.evaluate(turns, isCancelled: isCancelled) } catch {
      for index in together { generators[index].end(by: error) }
      throw error
    }
    let time = begin.duration(to: clock.now)
    costs.note(known + counts.reduce(0, +), turns: together.count, after: context, time)
    for (index, candidates) in zip(together, candidates) {
      generators[index].notePass(time, candidates)
    }
  }
}

/// Sessions over one base whose next tokens are evaluated together, in one pass over the weights.
///
/// Each session keeps its own adapters, cache and logits, and gets the same bits as alone.
final class SessionBatch {
  private let sessions: [ModelSession]
  /// Tokens that one pass takes at most, of all sessions together.
  let rows: Int
  // The rows of each session in the pass that runs.
  private let ranges: [RowRange]
  private let pass: ForwardPass

  /// Puts `sessions` together; traps unless they are different ones over one base.
  init(_ sessions: [ModelSession]) {
    guard let first = sessions.first else { preconditionFailure("a batch needs a session") }
    precondition(sessions.allSatisfy { $0.model === first.model }, "sessions over several bases")
    precondition(Set(sessions.map(ObjectIdentifier.init)).count == sessions.count, "one twice")
    self.sessions = sessions
    rows = max(sessions.count, ModelSession.batch)
    let ranges = sessions.map { _ in RowRange(0..<0) }
    let adapters = zip(sessions, ranges).flatMap { session, range in
      session.adapters.map { RowAdapter(adapter: $0, rows: range) }
    }
    self.ranges = ranges
    pass = ForwardPass(first.model, adapters: adapters, operations: first.operations, batch: rows)
  }

  /// Tokens of one session, and what may come after them.
  struct Turn {
    /// Which session.
    let session: Int
    let tokens: [Int32]
    var proposals: [Int32] = []
  }

  /// Evaluates one token for each session after those that it holds; the sessions' logits are then those of it.
  ///
  /// Where one refuses its token, no session has changed.
  func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    precondition(tokens.count == sessions.count, "a token for each session")
    try evaluate(
      tokens.enumerated().map { Turn(session: $0, tokens: [$1]) }, isCancelled: isCancelled)
  }

  /// Evaluates tokens of some of the sessions, at most ``rows`` in all, and of the proposals those that there is room for.
  func evaluate(_ turns: [Turn], isCancelled: () -> Bool) throws(BaseModelError) {
    for turn in turns { try sessions[turn.session].check(turn.tokens) }
    var free = rows - turns.reduce(0) { $0 + $1.tokens.count }
    precondition(free >= 0, "more tokens than a pass takes")
    var (parts, row): ([ForwardPass.Turn], Int) = ([], 0)
    for range in ranges { range.rows = 0..<0 }
    for turn in turns {
      let (session, known) = (sessions[turn.session], turn.tokens.count)
      session.forgetProposals()
      try session.restore(isCancelled)
      let more = session.fitting(turn.proposals, after: known, room: known + free)
      free -= more.count
      parts.append(
        ForwardPass.Turn(
          tokens: turn.tokens + more, cache: session.cache, logits: 1 + more.count, row: row))
      ranges[turn.session].rows = row..<row + known + more.count
      row += known + more.count
    }
    try pass.run(parts, isCancelled: isCancelled)
    row = 0
    for (turn, part) in zip(turns, parts) {
      sessions[turn.session].take(row..<row + part.logits, of: pass.state.logits)
      row += part.logits
    }
  }
}
