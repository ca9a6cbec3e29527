import ChatTemplates
import Foundation
import Synchronization

// The rounds of a turn: the model answers, tools run, until it has answered.

extension LanguageModelSession {
  /// Lets the model answer and call tools in turn until it has answered.
  func answer<Content: Generable>(
    _ turn: SessionTurn, as type: Content.Type, emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionReply {
    let reviewer = toolCallReviewer
    var round = SessionRound(turn, reviewer)
    while true {
      await turn.waitForPrewarming()
      let stage = try await stage(turn, isFirst: round.number == 0)
      try stage.tools.checkNames()
      let answer = try await ask(turn, &round, stage, emit)
      guard !answer.calls.isEmpty else {
        return try await complete(turn, answer, stage, as: type)
      }
      let reviewed = try await stage.tools.review(answer.calls, reviewer)
      let calls = answer.entries + [answer.calling(reviewed.map(\.call))]
      try append(calls, to: turn)
      try await stage.profile?.heard(calls)
      for call in reviewed {
        for action in stage.profile?.onToolCall ?? [] { try await action(call.call) }
      }
      let run = try await stage.tools.run(reviewed)
      let outputs = run.map { Transcript.Entry.toolOutput($0) }
      try append(outputs, to: turn)
      for (call, output) in zip(reviewed, run) {
        for action in stage.profile?.onToolOutput ?? [] { try await action(call.call, output) }
      }
      round = round.following(answer, calls, outputs)
      emit(nil)
    }
  }

  /// What the session is for the next request; a profile says so, and may change the transcript.
  private func stage(_ turn: SessionTurn, isFirst: Bool) async throws -> SessionStage {
    guard let profile else { return SessionStage(link: link, tools: tools) }
    var resolved = await profile.resolved()
    instruct(resolved)
    if isFirst, !resolved.onPrompt.isEmpty {
      for action in resolved.onPrompt { try await action(turn.request.prompt) }
      // What the profile says may depend on what was done.
      resolved = await profile.resolved()
      instruct(resolved)
    }
    return SessionStage(
      link: resolved.model ?? link, tools: SessionTools(tools: resolved.tools), profile: resolved)
  }

  /// Puts what a profile says now at the beginning of the transcript.
  private func instruct(_ profile: ResolvedProfile) {
    let current = conversation.withLock { $0.transcript.first?.asInstructions }
    let next = profile.instructions(after: current)
    guard next != current else { return }
    change { conversation in
      let count = current == nil ? 0 : 1
      conversation.transcript.entries.replaceSubrange(
        ..<count, with: next.map { [.instructions($0)] } ?? [])
      conversation.spoken = nil
    }
  }

  /// One answer of the model to what is left of the conversation when it fits.
  private func ask(
    _ turn: SessionTurn, _ round: inout SessionRound, _ stage: SessionStage,
    _ emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionEngine.Answer {
    guard let reducer = contextReducer else { return try await ask(turn, round, stage, emit) }
    _ = try await reduce(&round, of: turn, stage, reducer, full: 0)
    for full in 1... {
      do {
        return try await ask(turn, round, stage, emit)
      } catch {
        guard Self.isContextFull(error),
          try await reduce(&round, of: turn, stage, reducer, full: full)
        else { throw error }
        emit(nil)
      }
    }
    preconditionFailure("there are only so many turns")
  }

  /// Lets `reducer` take out of transcript and `round` what has no room; false where nothing went.
  private func reduce(
    _ round: inout SessionRound, of turn: SessionTurn, _ stage: SessionStage,
    _ reducer: any ContextReducer, full: Int
  ) async throws -> Bool {
    var conversation = GrowingConversation(self, turn, round, stage)
    guard !conversation.turns.isEmpty,
      try await reducer.reduce(&conversation, full: full)
    else { return false }
    round = conversation.round
    return true
  }

  /// One answer of the model to all that was said.
  private func ask(
    _ turn: SessionTurn, _ round: SessionRound, _ stage: SessionStage,
    _ emit: @escaping @Sendable (String?) -> Void
  ) async throws -> SessionEngine.Answer {
    let said = conversation.withLock { $0.transcript }
    let request = request(turn, round, stage, said)
    let calling = request.generationOptions.toolCallingMode?.calling ?? .allowed
    if calling == .required, stage.tools.tools.isEmpty {
      throw LanguageModelError.unsupportedCapability(
        LanguageModelError.UnsupportedCapability(
          capability: .toolCalling,
          debugDescription:
            "A call of a tool is required, but the session has no tools; give it some, or use another toolCallingMode."
        ))
    }
    let assembly = AnswerAssembly(emit: emit)
    show(assembly, of: turn)
    let answer = try await ask(stage.link, request, assembly)
    turn.state.add(answer.usage)
    // What this machine's own models say fits already.
    if answer.speaker == nil { try stage.tools.check(answer.calls, calling) }
    return answer
  }

  /// What an executor answers to `request`.
  func ask(
    _ link: ModelLink, _ request: LanguageModelExecutorGenerationRequest,
    _ assembly: AnswerAssembly = AnswerAssembly { _ in }
  ) async throws -> SessionEngine.Answer {
    let channel = LanguageModelExecutorGenerationChannel { assembly.take($0) }
    // Also for an answer that fails on the way: it has taken what it has.
    defer {
      let usage = assembly.usage
      conversation.withLock { $0.usage.add(usage) }
    }
    try await link.respond(to: request, channel)
    try Task.checkCancellation()
    return try assembly.answer()
  }

  /// What the model is asked in a round, in which the transcript is `said`.
  func request(
    _ turn: SessionTurn, _ round: SessionRound, _ stage: SessionStage, _ said: Transcript
  ) -> LanguageModelExecutorGenerationRequest {
    let prompt = turn.request.prompt
    let options = stage.profile?.options(prompt.options) ?? prompt.options
    // A profile may want calls, but not more rounds of them than the policy allows.
    let wanted =
      round.calling == .disallowed
      ? .disallowed : options.toolCallingMode?.calling ?? round.calling
    var request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: stage.profile?.read(said) ?? said,
      enabledTools: stage.tools.tools.map { Transcript.ToolDefinition(tool: $0) },
      schema: turn.request.form.schema,
      generationOptions: options.inRound(round.number == 0 ? wanted : round.calling),
      contextOptions: prompt.contextOptions, metadata: prompt.metadata)
    request.contextOptions.reasoningLevel =
      prompt.contextOptions.reasoningLevel ?? stage.profile?.reasoningLevel
    request.engine = engine
    // A profile may have changed anything; what it says is in the request.
    if stage.profile == nil { request.turn = EngineTurn(request: turn.request, round: round) }
    return request
  }
}
