import ChatTemplates
import Chats
import Grammars

extension SystemLanguageModel: LanguageModel {
  /// Tools and guided generation: no token comes that a grammar does not allow.
  ///
  /// They are there over any base; ``isMadeForTools`` tells whether this one was made to choose among tools.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  }

  /// The model itself.
  public var executorConfiguration: Executor.Configuration { Executor.Configuration(model: self) }

  /// Runs bases and adapters of this machine: what every session over a ``SystemLanguageModel`` goes through.
  ///
  /// A session's own requests, and those that another executor passes on as they are, go on from the keys and values that the
  /// session has; one that was changed uses as much of them as it begins with.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = SystemLanguageModel

    /// The model itself, which has all that an executor needs.
    public struct Configuration: Hashable, Sendable {
      fileprivate let model: SystemLanguageModel

      /// Whether both are of the same model.
      public static func == (left: Self, right: Self) -> Bool { left.model === right.model }

      /// Feeds the model's identity to `hasher`.
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(model)) }
    }

    /// An executor; one is as good as another.
    public init(configuration: Configuration) {}

    /// Opens the base and the adapter, in the background.
    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      Task.detached { try? model.load() }
    }

    /// Answers on a thread of the session's own.
    ///
    /// - Throws: What a session over the model throws.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SystemLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let engine = request.engine ?? SessionEngine(SessionTools(tools: []))
      do {
        try model.checkLocale()
        let turn = try request.turn ?? EngineTurn(request)
        guard let judge = model.guardrails.contentGuard(isString: request.schema == nil) else {
          return try await engine.respond(model, turn, channel)
        }
        try await judge.answer(request, by: model, into: channel) { channel in
          try await engine.respond(model, turn, channel)
        }
      } catch {
        let mapped = LanguageModelSession.GenerationError.mapping(error)
        throw (mapped as? LanguageModelSession.GenerationError)?.asOnOS27 ?? mapped
      }
    }
  }
}

extension SessionEngine {
  /// Answers on the session's own thread, and tells what that has taken, whether or not anything comes of it.
  fileprivate nonisolated func respond(
    _ model: SystemLanguageModel, _ turn: EngineTurn,
    _ channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let emit: @Sendable (String) -> Void = { piece in
      channel.post(.response(action: .appendText(piece, tokenCount: 1)))
    }
    do {
      let answer = try await onThread { try await self.answer(model, turn, emit: emit) }
      channel.post(answer.usage.event)
      for event in answer.events { channel.post(event) }
    } catch {
      if let statistics = await statistics {
        channel.post(LanguageModelSession.Usage(statistics).event)
      }
      throw error
    }
  }
}

extension SessionEngine.Answer {
  /// What is to be said of the answer once its text has come.
  fileprivate var events: [LanguageModelExecutorGenerationChannel.Event] {
    typealias Channel = LanguageModelExecutorGenerationChannel
    var events: [Channel.Event] = calls.map { call in
      .toolCalls(
        action: .toolCall(
          id: call.id, name: call.toolName,
          action: .appendArguments(call.arguments.jsonString, tokenCount: 0)))
    }
    if calls.isEmpty || !text.isEmpty {
      events.insert(.response(action: .updateMetadata(["assetIDs": assetIDs])), at: 0)
    }
    return events + [Channel.Event(kind: .answer(self))]
  }
}

extension LanguageModelSession.Usage {
  /// The usage of a model of this machine, which does not tell thoughts apart.
  fileprivate var event: LanguageModelExecutorGenerationChannel.Event {
    typealias Usage = LanguageModelExecutorGenerationChannel.Usage
    let total: LanguageModelExecutorGenerationChannel.Response.Action = .updateUsage(
      input: Usage.Input(
        totalTokenCount: input.totalTokenCount, cachedTokenCount: input.cachedTokenCount),
      output: Usage.Output(totalTokenCount: output.totalTokenCount, reasoningTokenCount: 0))
    return .response(action: total)
  }
}

/// One answer of this machine's own models: the request, and where in its turn it is.
struct EngineTurn: Sendable {
  let request: SessionRequest
  let round: SessionRound
  /// The tools that may be called; nil for those of the session.
  var tools: [ChatTool]?
}

extension EngineTurn {
  /// The answer that a request asks for which was not made by a session, or was changed since.
  init(_ request: LanguageModelExecutorGenerationRequest) throws {
    let entries = request.transcript.entries
    guard
      let place = entries.lastIndex(where: { if case .prompt = $0 { true } else { false } }),
      case .prompt(var prompt) = entries[place]
    else { throw ChatDefect.nothingToAnswer }
    prompt.options = request.generationOptions
    let name = prompt.responseFormat?.name
    let format = request.schema.map { schema in
      Transcript.ResponseFormat(name: name ?? schema.name, schema: schema)
    }
    var own = SessionRequest(
      prompt: prompt, form: format.map(ResponseForm.init) ?? .text)
    if request.contextOptions.includeSchemaInPrompt ?? true, own.form.constraint != nil {
      own.addition = format?.promptText
    }
    self.request = own
    let told = Set(request.transcript.toldTools.map(\.name))
    tools = try request.enabledToolDefinitions.map { tool in
      try tool.chatTool(isTold: told.isEmpty || told.contains(tool.name))
    }
    round = SessionRound(
      said: Transcript(entries: entries[..<place]).messages,
      next: [own.message] + Transcript(entries: entries[(place + 1)...]).messages,
      ToolRounds(request.generationOptions.toolCallingMode?.calling ?? .allowed))
  }
}
