import Foundation
import Synchronization

/// A model of any kind as a session uses it: through its executor.
package struct ModelLink: Sendable {
  package typealias Request = LanguageModelExecutorGenerationRequest
  package typealias Channel = LanguageModelExecutorGenerationChannel

  /// What a session knows before its next prompt.
  struct Start: Sendable {
    let history: Transcript
    let spoken: SpokenTokens?
    let prefix: Prompt?
  }

  private let capabilities: @Sendable () -> LanguageModelCapabilities
  /// Lets the executor get ready for a request with this beginning.
  package let prewarmExecutor: @Sendable (Transcript) -> Void
  private let answer: @Sendable (Request, Channel) async throws -> Void
  /// Gets ready for a prompt.
  let prewarm: @Sendable (SessionEngine, Start) async -> Void
  /// Counts a request; nil for a model that only counts with its answer.
  let measure: (@Sendable (SessionEngine, Request) async throws -> ContextMeasure)?

  package init<Model: LanguageModel>(_ model: Model) {
    let held = HeldExecutor(model)
    capabilities = { model.capabilities }
    answer = { try await held.get().respond(to: $0, model: model, streamingInto: $1) }
    // That there is no executor is told by the response.
    prewarmExecutor = { try? held.get().prewarm(model: model, transcript: $0) }
    if let model = model as? SystemLanguageModel {
      prewarm = { engine, start in
        await withTaskExecutorPreference(engine.thread) { await engine.prewarm(model, start) }
      }
      measure = { engine, request in
        try await engine.onThread {
          try await engine.measure(model, request.turn ?? EngineTurn(request))
        }
      }
      return
    }
    measure = nil
    prewarm = { [prewarmExecutor] _, start in
      var transcript = start.history
      if let prefix = start.prefix {
        transcript.entries.append(.prompt(Transcript.Prompt(segments: prefix.segments)))
      }
      prewarmExecutor(transcript)
    }
  }

  /// Sends the answer to `request` into `channel`, on no thread of the caller's.
  ///
  /// - Throws: ``LanguageModelError/unsupportedCapability(_:)``, or what the executor throws.
  @concurrent package func respond(to request: Request, _ channel: Channel) async throws {
    try check(request)
    try await answer(request, channel)
  }

  private func check(_ request: Request) throws {
    let capabilities = capabilities()
    func need(
      _ capability: LanguageModelCapabilities.Capability, _ what: String, _ isNeeded: Bool
    ) throws {
      guard isNeeded, !capabilities.contains(capability) else { return }
      throw LanguageModelError.unsupportedCapability(
        LanguageModelError.UnsupportedCapability(
          capability: capability,
          debugDescription: "The request has \(what), for which the model has no \(capability)."))
    }
    let tools = request.enabledToolDefinitions.map(\.name).joined(separator: ", ")
    try need(.toolCalling, "tools (\(tools))", !request.enabledToolDefinitions.isEmpty)
    try need(.guidedGeneration, "a schema", request.schema != nil)
    try need(.reasoning, "a level of reasoning", request.contextOptions.reasoningLevel != nil)
    try need(.vision, "an image", request.transcript.contains(where: \.hasImage))
  }
}

/// The executor of a model, made when it is first needed.
private final class HeldExecutor<Model: LanguageModel>: Sendable {
  private let model: Model
  private let box = Mutex<ExecutorBox<Model.Executor>?>(nil)

  init(_ model: Model) { self.model = model }

  /// - Throws: What the executor's initializer throws, each time anew.
  func get() throws -> Model.Executor {
    if let box = box.withLock({ $0 }) { return box.executor }
    let made = try ExecutorCache.box(of: Model.Executor.self, model.executorConfiguration)
    return box.withLock { box in
      let kept = box ?? made
      box = kept
      return kept.executor
    }
  }
}

private final class ExecutorBox<Executor: LanguageModelExecutor>: Sendable {
  let configuration: Executor.Configuration
  let executor: Executor
  private let place: ExecutorCache.Place

  /// - Throws: What the executor's initializer throws.
  init(_ configuration: Executor.Configuration, _ place: ExecutorCache.Place) throws {
    self.configuration = configuration
    self.place = place
    executor = try Executor(configuration: configuration)
  }

  deinit { ExecutorCache.forget(ObjectIdentifier(self), place) }
}

/// The executors of this process: one for each configuration, as long as somebody has it.
///
/// How configurations are hashed and compared is their authors' code, and so is what happens when one goes away: none of it
/// under the lock.
private enum ExecutorCache {
  struct Place: Hashable, Sendable {
    let type: ObjectIdentifier
    /// Of the configuration.
    let hash: Int
  }

  private struct Weak {
    weak var box: (any AnyObject & Sendable)?
  }

  private static let executors = Mutex<[Place: [ObjectIdentifier: Weak]]>([:])

  static func box<Executor: LanguageModelExecutor>(
    of type: Executor.Type, _ configuration: Executor.Configuration
  ) throws -> ExecutorBox<Executor> {
    let place = Place(type: ObjectIdentifier(type), hash: configuration.hashValue)
    var compared: [ExecutorBox<Executor>] = []
    var made: ExecutorBox<Executor>?
    while true {
      let others = exchange(made, place, unless: compared)
      if let same = others.first(where: { $0.configuration == configuration }) { return same }
      compared += others
      guard others.isEmpty else { continue }
      if let made { return made }
      made = try ExecutorBox(configuration, place)
    }
  }

  /// What stands at `place` and was not `compared`; where there is nothing such, `box` is put there.
  private static func exchange<Executor: LanguageModelExecutor>(
    _ box: ExecutorBox<Executor>?, _ place: Place, unless compared: [ExecutorBox<Executor>]
  ) -> [ExecutorBox<Executor>] {
    let compared = Set(compared.map(ObjectIdentifier.init))
    let others = executors.withLock { executors in
      let others = executors[place, default: [:]].compactMap { id, other in
        compared.contains(id) ? nil : other.box
      }
      if others.isEmpty, let box {
        executors[place, default: [:]][ObjectIdentifier(box)] = Weak(box: box)
      }
      return others
    }
    return others.compactMap { $0 as? ExecutorBox<Executor> }
  }

  static func forget(_ box: ObjectIdentifier, _ place: Place) {
    executors.withLock { executors in
      executors[place]?[box] = nil
      if executors[place]?.isEmpty == true { executors[place] = nil }
    }
  }
}

extension Transcript.Entry {
  /// Whether an image is in it.
  fileprivate var hasImage: Bool {
    return segments.contains { if case .attachment = $0 { true } else { false } }
  }
}
