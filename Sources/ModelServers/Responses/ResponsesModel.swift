public import Foundation
public import FoundationModels

/// A model on a server that speaks OpenAI's Responses API: OpenAI's own, and llama.cpp, vLLM and others of one's own.
///
/// It does what ``ChatCompletionsModel`` does, and what that interface has no place for: thoughts go back to the server that made them, so that a
/// model that thinks does not begin anew after each call of a tool. The server is asked to store nothing; the transcript is the session's.
///
/// Source: OpenAI's API reference, "Responses", and its Python package 3.54.0, which has the types of all events.
public struct ResponsesModel: Sendable {
  /// What the server calls the model.
  public var name: String
  /// Where the server's interface begins, mostly at `/v1`: `/responses` is appended.
  public var url: URL
  /// How the server is asked; a level of reasoning goes out as the `effort` of `reasoning`.
  public var options: ServerOptions
  /// How thoughts are told where the server keeps them to itself: `auto`, `concise` or `detailed`; nil for not at all.
  public var reasoningSummary: String?
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

extension ResponsesModel: LanguageModel {
  /// What the options say.
  public var capabilities: LanguageModelCapabilities { options.capabilities }

  /// The server, the key and the options; models that differ in their names alone share connections.
  public var executorConfiguration: ServerConfiguration {
    ServerConfiguration(
      interface: .responses, address: url.absoluteString, key: key, options: options,
      environment: environment)
  }

  /// Asks servers over libcurl.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = ResponsesModel

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
      to request: LanguageModelExecutorGenerationRequest, model: ResponsesModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let body = try ResponsesRequest(request, model, server.asked(model.name)).json
      try await server.respond(ResponsesAnswer.self, to: body, of: model.name, into: channel)
    }
  }
}
