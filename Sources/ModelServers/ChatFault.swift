import Adapters
import Foundation
import FoundationModels

/// An error that a server sends, as what it means to who asked.
struct ChatFault {
  /// 200 for one in a stream.
  let status: Int
  /// What the server says; nil where it is no JSON of an error.
  let said: JSONValue?
  let server: String
  let model: String
  /// What came instead of JSON.
  var text = ""
  /// Seconds that the server asks to wait.
  var retryAfter: Double?

  /// Characters of a server's text that an error shows.
  private static let limit = 400

  /// The server's words, on one line.
  var message: String {
    let all = said?.object?["message"]?.string ?? said?.string ?? text
    let line = all.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .filter {
        $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
      }
    guard !line.isEmpty else { return "it gives no reason" }
    return line.count > Self.limit ? line.prefix(Self.limit) + "…" : line
  }

  /// Whether the same request may fare better later.
  var isTransient: Bool { [408, 429, 500, 502, 503, 504, 529].contains(status) }

  var error: any Error {
    if let full { return full }
    switch status {
    case 401, 403: return ChatServerError.unauthorized(server: server, message: message)
    case 404: return ChatServerError.notFound(server: server, model: model, message: message)
    case 408, 504:
      return LanguageModelError.timeout(
        LanguageModelError.Timeout(debugDescription: "\(server): \(message)"))
    case 429:
      return LanguageModelError.rateLimited(
        LanguageModelError.RateLimited(
          resetDate: retryAfter.map { Date(timeIntervalSinceNow: $0) },
          debugDescription: "\(server): \(message)"))
    case 500...:
      return ChatServerError.failed(server: server, status: status, message: message)
    // In a stream that has begun there is no status.
    case 200: return ChatServerError.cut(server: server, reason: message)
    default: return ChatServerError.refused(server: server, status: status, message: message)
    }
  }

  /// The error of a context that is full, as OpenAI's servers and llama.cpp's tell it.
  private var full: LanguageModelError? {
    let object = said?.object
    let kinds = [object?["code"]?.string, object?["type"]?.string]
    let isFull =
      status == 413 || kinds.contains("context_length_exceeded")
      || kinds.contains("exceed_context_size_error")
    guard isFull else { return nil }
    return .contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: object?["n_ctx"]?.integer ?? 0,
        tokenCount: object?["n_prompt_tokens"]?.integer ?? 0,
        debugDescription: "\(server): \(message)"))
  }
}
