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
  /// How the server is asked; a level of reasoning goes out as `reasoning_effort`.
  public var options: ServerOptions
  /// What the server calls the limit of tokens: newer ones `max_completion_tokens`, older ones `max_tokens`.
  public var tokenLimitName = "max_completion_tokens"
  let key: ServerKey?
  /// Where proxies and waits are named; nil for the environment of the process.
  var environment: [String: String]?

  /// The model `name` of the server at `url`.
  ///
  /// The key goes to this server alone, by https or on this machine, as a bearer token; no text of this module shows it.
  public init(
    name: String, url: URL, key: String? = nil, options: ServerOptions = ServerOptions()
  ) {
    (self.name, self.url, self.options) = (name, url, options)
    self.key = key.map { ServerKey(text: $0) }
  }
}

extension ChatCompletionsModel: LanguageModel {
  /// What the options say.
  public var capabilities: LanguageModelCapabilities { options.capabilities }

  /// The server, the key and the options; models that differ in their names alone share connections.
  public var executorConfiguration: ServerConfiguration {
    ServerConfiguration(
      interface: .chatCompletions, address: url.absoluteString, key: key, options: options,
      environment: environment)
  }

  /// Asks servers over libcurl.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = ChatCompletionsModel

    let server: ModelServer

    /// An executor for a server.
    ///
    /// - Throws: ``ModelServerError/address(reason:)``, or ``ModelServerError/credential(name:)``.
    public init(configuration: ServerConfiguration) throws {
      server = try ModelServer(configuration)
    }

    /// Asks the server, and sends what comes.
    ///
    /// - Throws: ``ModelServerError``, `LanguageModelError`, or `CancellationError`.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ChatCompletionsModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await server.respond(
        ChatAnswer.self, to: ChatRequest(request, model).json, of: model.name, into: channel)
    }
  }
}
