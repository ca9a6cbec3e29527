import JSON

/// Whose interface a route is of, which decides how errors look.
enum Interface: Sendable {
  case openAI
  case anthropic
  case ollama

  /// The interface that has a path, also one that is no route here.
  init(path: String) {
    if path.hasPrefix("/api/") {
      self = .ollama
    } else if path == "/v1/messages" || path.hasPrefix("/v1/messages/") {
      self = .anthropic
    } else {
      self = .openAI
    }
  }

  /// The field of an answer in which clients look for the identity of their request.
  var identityField: String { self == .anthropic ? "request-id" : "X-Request-Id" }

  /// The body that tells of an error.
  func body(of error: ServingError) -> JSONObject {
    switch self {
    case .openAI: OpenAIErrors.json(error)
    case .anthropic: AnthropicErrors.json(error)
    case .ollama: OllamaErrors.json(error)
    }
  }
}
