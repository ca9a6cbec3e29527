import ChatTemplates
import Chats
import Foundation
import Synchronization

// How a conversation is kept within its context, as its policy says.

extension LanguageModelSession {
  /// A request that may have to be made shorter.
  private struct Fitting {
    let session: LanguageModelSession
    let turn: SessionTurn
    let round: SessionRound
    let stage: SessionStage
    let parts: TranscriptTurns

    /// What the request takes as it is, or with `entries` in the place of all turns; nil where the model does not count.
    func measure(_ entries: [Transcript.Entry]? = nil) async throws -> ContextMeasure? {
      guard let measure = stage.link.measure else { return nil }
      let all = entries ?? Array(parts.turns.joined())
      // The tokens of what was said are known only as long as all of it stays.
      let round = entries.map { self.round.after(parts.history($0)) } ?? round
      return try await measure(
        session.engine, session.request(turn, round, stage, parts.transcript(all)))
    }
  }

  /// Takes out of transcript and `round` what `policy` says, if that is necessary; false where nothing went.
  ///
  /// A model may say that its context is full, whatever was counted; `full` is how often it has done so for this request. Then the older half of
  /// all turns goes. Only a custom policy is asked the first time, where the model does not count.
  func cut(
    _ round: inout SessionRound, of turn: SessionTurn, _ stage: SessionStage,
    _ policy: ContextPolicy, full: Int
  ) async throws -> Bool {
    let parts = TranscriptTurns(conversation.withLock { $0.transcript }, turn)
    guard !parts.turns.isEmpty else { return false }
    let fitting = Fitting(session: self, turn: turn, round: round, stage: stage, parts: parts)
    let before = try await fitting.measure()
    var (dropped, added): ([Transcript.Entry], [Transcript.Entry]) = ([], [])
    let kept: [Transcript.Entry]
    if case .custom(let make) = policy.kind, full == 0 || full == 1 && before == nil {
      guard full == 1 || !(before?.fits ?? true) else { return false }
      added = try await make(overflow(fitting, before))
      (dropped, kept) = (parts.turns.flatMap(\.self), [])
      // What it leaves as it is was not dropped.
      let ids = Set(added.map(\.id))
      guard !dropped.allSatisfy({ ids.contains($0.id) }) else { return false }
    } else {
      let count =
        full > 0 ? (parts.turns.count + 1) / 2 : try await dropCount(fitting, policy, before)
      guard count > 0 else { return false }
      dropped = Array(parts.turns[..<count].joined())
      kept = Array(parts.turns[count...].joined())
      if full == 0 { added = try await summary(of: dropped, fitting, policy, before?.limit) }
    }
    let history = added + kept
    let after = try await fitting.measure(history)
    try replace(turn, by: parts.transcript(history))
    round = round.after(parts.history(history))
    let known = Set(history.map(\.id))
    policy.onCut?(
      ContextPolicy.Cut(
        dropped: dropped.filter { !known.contains($0.id) },
        added: added.filter { entry in !dropped.contains { $0.id == entry.id } },
        tokenCounts: before.flatMap { before in after.map { (before.tokens, $0.tokens) } }))
    return true
  }

  private func overflow(_ fitting: Fitting, _ measure: ContextMeasure?) -> ContextPolicy.Overflow {
    ContextPolicy.Overflow(
      turns: fitting.parts.turns, current: fitting.parts.current, contextSize: measure?.limit,
      room: measure?.room, count: { try await fitting.measure($0)?.tokens })
  }

  /// How many of the oldest turns go.
  private func dropCount(
    _ fitting: Fitting, _ policy: ContextPolicy, _ whole: ContextMeasure?
  ) async throws -> Int {
    let rule: ContextRule =
      switch policy.kind {
      case .rule(let rule): rule
      case .summary: .summarize
      case .custom: .dropOldest
      }
    let turns = fitting.parts.turns
    var search = ContextSearch(
      rule, count: turns.count, limit: whole?.limit ?? .max, room: whole?.room ?? 0)
    while whole != nil, let asked = search.next {
      let measure =
        asked == 0 ? whole : try await fitting.measure(Array(turns[asked...].joined()))
      search.note(measure?.tokens ?? 0)
    }
    return search.dropped
  }

  /// The turn that stands in the place of `entries`; nothing where nothing is to, or the model has nothing to say.
  private func summary(
    of entries: [Transcript.Entry], _ fitting: Fitting, _ policy: ContextPolicy, _ limit: Int?
  ) async throws -> [Transcript.Entry] {
    guard case .summary(let other, let asking, let maximum) = policy.kind else { return [] }
    let length = maximum ?? limit.map(ContextRule.summaryLength)
    var options = GenerationOptions(maximumResponseTokens: length)
    options.toolCallingMode = .disallowed
    let prompt = Transcript.Prompt(segments: [Transcript.Segment](text: asking), options: options)
    var said = entries[...]
    while !said.isEmpty {
      do {
        let request = summaryRequest(said, prompt, fitting, isOwn: other == nil)
        let answer = try await ask(other ?? fitting.stage.link, request)
        fitting.turn.state.add(answer.usage)
        let text = answer.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return [] }
        let response = Transcript.Response(
          metadata: ["summaryOf": entries.map(\.id)], segments: [Transcript.Segment](text: text))
        return [.prompt(prompt), .response(response)]
      } catch {
        guard ContextPolicy.isFull(error) else { throw error }
        // What is too long for a summary, too, goes without one.
        said = said.dropFirst((said.count + 1) / 2)
      }
    }
    return []
  }

  /// What a model is asked so that it sums up `said`: the conversation itself goes on where it is the session's own, which has read it
  /// already; another one reads who said what.
  private func summaryRequest(
    _ said: ArraySlice<Transcript.Entry>, _ prompt: Transcript.Prompt, _ fitting: Fitting,
    isOwn: Bool
  ) -> LanguageModelExecutorGenerationRequest {
    var transcript = Transcript(entries: fitting.parts.opening + said + [.prompt(prompt)])
    if !isOwn {
      let log = said.map(\.description) + [prompt.segments.text]
      var prompt = prompt
      prompt.segments = [Transcript.Segment](text: log.joined(separator: "\n"))
      transcript = Transcript(entries: [.prompt(prompt)])
    }
    let tools = isOwn ? fitting.stage.tools.tools : []
    var request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: transcript,
      enabledTools: tools.map { Transcript.ToolDefinition(tool: $0) },
      generationOptions: prompt.options, contextOptions: ContextOptions(), metadata: [:])
    if isOwn { request.engine = engine }
    return request
  }

  /// Puts `transcript` in the place of what there is, unless another prompt has taken the place of this one.
  private func replace(_ turn: SessionTurn, by transcript: Transcript) throws {
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
