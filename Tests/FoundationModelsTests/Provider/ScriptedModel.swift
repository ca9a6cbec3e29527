import Foundation
import FoundationModels
import Synchronization

/// A model that says what a test has written down, one answer after the other.
struct ScriptedModel: LanguageModel {
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// One thing that an executor does.
  enum Step: Sendable {
    case event(Channel.Event)
    case fail(any Error)
    /// Waits until its task is cancelled, and is told so.
    case wait(onCancel: @Sendable () -> Void)

    static let hang = Step.wait {}

    static func text(_ text: String) -> Step {
      .event(.response(action: .appendText(text, tokenCount: 1)))
    }

    static func call(_ id: String, _ name: String, _ arguments: String) -> Step {
      .event(
        .toolCalls(
          action: .toolCall(id: id, name: name, action: .appendArguments(arguments, tokenCount: 1)))
      )
    }

    static func usage(_ input: Int, cached: Int, _ output: Int, reasoning: Int = 0) -> Step {
      .event(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: input, cachedTokenCount: cached),
            output: .init(totalTokenCount: output, reasoningTokenCount: reasoning))))
    }
  }

  /// What is to be said, and what was asked.
  final class Script: Sendable {
    private struct State {
      var answers: [[Step]]
      var requests: [LanguageModelExecutorGenerationRequest] = []
      var prewarmed: [Transcript] = []
      var executors = 0
    }

    private let state: Mutex<State>
    let (reached, arrival) = AsyncStream<Void>.makeStream()

    init(_ answers: [[Step]]) { state = Mutex(State(answers: answers)) }

    var requests: [LanguageModelExecutorGenerationRequest] { state.withLock { $0.requests } }
    var prewarmed: [Transcript] { state.withLock { $0.prewarmed } }
    var executors: Int { state.withLock { $0.executors } }

    func next(_ request: LanguageModelExecutorGenerationRequest) -> [Step] {
      state.withLock { state in
        state.requests.append(request)
        return state.answers.isEmpty ? [] : state.answers.removeFirst()
      }
    }

    func prewarm(_ transcript: Transcript) { state.withLock { $0.prewarmed.append(transcript) } }
    func made() { state.withLock { $0.executors += 1 } }
  }

  struct Executor: LanguageModelExecutor {
    typealias Model = ScriptedModel

    struct Configuration: Hashable, Sendable {
      let script: Script
      var failure: String?

      static func == (left: Self, right: Self) -> Bool { left.script === right.script }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(script)) }
    }

    let script: Script

    init(configuration: Configuration) throws {
      script = configuration.script
      script.made()
      if let failure = configuration.failure { throw Unmade(reason: failure) }
    }

    func prewarm(model: ScriptedModel, transcript: Transcript) { script.prewarm(transcript) }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ScriptedModel,
      streamingInto channel: Channel
    ) async throws {
      for step in script.next(request) {
        switch step {
        case .event(let event): await channel.send(event)
        case .fail(let error): throw error
        case .wait(let onCancel):
          script.arrival.yield()
          try await withTaskCancellationHandler {
            try await Task.sleep(for: .seconds(600))
          } onCancel: {
            onCancel()
          }
        }
      }
    }
  }

  struct Unmade: Error { let reason: String }

  let script: Script
  var capabilities = LanguageModelCapabilities([
    .toolCalling, .guidedGeneration, .reasoning, .vision,
  ])
  var failure: String?

  init(_ answers: [Step]...) { script = Script(answers) }

  var executorConfiguration: Executor.Configuration {
    Executor.Configuration(script: script, failure: failure)
  }
}

/// Passes requests on to another model: as they are, or changed.
struct Relay<Inner: LanguageModel>: LanguageModel {
  struct Executor: LanguageModelExecutor {
    typealias Model = Relay

    struct Configuration: Hashable, Sendable {}

    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: Relay,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var request = request
      model.change(&request)
      let inner = try Inner.Executor(configuration: model.inner.executorConfiguration)
      try await inner.respond(to: request, model: model.inner, streamingInto: channel)
    }
  }

  let inner: Inner
  var change: @Sendable (inout LanguageModelExecutorGenerationRequest) -> Void = { _ in }

  var capabilities: LanguageModelCapabilities { inner.capabilities }
  var executorConfiguration: Executor.Configuration { Executor.Configuration() }
}
