import Foundation
import Synchronization

/// A model of any kind as a session uses it: through its executor.
struct ModelLink: Sendable {
  typealias Request = LanguageModelExecutorGenerationRequest
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// What a session knows before its next prompt.
  struct Start: Sendable {
    let history: Transcript
    let spoken: SpokenTokens?
    let prefix: Prompt?
  }

  private let capabilities: @Sendable () -> LanguageModelCapabilities
  /// Lets the executor get ready for a request with this beginning.
  let prewarmExecutor: @Sendable (Transcript) -> Void
  private let answer: @Sendable (Request, Channel) async throws -> Void
  /// Gets ready for a prompt.
  let prewarm: @Sendable (SessionEngine, Start) async -> Void
  /// Counts a request; nil for a model that only counts with its answer.
  let measure: (@Sendable (SessionEngine, Request) async throws -> ContextMeasure)?

  init<Model: LanguageModel>(_ model: Model) {
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
  @concurrent func respond(to request: Request, _ channel: Channel) async throws {
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
    let made = try ExecutorShelf.box(for: model.executorConfiguration, of: Model.Executor.self)
    return box.withLock { box in
      let kept = box ?? made
      box = kept
      return kept.executor
    }
  }
}

private final class ExecutorBox<Executor: LanguageModelExecutor>: Sendable {
  let executor: Executor
  private let key: ExecutorShelf.Key

  init(_ executor: Executor, _ key: ExecutorShelf.Key) {
    (self.executor, self.key) = (executor, key)
  }

  deinit { ExecutorShelf.forget(key) }
}

/// The executors of this process: one for each configuration, as long as somebody has it.
private enum ExecutorShelf {
  struct Key: Hashable, @unchecked Sendable {
    let type: ObjectIdentifier
    let configuration: AnyHashable
  }

  private struct Weak {
    weak var box: (any AnyObject & Sendable)?
  }

  private static let boxes = Mutex<[Key: Weak]>([:])

  static func box<Executor: LanguageModelExecutor>(
    for configuration: Executor.Configuration, of type: Executor.Type
  ) throws -> ExecutorBox<Executor> {
    let key = Key(type: ObjectIdentifier(type), configuration: AnyHashable(configuration))
    if let box = boxes.withLock({ $0[key]?.box as? ExecutorBox<Executor> }) { return box }
    // Not under the lock: an executor may open files, or use other models.
    let made = ExecutorBox(try Executor(configuration: configuration), key)
    return boxes.withLock { boxes in
      if let other = boxes[key]?.box as? ExecutorBox<Executor> { return other }
      boxes[key] = Weak(box: made)
      return made
    }
  }

  /// Lets go of a configuration, which may hold a model, once nobody has its executor.
  static func forget(_ key: Key) {
    // Nothing may go away under the lock: an executor comes back here when it does.
    let (other, gone) = boxes.withLock { boxes -> ((any AnyObject & Sendable)?, Key?) in
      let other = boxes[key]?.box
      guard other == nil, let place = boxes.index(forKey: key) else { return (other, nil) }
      return (nil, boxes.remove(at: place).key)
    }
    withExtendedLifetime((other, gone)) {}
  }
}

extension Transcript.Entry {
  /// Whether an image is in it.
  fileprivate var hasImage: Bool {
    return segments.contains { if case .attachment = $0 { true } else { false } }
  }
}
