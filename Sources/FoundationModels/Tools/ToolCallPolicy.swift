import ChatTemplates

/// How a session deals with the calls of a model: an extension.
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

/// The tools of a session, ready to be told and run.
struct SessionTools: Sendable {
  let tools: [any Tool]

  /// The tools that the model is told of.
  var definitions: [Transcript.ToolDefinition] {
    tools.filter(\.includesSchemaInInstructions).map { $0.definition }
  }

  /// The calls as `policy` lets them run, and what to answer instead of running.
  ///
  /// Both are in the order of `calls`; all are decided at once. Those beyond the limit of one answer, which only a model writes that
  /// no grammar holds, are refused.
  func decide(
    _ calls: [Transcript.ToolCall], _ policy: ToolCallPolicy
  ) async throws -> [(call: Transcript.ToolCall, answer: String?)] {
    let limit = policy.maximumCallsPerRound
    let excess = calls.dropFirst(limit).map {
      call -> (call: Transcript.ToolCall, answer: String?) in
      (call, "The call was refused: one answer may have \(limit) calls")
    }
    let calls = Array(calls.prefix(limit))
    guard let decide = policy.decide else { return calls.map { ($0, nil) } + excess }
    return try await Self.each(calls) { call in
      var call = call
      switch try await decide(call) {
      case .approve: return (call, nil)
      case .replace(let arguments):
        call.arguments = arguments
        return (call, nil)
      case .answer(let text): return (call, text)
      case .refuse(let reason): return (call, "The call was refused: \(reason)")
      }
    } + excess
  }

  /// The outputs of calls, in their order; all run at once.
  ///
  /// - Throws: ``LanguageModelSession/ToolCallError``, or `CancellationError` when the task is cancelled.
  func run(
    _ calls: [(call: Transcript.ToolCall, answer: String?)]
  ) async throws -> [Transcript.ToolOutput] {
    try await Self.each(calls) { call, answer in
      if let answer {
        return Transcript.ToolOutput(
          id: call.id, toolName: call.toolName, segments: [Transcript.Segment](text: answer))
      }
      let tool = try tool(for: call)
      do {
        return Transcript.ToolOutput(
          id: call.id, toolName: call.toolName,
          segments: try await tool.output(of: call.arguments))
      } catch {
        // That a tool was stopped with its session is not the tool's fault.
        try Task.checkCancellation()
        throw LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
      }
    }
  }

  /// - Throws: ``LanguageModelSession/ToolNameError`` for two tools of one name: a call would not say which it means.
  func checkNames() throws(LanguageModelSession.ToolNameError) {
    var names: Set<String> = []
    for tool in tools where !names.insert(tool.name).inserted { throw .duplicate(tool.name) }
  }

  /// Refuses an answer that no grammar has held to these tools, before anything runs.
  ///
  /// - Throws: `decodingFailure` for calls that may not come, or are missing, and for a tool that there is not;
  ///   ``LanguageModelSession/ToolCallError`` for arguments that the tool's schema does not allow.
  func check(_ calls: [Transcript.ToolCall], _ calling: ToolCalling) throws {
    typealias GenerationError = LanguageModelSession.GenerationError
    func failure(_ reason: String) -> GenerationError {
      .decodingFailure(GenerationError.Context(debugDescription: reason))
    }
    if calling == .disallowed, let call = calls.first {
      throw failure("The model called the tool '\(call.toolName)' where it had to answer.")
    }
    if calling == .required, calls.isEmpty, !tools.isEmpty {
      throw failure("The model answered where it had to call a tool.")
    }
    for call in calls {
      let tool = try tool(for: call)
      guard !tool.parameters.accepts(call.arguments) else { continue }
      let text = call.arguments.jsonString
      throw LanguageModelSession.ToolCallError(
        tool: tool,
        underlyingError: failure("The arguments are not what the tool's schema allows: \(text)"))
    }
  }

  /// The tool that is called.
  ///
  /// - Throws: `decodingFailure` for a name that no tool has, which only a model writes that no grammar holds.
  private func tool(
    for call: Transcript.ToolCall
  ) throws(LanguageModelSession.GenerationError) -> any Tool {
    if let tool = tools.first(where: { $0.name == call.toolName }) { return tool }
    throw .decodingFailure(
      LanguageModelSession.GenerationError.Context(
        debugDescription:
          "The model called the tool '\(call.toolName)', which the session does not have."))
  }

  private static func each<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws -> [Output] {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      for (index, input) in inputs.enumerated() {
        group.addTask { (index, try await body(input)) }
      }
      var outputs = [Output?](repeating: nil, count: inputs.count)
      for try await (index, output) in group { outputs[index] = output }
      return outputs.compactMap(\.self)
    }
  }
}

extension Tool {
  fileprivate var definition: Transcript.ToolDefinition { Transcript.ToolDefinition(tool: self) }
}
