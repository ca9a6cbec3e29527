/// Several continuations over one base, a token of each at a time.
///
/// While they decode, the weights are read once for all of them; the tokens are those that each would get alone.
public final class GenerationBatch {
  /// The continuations, in the order in which tokens are handed out.
  public let generators: [TokenGenerator]
  private var batch: SessionBatch?
  private let clock = ContinuousClock()

  /// Puts `generators` together; traps unless their sessions are different ones over one base.
  public init(_ generators: [TokenGenerator]) {
    self.generators = generators
  }

  /// Hands out the next token of each that has not ended, with its place in ``generators``; false once all have.
  ///
  /// - Throws: as ``TokenGenerator/next(isCancelled:)`` for the first that fails. What came out before stays valid, and
  ///   the others go on with the next call.
  public func next(
    isCancelled: () -> Bool = { Task.isCancelled },
    eachToken body: (_ index: Int, _ token: Int32) -> Void
  ) throws(LanguageModelError) -> Bool {
    let active = generators.indices.filter { generators[$0].goesOn() }
    // Prompts fill a pass by themselves; nothing is pending where the last call ended too early.
    let together = active.map { generators[$0] }.filter { $0.pending.count == 1 }
    for generator in active.map({ generators[$0] })
    where generator.pending.count > 1 || (together.count == 1 && !generator.pending.isEmpty) {
      try generator.evaluatePending(isCancelled)
    }
    if together.count > 1 { try evaluate(together, isCancelled) }
    for index in active {
      if let token = try generators[index].takeToken() { body(index, token) }
    }
    return !active.isEmpty
  }

  private func evaluate(
    _ generators: [TokenGenerator], _ isCancelled: () -> Bool
  ) throws(LanguageModelError) {
    let begin = clock.now
    let sessions = generators.map(\.session)
    if batch.map({ !$0.sessions.elementsEqual(sessions, by: ===) }) ?? true {
      batch = SessionBatch(sessions)
    }
    try batch?.evaluate(generators.flatMap(\.pending), isCancelled: isCancelled)
    let time = begin.duration(to: clock.now)
    for generator in generators { generator.notePass(time) }
  }
}

/// Sessions over one base whose next tokens are evaluated together, in one pass over the weights.
///
/// Each session keeps its own adapters, cache and logits, and gets the same bits as alone.
public final class SessionBatch {
  /// The sessions, in the order of the rows.
  public let sessions: [ModelSession]
  private let pass: ForwardPass

  /// Puts `sessions` together; traps unless they are different ones over one base.
  public init(_ sessions: [ModelSession]) {
    guard let first = sessions.first else { preconditionFailure("a batch needs a session") }
    precondition(sessions.allSatisfy { $0.model === first.model }, "sessions over several bases")
    precondition(Set(sessions.map(ObjectIdentifier.init)).count == sessions.count, "one twice")
    self.sessions = sessions
    let adapters = sessions.enumerated().flatMap { row, session in
      session.adapters.map { RowAdapter(adapter: $0, rows: row..<row + 1) }
    }
    pass = ForwardPass(
      first.model, adapters: adapters, operations: first.operations, batch: sessions.count)
  }

  /// Evaluates one token for each session after those that it holds; the sessions' logits are then those of it.
  ///
  /// - Throws: as ``ModelSession/evaluate(_:isCancelled:)`` for the first session that refuses its token; then no session
  ///   has changed.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { false }
  ) throws(LanguageModelError) {
    precondition(tokens.count == sessions.count, "a token for each session")
    for (session, token) in zip(sessions, tokens) { try session.check([token]) }
    let turns = sessions.indices.map { row in
      ForwardPass.Turn(tokens: tokens[row..<row + 1], cache: sessions[row].cache, row: row)
    }
    try pass.run(turns, logits: .all, isCancelled: isCancelled)
    for (row, session) in sessions.enumerated() { session.take(row, of: pass.state.logits) }
  }
}
