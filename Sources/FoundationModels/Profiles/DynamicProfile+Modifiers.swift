/// A profile of which something is known before what is in it.
private struct AdjustedProfile<Content: LanguageModelSession.DynamicProfile>: ProfileLeaf {
  typealias Body = Never

  var body: Never { return noBody(Self.self) }

  let content: Content
  let adjust: (inout ResolvedProfile) -> Void

  func apply(to profile: inout ResolvedProfile) {
    adjust(&profile)
    profile.apply(content)
  }
}

extension LanguageModelSession.DynamicProfile {
  /// The profile with a model.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    func link(_ model: some LanguageModel) -> ModelLink { ModelLink(model) }
    let link = link(model)
    return AdjustedProfile(content: self) { $0.model = link }
  }

  /// The profile with a model.
  public func model(_ model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    let link = ModelLink(model)
    return AdjustedProfile(content: self) { $0.model = link }
  }

  /// The profile with a temperature; nil leaves it to others.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.temperature = temperature ?? $0.temperature }
  }

  /// The profile with a way to choose tokens; nil leaves it to others.
  public func samplingMode(
    _ samplingMode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.samplingMode = samplingMode ?? $0.samplingMode }
  }

  /// The profile with a limit of tokens; nil leaves it to others.
  public func maximumResponseTokens(
    _ maximumResponseTokens: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) {
      $0.maximumResponseTokens = maximumResponseTokens ?? $0.maximumResponseTokens
    }
  }

  /// The profile with a level of reasoning; nil leaves it to others.
  public func reasoningLevel(
    _ reasoningLevel: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.reasoningLevel = reasoningLevel ?? $0.reasoningLevel }
  }

  /// The profile with a mode of calling tools; nil leaves it to others.
  public func toolCallingMode(
    _ toolCallingMode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.toolCallingMode = toolCallingMode ?? $0.toolCallingMode }
  }

  /// The profile with what the model reads of the history; the transcript stays as it is.
  ///
  /// Several such transformations work one after the other, the outer ones first.
  public func historyTransform(
    _ transform: @escaping ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.historyTransforms.append(transform) }
  }

  /// The profile with what becomes of the transcript after an error; nil leaves it to others.
  public func transcriptErrorHandlingPolicy(
    _ transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) {
      $0.errorHandling = transcriptErrorHandlingPolicy ?? $0.errorHandling
    }
  }
}

// What is done meanwhile. Each action runs in the task of the response, which waits for it; what it throws ends the response.

extension LanguageModelSession.DynamicProfile {
  /// The profile with an action for when a prompt stands in the transcript and nobody has been asked yet.
  public func onPrompt(
    @_inheritActorContext perform action: sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { onPrompt { _ in try await action() } }

  /// The profile with an action for when a prompt stands in the transcript and nobody has been asked yet.
  ///
  /// The action may change the history, such as shorten it.
  public func onPrompt(
    @_inheritActorContext perform action:
      sending @escaping (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onPrompt.append(action) }
  }

  /// The profile with an action for when the model has answered.
  public func onResponse(
    @_inheritActorContext perform action: sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { onResponse { _ in try await action() } }

  /// The profile with an action for when the model has answered, and the answer stands in the transcript.
  public func onResponse(
    @_inheritActorContext perform action:
      sending @escaping (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onResponse.append(action) }
  }

  /// The profile with an action for when the model has thought.
  public func onReasoning(
    @_inheritActorContext perform action: sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { onReasoning { _ in try await action() } }

  /// The profile with an action for when the model has thought, and the thoughts stand in the transcript.
  public func onReasoning(
    @_inheritActorContext perform action:
      sending @escaping (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onReasoning.append(action) }
  }

  /// The profile with an action for each call, before its tool runs.
  public func onToolCall(
    @_inheritActorContext perform action: sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { onToolCall { _ in try await action() } }

  /// The profile with an action for each call, before its tool runs.
  public func onToolCall(
    @_inheritActorContext perform action:
      sending @escaping (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onToolCall.append(action) }
  }

  /// The profile with an action for each output of a tool.
  public func onToolOutput(
    @_inheritActorContext perform action: sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { onToolOutput { _, _ in try await action() } }

  /// The profile with an action for each call and its output, when both stand in the transcript.
  public func onToolOutput(
    @_inheritActorContext perform action:
      sending @escaping (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onToolOutput.append(action) }
  }

  /// The profile with an action for when it is the one that is used from now on.
  public func onActivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onActivate.append(action) }
  }

  /// The profile with an action for when another one is used from now on.
  public func onDeactivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    AdjustedProfile(content: self) { $0.onDeactivate.append(action) }
  }
}
