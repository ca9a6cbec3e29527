import ChatTemplates
import Chats
import Foundation

/// Makes a conversation shorter that outgrows the context of its model.
package protocol ContextReducer: Sendable {
  /// Takes out of `conversation` what it says, if that is necessary; false where nothing went.
  ///
  /// It is asked before each request, and again when the model says that its context is full: `full` is how often it has said so of this
  /// request.
  ///
  /// - Throws: What the response is to end in.
  func reduce(_ conversation: inout GrowingConversation, full: Int) async throws -> Bool
}

/// What a request takes of a context.
package struct ContextMeasure: Sendable {
  /// Tokens that the model reads.
  package let tokens: Int
  /// Tokens that the context holds.
  package let limit: Int
  let maximumResponse: Int?

  /// Tokens that are to be left for the response.
  package var room: Int { ContextRule.room(limit: limit, maximum: maximumResponse) }
  package var fits: Bool { tokens <= limit - room }
}

/// A conversation before its next request, as a reducer sees it.
package struct GrowingConversation {
  private let session: LanguageModelSession
  private let turn: SessionTurn
  private let stage: SessionStage
  private(set) var round: SessionRound
  /// Instructions, and what tools the model is told of.
  package let opening: [Transcript.Entry]
  /// The turns before the one that is being answered, the oldest first.
  package let turns: [[Transcript.Entry]]
  /// The turn that is being answered, which stays.
  package let current: [Transcript.Entry]

  init(
    _ session: LanguageModelSession, _ turn: SessionTurn, _ round: SessionRound,
    _ stage: SessionStage
  ) {
    (self.session, self.turn, self.round, self.stage) = (session, turn, round, stage)
    let entries = session.record.transcript.entries
    opening = entries.prefix { $0.asInstructions != nil }
    current = entries.since(turn)
    turns = entries.dropFirst(opening.count).dropLast(current.count).parts {
      if case .prompt = $0 { true } else { false }
    }
  }

  /// What the request takes as it is, or with `entries` in the place of all turns; nil where the model does not count.
  package func measure(_ entries: [Transcript.Entry]? = nil) async throws -> ContextMeasure? {
    guard let measure = stage.link.measure else { return nil }
    let all = entries ?? turns.flatMap(\.self)
    // The tokens of what was said are known only as long as all of it stays.
    let round = entries.map { self.round.after(Transcript(entries: opening + $0)) } ?? round
    return try await measure(
      session.engine,
      session.request(turn, round, stage, Transcript(entries: opening + all + current)))
  }

  /// What the session's model answers to `prompt` after `said`, or what `other` does, which has none of the session's tools; it counts as
  /// an answer of the turn.
  package func answer(
    to prompt: Transcript.Prompt, after said: [Transcript.Entry], by other: ModelLink? = nil
  ) async throws -> String {
    let tools = other == nil ? stage.tools.tools : []
    var request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: Transcript(entries: said + [.prompt(prompt)]),
      enabledTools: tools.map { Transcript.ToolDefinition(tool: $0) },
      generationOptions: prompt.options, contextOptions: ContextOptions(), metadata: [:])
    if other == nil { request.engine = session.engine }
    let answer = try await session.ask(other ?? stage.link, request)
    turn.state.add(answer.usage)
    return answer.text
  }

  /// Puts `entries` in the place of all turns, in the session's transcript, too.
  ///
  /// - Throws: `CancellationError` where another prompt has taken the place of this one, or `transcriptMutationWhileResponding`.
  package mutating func replaceTurns(with entries: [Transcript.Entry]) throws {
    try session.replace(turn, by: Transcript(entries: opening + entries + current))
    round = round.after(Transcript(entries: opening + entries))
  }
}

extension LanguageModelSession {
  /// Whether `error` says that a context is full.
  package static func isContextFull(_ error: any Swift.Error) -> Bool {
    switch error {
    case GenerationError.exceededContextWindowSize: true
    case LanguageModelError.contextSizeExceeded: true
    default: false
    }
  }

  /// Puts `transcript` in the place of what there is, unless another prompt has taken the place of this one.
  fileprivate func replace(_ turn: SessionTurn, by transcript: Transcript) throws {
    try Task.checkCancellation()
    guard !turn.state.isDisturbed else { throw Error.transcriptMutationWhileResponding }
    let isCurrent = change { conversation in
      guard conversation.turn?.state === turn.state else { return false }
      conversation.transcript = transcript
      return true
    }
    guard isCurrent else { throw CancellationError() }
  }
}
