public import Foundation
public import FoundationModels
import JSON

/// A model on a server: what the models of this module have in common.
///
/// Answers are streamed. Nothing falls back to another model, and redirects are not followed. A request that failed before anything of its answer
/// came is made again, as often as the options say, after as long as the server asks. The interfaces are those of this module; nobody else can make
/// a ``ServerForm``.
public protocol ServerModel: LanguageModel where Executor.Configuration == ServerConfiguration {
  /// Which model of which server it is, and how it is asked.
  var served: ServedModel { get set }
  /// What requests and answers look like.
  var form: ServerForm { get }

  /// A model with the settings of its own as they are by default.
  init(_ served: ServedModel)
}

/// A model of a server, and how it is asked, whatever the interface.
public struct ServedModel: Sendable {
  var name: String
  var url: URL
  var options: ServerOptions
  var key: ServerKey?
  /// Where proxies and waits are named; nil for the environment of the process.
  var environment: [String: String]?
}

/// What the requests of a model and the answers to them look like.
public struct ServerForm: Sendable {
  let interface: ServerInterface
  /// Of each request, beside those that all have.
  var fields: [String] = []
  let answer: any ServerAnswer.Type
  let body: @Sendable (LanguageModelExecutorGenerationRequest, AskedServer) throws -> JSONValue
}

extension ServerModel {
  /// The model `name` of the server at `url`.
  ///
  /// The key goes to this server alone, by https or on this machine, as its interface wants it; no text of this module shows it.
  public init(
    name: String, url: URL, key: String? = nil, options: ServerOptions = ServerOptions()
  ) {
    let key = key.map { ServerKey(text: $0) }
    self.init(ServedModel(name: name, url: url, options: options, key: key))
  }

  /// What the server calls the model.
  public var name: String {
    get { served.name }
    set { served.name = newValue }
  }

  /// Where the server's interface begins, mostly at `/v1`: the rest, such as `/responses`, is appended.
  public var url: URL {
    get { served.url }
    set { served.url = newValue }
  }

  /// How the server is asked.
  public var options: ServerOptions {
    get { served.options }
    set { served.options = newValue }
  }

  /// What the options say.
  public var capabilities: LanguageModelCapabilities { options.capabilities }

  /// The server, the key and the options; models that differ in the rest alone share connections.
  public var executorConfiguration: ServerConfiguration {
    ServerConfiguration(
      interface: form.interface, address: url.absoluteString, key: served.key, options: options,
      fields: form.fields, environment: served.environment)
  }
}

/// Asks servers over libcurl.
public struct ServerExecutor<Model: ServerModel>: LanguageModelExecutor {
  private let server: ModelServer

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
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let (form, asked) = (model.form, server.asked(model.name))
    try await server.respond(form.answer, to: form.body(request, asked), of: asked, into: channel)
  }
}
