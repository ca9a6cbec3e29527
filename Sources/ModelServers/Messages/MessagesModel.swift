public import Foundation
public import FoundationModels

/// A model on a server that speaks Anthropic's Messages API: Anthropic's own, and llama.cpp and others of one's own.
///
/// Answers are streamed. Nothing falls back to another model, and redirects are not followed. A request that failed before anything of its answer
/// came is made again, as often as the options say, after as long as the server asks. Thoughts go back, with the proof of the server that made
/// them, as it demands between calls of tools.
///
/// A value is asked for as a structured output. What those cannot hold an answer to, such as ranges and patterns, stands in descriptions, and the
/// session holds the value against it when it comes.
///
/// Source: Anthropic, "Messages", "Streaming messages", "Errors", "Structured outputs" and "Migrating to API version 2026-10-21", and its Python
/// package 2.12.0, which has the types of all events.
public struct MessagesModel: Sendable {
  /// What the server calls the model.
  public var name: String
  /// Where the server's interface begins, mostly at `/v1`: `/messages` is appended.
  public var url: URL
  /// How the server is asked.
  ///
  /// A level of reasoning lets the model think as it likes, with that effort. One that is a number, such as `.custom("4096")`, lets it think that many
  /// tokens, 1,024 or more, which models before 4.6 want instead.
  public var options: ServerOptions
  /// Tokens of an answer at most where nobody asks for another number, its thoughts among them: this interface wants to be told.
  ///
  /// A model that never writes as many refuses it; those of 2024 write 4,096 or 8,192.
  public var tokenLimit = 16_384
  /// Whether the server keeps what it has read for the next requests, for some minutes and at a price.
  public var cachesPrompts = false
  /// Which version of the interface is asked for.
  ///
  /// From this one on Anthropic's server refuses `temperature`, `top_p` and `top_k`; models up to 4.6 take them by `2023-06-01`.
  public var version = "2026-10-21"
  let key: ServerKey?
  /// Where proxies and waits are named; nil for the environment of the process.
  var environment: [String: String]?

  /// The model `name` of the server at `url`.
  ///
  /// The key goes to this server alone, by https or on this machine, as `x-api-key`; no text of this module shows it.
  public init(
    name: String, url: URL, key: String? = nil, options: ServerOptions = ServerOptions()
  ) {
    (self.name, self.url, self.options) = (name, url, options)
    self.key = key.map { ServerKey(text: $0) }
  }
}

extension MessagesModel: LanguageModel {
  /// What the options say.
  public var capabilities: LanguageModelCapabilities { options.capabilities }

  /// The server, the key, the version and the options; models that differ in the rest alone share connections.
  public var executorConfiguration: ServerConfiguration {
    ServerConfiguration(
      interface: .messages, address: url.absoluteString, key: key, options: options,
      fields: ["anthropic-version: \(version)"], environment: environment)
  }

  /// Asks servers over libcurl.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = MessagesModel

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
      to request: LanguageModelExecutorGenerationRequest, model: MessagesModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let body = try MessagesRequest(request, model, server.asked(model.name)).json
      try await server.respond(MessagesAnswer.self, to: body, of: model.name, into: channel)
    }
  }
}
