public import FoundationModels

/// How a session deals with the calls of a model.
public struct ToolCallPolicy: Sendable {
  /// What becomes of a call.
  public enum Decision: Sendable {
    /// The tool runs.
    case approve
    /// The tool runs with these arguments; the transcript has them instead of the model's.
    case replace(arguments: GeneratedContent)
    /// The tool does not run, and the model reads this as its output.
    case answer(String)
    /// The tool does not run, and the model reads that it was refused, and why.
    case refuse(String)
  }

  /// How often the model may call tools for one prompt, 0 or more; then it has to answer.
  ///
  /// It has to, too, when it has called the same tools with the same arguments twice in a row.
  public var maximumRounds: Int
  /// Calls of one answer at most, 1 or more.
  public var maximumCallsPerRound: Int
  /// Decides on each call before its tool runs, several of one answer at once; nil to approve all.
  ///
  /// What it throws ends the response.
  public var decide: (@Sendable (Transcript.ToolCall) async throws -> Decision)?

  /// A policy; 8 rounds of 8 calls, and every call unless told otherwise.
  public init(
    maximumRounds: Int = 8, maximumCallsPerRound: Int = 8,
    decide: (@Sendable (Transcript.ToolCall) async throws -> Decision)? = nil
  ) {
    precondition(maximumRounds >= 0 && maximumCallsPerRound >= 1, "limits below their least")
    (self.maximumRounds, self.maximumCallsPerRound) = (maximumRounds, maximumCallsPerRound)
    self.decide = decide
  }
}

extension ToolCallPolicy: ToolCallReviewer {
  package func review(
    _ call: Transcript.ToolCall
  ) async throws -> (call: Transcript.ToolCall, answer: String?) {
    var call = call
    switch try await decide?(call) ?? .approve {
    case .approve: return (call, nil)
    case .replace(let arguments):
      call.arguments = arguments
      return (call, nil)
    case .answer(let text): return (call, text)
    case .refuse(let reason): return (call, "The call was refused: \(reason)")
    }
  }
}

extension LanguageModelSession {
  /// What becomes of the model's calls of tools, from the next answer on.
  public var toolCallPolicy: ToolCallPolicy {
    get { toolCallReviewer as? ToolCallPolicy ?? ToolCallPolicy() }
    set { toolCallReviewer = newValue }
  }
}
