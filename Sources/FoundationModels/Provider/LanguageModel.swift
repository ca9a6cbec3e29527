/// A model that a session can be held with, wherever it runs: the provider interface of OS 27.
///
/// A model is a light value that says what it can do and which executor does the work. ``SystemLanguageModel`` is one; so is any
/// type of yours with a ``LanguageModelExecutor``.
public protocol LanguageModel: Sendable {
  /// What does the work.
  associatedtype Executor: LanguageModelExecutor where Self == Executor.Model

  /// What the model can do; a session asks for nothing else.
  var capabilities: LanguageModelCapabilities { get }
  /// What an executor is made of; sessions whose models have equal configurations share one.
  var executorConfiguration: Executor.Configuration { get }
}

/// Does the work of a model: makes of a conversation what comes next.
///
/// Sessions call one executor at once from several tasks. An executor that does not end when its task is cancelled keeps its
/// session busy until it does.
public protocol LanguageModelExecutor: Sendable {
  /// What the executor is made of: addresses, credentials, options.
  associatedtype Configuration: Hashable, Sendable
  /// Whose work it does.
  associatedtype Model: LanguageModel

  /// Gets ready for a request whose transcript begins with `transcript`, without waiting; does nothing unless given.
  ///
  /// The last entry is a prompt where the session knows how the next one begins.
  func prewarm(model: Model, transcript: Transcript)

  /// An executor for models with this configuration.
  ///
  /// - Throws: Anything; it is the error of the response for which the executor was made.
  init(configuration: Configuration) throws

  /// Sends what comes next in the transcript of `request` into `channel`, piece by piece, and returns when all of it has come.
  ///
  /// - Throws: Anything; the session throws it as it is. ``LanguageModelError`` has cases that callers know.
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing.
  public func prewarm(model: Model, transcript: Transcript) {}
}

/// What a model can do.
///
/// A session throws ``LanguageModelError/unsupportedCapability(_:)`` for a request that needs anything else, and the executor
/// does not see it.
public struct LanguageModelCapabilities: Sendable {
  private let capabilities: Set<Capability>

  /// These capabilities.
  public init(capabilities: [Capability]) { self.capabilities = Set(capabilities) }

  /// These capabilities.
  public init(_ capabilities: [Capability]) { self.init(capabilities: capabilities) }

  /// Whether `capability` is among them.
  public func contains(_ capability: Capability) -> Bool { capabilities.contains(capability) }
}

extension LanguageModelCapabilities {
  /// Something that not every model can do.
  public struct Capability: Sendable, Hashable {
    let name: String

    /// Reads images.
    public static var vision: Capability { Capability(name: "vision") }
    /// Answers as a schema says, and nothing else.
    public static var guidedGeneration: Capability { Capability(name: "guidedGeneration") }
    /// Thinks before it answers, as much as it is told to.
    public static var reasoning: Capability { Capability(name: "reasoning") }
    /// Calls tools.
    public static var toolCalling: Capability { Capability(name: "toolCalling") }
  }
}

extension LanguageModelCapabilities.Capability: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
