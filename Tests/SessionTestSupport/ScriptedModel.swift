import Foundation
import FoundationModels
import Synchronization

/// A model that says what a test has written down, one answer after the other.
package struct ScriptedModel: LanguageModel {
  package typealias Channel = LanguageModelExecutorGenerationChannel

  /// One thing that an executor does.
  package enum Step: Sendable {
    case event(Channel.Event)
    case fail(any Error)
    /// Waits until its task is cancelled, and is told so.
    case wait(onCancel: @Sendable () -> Void)

    package static let hang = Step.wait {}

    package static func text(_ text: String) -> Step {
      .event(.response(action: .appendText(text, tokenCount: 1)))
    }

    package static func call(_ id: String, _ name: String, _ arguments: String) -> Step {
      .event(
        .toolCalls(
          action: .toolCall(id: id, name: name, action: .appendArguments(arguments, tokenCount: 1)))
      )
    }

    package static func usage(_ input: Int, cached: Int, _ output: Int, reasoning: Int = 0) -> Step
    {
      .event(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: input, cachedTokenCount: cached),
            output: .init(totalTokenCount: output, reasoningTokenCount: reasoning))))
    }
  }

  /// What is to be said, and what was asked.
  package final class Script: Sendable {
    private struct State {
      var answers: [[Step]]
      var requests: [LanguageModelExecutorGenerationRequest] = []
      var prewarmed: [Transcript] = []
      var executors = 0
    }

    private let state: Mutex<State>
    package let (reached, arrival) = AsyncStream<Void>.makeStream()

    init(_ answers: [[Step]]) { state = Mutex(State(answers: answers)) }

    package var requests: [LanguageModelExecutorGenerationRequest] {
      state.withLock { $0.requests }
    }
    package var prewarmed: [Transcript] { state.withLock { $0.prewarmed } }
    package var executors: Int { state.withLock { $0.executors } }

    func next(_ request: LanguageModelExecutorGenerationRequest) -> [Step] {
      state.withLock { state in
        state.requests.append(request)
        return state.answers.isEmpty ? [] : state.answers.removeFirst()
      }
    }

    func prewarm(_ transcript: Transcript) { state.withLock { $0.prewarmed.append(transcript) } }
    func made() { state.withLock { $0.executors += 1 } }
  }

  package struct Executor: LanguageModelExecutor {
    package typealias Model = ScriptedModel

    package struct Configuration: Hashable, Sendable {
      let script: Script
      var failure: String?

      package static func == (left: Self, right: Self) -> Bool { left.script === right.script }
      package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(script)) }
    }

    let script: Script

    package init(configuration: Configuration) throws {
      script = configuration.script
      script.made()
      if let failure = configuration.failure { throw Unmade(reason: failure) }
    }

    package func prewarm(model: ScriptedModel, transcript: Transcript) {
      script.prewarm(transcript)
    }

    package func respond(
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

  package struct Unmade: Error { package let reason: String }

  package let script: Script
  package var capabilities = LanguageModelCapabilities([
    .toolCalling, .guidedGeneration, .reasoning, .vision,
  ])
  package var failure: String?

  package init(_ answers: [Step]...) { script = Script(answers) }

  package var executorConfiguration: Executor.Configuration {
    Executor.Configuration(script: script, failure: failure)
  }
}

/// Passes requests on to another model: as they are, or changed.
package struct Relay<Inner: LanguageModel>: LanguageModel {
  package struct Executor: LanguageModelExecutor {
    package typealias Model = Relay

    package struct Configuration: Hashable, Sendable {}

    package init(configuration: Configuration) {}

    package func respond(
      to request: LanguageModelExecutorGenerationRequest, model: Relay,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var request = request
      model.change(&request)
      let inner = try Inner.Executor(configuration: model.inner.executorConfiguration)
      try await inner.respond(to: request, model: model.inner, streamingInto: channel)
    }
  }

  private let inner: Inner
  private let change: @Sendable (inout LanguageModelExecutorGenerationRequest) -> Void

  package init(
    inner: Inner,
    change: @escaping @Sendable (inout LanguageModelExecutorGenerationRequest) -> Void = { _ in }
  ) { (self.inner, self.change) = (inner, change) }

  package var capabilities: LanguageModelCapabilities { inner.capabilities }
  package var executorConfiguration: Executor.Configuration { Executor.Configuration() }
}
