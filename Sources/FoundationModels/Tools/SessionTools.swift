import ChatTemplates

/// The tools of a session, ready to be told and run.
struct SessionTools: Sendable {
  let tools: [any Tool]

  /// The tools that the model is told of.
  var definitions: [Transcript.ToolDefinition] {
    tools.filter(\.includesSchemaInInstructions).map { $0.definition }
  }

  /// The calls as `reviewer` lets them run, and what to answer instead of running.
  ///
  /// Both are in the order of `calls`; all are reviewed at once. Those beyond the limit of one answer, which only a model writes that
  /// no grammar holds, are refused.
  func review(
    _ calls: [Transcript.ToolCall], _ reviewer: any ToolCallReviewer
  ) async throws -> [(call: Transcript.ToolCall, answer: String?)] {
    let limit = reviewer.maximumCallsPerRound
    let excess = calls.dropFirst(limit).map {
      call -> (call: Transcript.ToolCall, answer: String?) in
      (call, "The call was refused: one answer may have \(limit) calls")
    }
    return try await Self.each(Array(calls.prefix(limit))) { try await reviewer.review($0) }
      + excess
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
