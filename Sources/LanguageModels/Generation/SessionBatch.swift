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
