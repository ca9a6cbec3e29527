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
