import Foundation
import FoundationModels

/// How a server is asked.
public struct ServerOptions: Sendable, Hashable {
  /// Whether the server holds its answers to a JSON schema.
  public var hasGuidedGeneration = true
  /// Whether the model calls tools.
  public var hasToolCalling = true
  /// Whether the model takes a level of reasoning.
  public var hasReasoning = false
  /// Whether the model reads images.
  public var hasVision = false
  /// Seconds without anything from the server after which it is given up, more than 0.
  public var timeout = 120.0
  /// How often a request is made at most, 1 or more.
  public var attempts = 3
  /// Seconds that a server may ask to wait at most before the next attempt; one that asks for more is an error at once.
  public var longestWait = 60.0
  /// Whether plain http may go to other machines; a key never does.
  public var allowsHTTP = false

  /// A server that does what the makers' own servers do for most models.
  public init() {}

  var capabilities: LanguageModelCapabilities {
    let all: [(Bool, LanguageModelCapabilities.Capability)] = [
      (hasGuidedGeneration, .guidedGeneration), (hasToolCalling, .toolCalling),
      (hasReasoning, .reasoning), (hasVision, .vision),
    ]
    return LanguageModelCapabilities(all.filter(\.0).map(\.1))
  }
}

/// What servers are asked by.
public enum ServerInterface: String, Sendable, Hashable {
  /// OpenAI's chat completions, which most servers speak.
  case chatCompletions
  /// OpenAI's Responses API.
  case responses
  /// Anthropic's Messages API.
  case messages

  /// What texts call it.
  var name: String {
    switch self {
    case .chatCompletions: "chat completions"
    case .responses: "the Responses API"
    case .messages: "the Messages API"
    }
  }

  /// What an address ends with.
  var path: String {
    switch self {
    case .chatCompletions: "chat/completions"
    case .responses: "responses"
    case .messages: "messages"
    }
  }

  /// The field of a request that has the key.
  func field(_ key: ServerKey) -> String {
    switch self {
    case .chatCompletions, .responses: "Authorization: Bearer \(key.text)"
    case .messages: "x-api-key: \(key.text)"
    }
  }
}

/// A server and how it is asked: what models that share connections have in common.
public struct ServerConfiguration: Hashable, Sendable {
  let interface: ServerInterface
  let address: String
  let key: ServerKey?
  let options: ServerOptions
  /// Of each request, beside those that all have.
  var fields: [String] = []
  /// Where proxies and waits are named; nil for the environment of the process.
  var environment: [String: String]?
}

/// Whom a request is for, as texts and transcripts name it.
struct AskedServer: Sendable {
  /// Scheme, host and port.
  let origin: String
  let interface: ServerInterface
  /// What the model is called by who asks.
  let model: String
  let key: ServerKey?

  /// What the transcript has of who answered: `model`, as the server calls it.
  func metadata(model: String, stop: String? = nil) -> [String: String] {
    var values = ["model": model, "server": origin, "interface": interface.rawValue]
    values["stopReason"] = stop
    return values
  }

  /// Whether this server made the entry with `metadata`, so that it may read its own signature there.
  func made(_ metadata: EntryMetadata) -> Bool {
    metadata.text("server") == origin && metadata.text("interface") == interface.rawValue
  }
}

extension EntryMetadata {
  /// The text that the metadata has under `key`.
  func text(_ key: String) -> String? { self[key] as? String }
}
