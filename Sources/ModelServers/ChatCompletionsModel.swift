public import Foundation
public import FoundationModels

/// A model on a server that speaks OpenAI's chat completions, as most servers do: hosted ones, and llama.cpp, vLLM, Ollama and others of
/// one's own.
///
/// Answers are streamed. Nothing falls back to another model, and redirects are not followed. A request that failed before anything of its answer
/// came is made again, as often as the options say, after as long as the server asks.
///
/// Source: OpenAI's API reference, "Chat completions"; the fields are those that the servers above share.
public struct ChatCompletionsModel: Sendable {
  /// What the server calls the model.
  public var name: String
  /// Where the server's interface begins, mostly at `/v1`: `/chat/completions` is appended.
  public var url: URL
  /// How the server is asked.
  public var options: Options
  let key: ServerKey?
  /// Where proxies and waits are named; nil for the environment of the process.
  var environment: [String: String]?

  /// The model `name` of the server at `url`.
  ///
  /// The key goes to this server alone, by https or on this machine, as a bearer token; no text of this module shows it.
  public init(name: String, url: URL, key: String? = nil, options: Options = Options()) {
    (self.name, self.url, self.options) = (name, url, options)
    self.key = key.map { ServerKey(text: $0) }
  }

  /// How a server is asked.
  public struct Options: Sendable, Hashable {
    /// Whether the server holds its answers to a JSON schema.
    public var hasGuidedGeneration = true
    /// Whether the model calls tools.
    public var hasToolCalling = true
    /// Whether the model takes a level of reasoning, as `reasoning_effort`.
    public var hasReasoning = false
    /// Whether the model reads images.
    public var hasVision = false
    /// Seconds without anything from the server after which it is given up, more than 0.
    public var timeout = 120.0
    /// How often a request is made at most, 1 or more.
    public var attempts = 3
    /// Seconds that a server may ask to wait at most before the next attempt; one that asks for more is an error at once.
    public var longestWait = 60.0
    /// What the server calls the limit of tokens: newer ones `max_completion_tokens`, older ones `max_tokens`.
    public var tokenLimitName = "max_completion_tokens"
    /// Whether plain http may go to other machines; a key never does.
    public var allowsHTTP = false

    /// A server that does what OpenAI's does for most models.
    public init() {}
  }
}

extension ChatCompletionsModel: LanguageModel {
  /// What the options say.
  public var capabilities: LanguageModelCapabilities {
    let all: [(Bool, LanguageModelCapabilities.Capability)] = [
      (options.hasGuidedGeneration, .guidedGeneration), (options.hasToolCalling, .toolCalling),
      (options.hasReasoning, .reasoning), (options.hasVision, .vision),
    ]
    return LanguageModelCapabilities(all.filter(\.0).map(\.1))
  }

  /// The server, the key and the options; models that differ in their names alone share connections.
  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(
      address: url.absoluteString, key: key, options: options, environment: environment)
  }

  /// Asks servers over libcurl.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = ChatCompletionsModel

    /// A server and how it is asked.
    public struct Configuration: Hashable, Sendable {
      let address: String
      let key: ServerKey?
      let options: Options
      let environment: [String: String]?
    }

    let server: ChatServer

    /// An executor for a server.
    ///
    /// - Throws: ``ChatServerError/address(reason:)``, or ``ChatServerError/credential(name:)``.
    public init(configuration: Configuration) throws { server = try ChatServer(configuration) }

    /// Asks the server, and sends what comes.
    ///
    /// - Throws: ``ChatServerError``, `LanguageModelError`, or `CancellationError`.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ChatCompletionsModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let body = try ChatRequest(request, model).json
      var answer = ChatAnswer(model: model.name, server: server.origin)
      for try await piece in server.ask(body, model: model.name) {
        for event in try answer.take(piece) { await channel.send(event) }
      }
      for event in try answer.finish() { await channel.send(event) }
    }
  }
}
