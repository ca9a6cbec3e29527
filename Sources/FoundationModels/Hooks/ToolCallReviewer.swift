import ChatTemplates
import Chats

/// Decides on a model's calls of tools before they run.
package protocol ToolCallReviewer: Sendable {
  /// How often the model may call tools for one prompt, 0 or more; then it has to answer.
  var maximumRounds: Int { get }
  /// Calls of one answer at most, 1 or more.
  var maximumCallsPerRound: Int { get }

  /// The call as it is to run, and what the model reads in place of an output where no tool is to run.
  ///
  /// - Throws: What the response is to end in.
  func review(
    _ call: Transcript.ToolCall
  ) async throws -> (call: Transcript.ToolCall, answer: String?)
}

/// Lets every call run, within the usual limits.
struct UnreviewedCalls: ToolCallReviewer {
  let maximumRounds = ToolRounds.usualLimit
  let maximumCallsPerRound = ToolRounds.usualCalls

  func review(_ call: Transcript.ToolCall) -> (call: Transcript.ToolCall, answer: String?) {
    (call, nil)
  }
}
