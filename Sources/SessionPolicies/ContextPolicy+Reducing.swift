import ChatTemplates
import Chats
import Foundation
package import FoundationModels

extension ContextPolicy: ContextReducer {
  /// What is to change in a conversation.
  private struct Change {
    let dropped: [Transcript.Entry]
    /// What stands in the place of all that goes.
    var added: [Transcript.Entry] = []
    var kept: [Transcript.Entry] = []
  }

  package func reduce(
    _ conversation: inout GrowingConversation, full: Int
  ) async throws -> Bool {
    let before = try await conversation.measure()
    guard let change = try await change(of: conversation, before, full) else { return false }
    let history = change.added + change.kept
    let after = try await conversation.measure(history)
    try conversation.replaceTurns(with: history)
    let known = Set(history.map(\.id))
    onCut?(
      Cut(
        dropped: change.dropped.filter { !known.contains($0.id) },
        added: change.added.filter { entry in !change.dropped.contains { $0.id == entry.id } },
        tokenCounts: before.flatMap { before in after.map { (before.tokens, $0.tokens) } }))
    return true
  }

  /// Nil where nothing is to change.
  ///
  /// A model may say that its context is full, whatever was counted. Then the older half of all turns goes; only a custom policy is asked the
  /// first time, where the model does not count.
  private func change(
    of conversation: GrowingConversation, _ measure: ContextMeasure?, _ full: Int
  ) async throws -> Change? {
    if case .custom(let make) = kind, full == 0 || full == 1 && measure == nil {
      guard full == 1 || !(measure?.fits ?? true) else { return nil }
      let added = try await make(Overflow(conversation, measure))
      let dropped = conversation.turns.flatMap(\.self)
      // What it leaves as it is was not dropped.
      let ids = Set(added.map(\.id))
      let isSame = dropped.allSatisfy { ids.contains($0.id) }
      return isSame ? nil : Change(dropped: dropped, added: added)
    }
    let turns = conversation.turns
    let count = full > 0 ? (turns.count + 1) / 2 : try await dropCount(conversation, measure)
    guard count > 0 else { return nil }
    let dropped = Array(turns[..<count].joined())
    return Change(
      dropped: dropped,
      added: full > 0 ? [] : try await summary(of: dropped, conversation, measure?.limit),
      kept: Array(turns[count...].joined()))
  }

  /// How many of the oldest turns go.
  private func dropCount(
    _ conversation: GrowingConversation, _ whole: ContextMeasure?
  ) async throws -> Int {
    let rule: ContextRule =
      switch kind {
      case .rule(let rule): rule
      case .summary: .summarize
      case .custom: .dropOldest
      }
    let turns = conversation.turns
    var search = ContextSearch(
      rule, count: turns.count, limit: whole?.limit ?? .max, room: whole?.room ?? 0)
    while whole != nil, let asked = search.next {
      let measure =
        asked == 0 ? whole : try await conversation.measure(Array(turns[asked...].joined()))
      search.note(measure?.tokens ?? 0)
    }
    return search.dropped
  }

  /// The turn that stands in the place of `entries`; nothing where nothing is to, or the model has nothing to say.
  private func summary(
    of entries: [Transcript.Entry], _ conversation: GrowingConversation, _ limit: Int?
  ) async throws -> [Transcript.Entry] {
    guard case .summary(let other, let asking, let maximum) = kind else { return [] }
    let length = maximum ?? limit.map(ContextRule.summaryLength)
    var options = GenerationOptions(maximumResponseTokens: length)
    options.toolCallingMode = .disallowed
    let prompt = Transcript.Prompt(segments: [Transcript.Segment](text: asking), options: options)
    var said = entries[...]
    while !said.isEmpty {
      do {
        let text = try await answer(to: prompt, after: said, conversation, other)
          .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return [] }
        let response = Transcript.Response(
          metadata: ["summaryOf": entries.map(\.id)], segments: [Transcript.Segment](text: text))
        return [.prompt(prompt), .response(response)]
      } catch {
        guard LanguageModelSession.isContextFull(error) else { throw error }
        // What is too long for a summary, too, goes without one.
        said = said.dropFirst((said.count + 1) / 2)
      }
    }
    return []
  }

  /// What a model makes of `said`: the conversation itself goes on where it is the session's own, which has read it already; another one
  /// reads who said what.
  private func answer(
    to prompt: Transcript.Prompt, after said: ArraySlice<Transcript.Entry>,
    _ conversation: GrowingConversation, _ other: ModelLink?
  ) async throws -> String {
    guard let other else {
      return try await conversation.answer(to: prompt, after: conversation.opening + said)
    }
    var prompt = prompt
    let log = said.map(\.description) + [prompt.segments.text]
    prompt.segments = [Transcript.Segment](text: log.joined(separator: "\n"))
    return try await conversation.answer(to: prompt, after: [], by: other)
  }
}
