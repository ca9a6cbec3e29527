@testable import FoundationModels

/// Limits of calls, and a decision on each.
struct Reviewer: ToolCallReviewer {
  var maximumRounds = 1
  var maximumCallsPerRound = 1
  var decide: @Sendable (Transcript.ToolCall) async throws -> Transcript.ToolCall = { $0 }

  func review(
    _ call: Transcript.ToolCall
  ) async throws -> (call: Transcript.ToolCall, answer: String?) { (try await decide(call), nil) }
}

/// Takes out all that may go.
struct Forgetting: ContextReducer {
  var reduced: @Sendable () -> Void = {}

  nonisolated(nonsending) func reduce(
    _ conversation: inout GrowingConversation, full: Int
  ) async throws -> Bool {
    try conversation.replaceTurns(with: [])
    reduced()
    return true
  }
}
