import Foundation
import FoundationModels
import JSON

/// An error that a server sends, as what it means to who asked.
struct ServerFault: Error {
  /// 200 for one in a stream.
  let status: Int
  /// What the server says; nil where it is no JSON of an error.
  let said: JSONValue?
  let asked: AskedServer
  /// What came instead of JSON.
  var text = ""
  /// Seconds that the server asks to wait.
  var retryAfter: Double?
  /// Whether something of the answer had been handed out.
  var isInAnswer = false

  /// Characters of a server's text that an error shows.
  private static let limit = 400

  /// The server's words, on one line and without the key.
  var message: String {
    let all = said?.object?["message"]?.string ?? said?.string ?? text
    let shown = asked.key?.hidden(in: all) ?? all
    let line = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .filter {
        $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
      }
    guard !line.isEmpty else { return "it gives no reason" }
    return line.count > Self.limit ? line.prefix(Self.limit) + "…" : line
  }

  /// Whether the same request may fare better later.
  var isTransient: Bool {
    !isInAnswer && !isSpent && [408, 429, 500, 502, 503, 504, 529].contains(meaning)
  }

  var error: any Error {
    if let full { return full }
    let server = asked.origin
    if isInAnswer { return ModelServerError.cut(server: server, reason: message) }
    switch meaning {
    case 401, 403: return ModelServerError.unauthorized(server: server, message: message)
    case 404:
      return ModelServerError.notFound(
        server: server, interface: asked.interface, model: asked.model, message: message)
    case 408, 504:
      return LanguageModelError.timeout(
        LanguageModelError.Timeout(debugDescription: "\(server): \(message)"))
    case 429 where !isSpent:
      return LanguageModelError.rateLimited(
        LanguageModelError.RateLimited(
          resetDate: retryAfter.map { Date(timeIntervalSinceNow: $0) },
          debugDescription: "\(server): \(message)"))
    case 500...:
      return ModelServerError.failed(server: server, status: meaning, message: message)
    // In a stream there is no status, and this error is of no known kind.
    case 200: return ModelServerError.cut(server: server, reason: message)
    default: return ModelServerError.refused(server: server, status: meaning, message: message)
    }
  }

  // MARK: - Kinds

  /// Statuses of errors in streams, by the kinds that OpenAI's (first) and Anthropic's server name.
  private static let statuses = [
    "invalid_prompt": 400, "rate_limit_exceeded": 429, "insufficient_quota": 429,
    "server_error": 500,
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413,
    "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
  ]

  private var kinds: [String] {
    let object = said?.object
    let details = object?["details"]?.object
    return [object?["code"], object?["type"], details?["error_code"]].compactMap { $0?.string }
  }

  /// The status, also of an error in a stream as far as its kind is known.
  private var meaning: Int {
    guard status == 200 else { return status }
    if let code = said?.object?["code"]?.integer, (400...599).contains(code) { return code }
    return kinds.lazy.compactMap { Self.statuses[$0] }.first ?? status
  }

  /// Whether what was paid for is used up, which no wait mends.
  private var isSpent: Bool {
    kinds.contains { $0 == "insufficient_quota" || $0.hasSuffix("spend_limit_reached") }
  }

  /// How servers tell of a full context that have no kind for it, with its size and what does not fit: Anthropic's ("prompt is too long: 208310
  /// tokens > 200000 maximum"), vLLM, which took OpenAI's words, Mistral's, SGLang, xAI's.
  private static let fullWords = [
    "prompt is too long", "maximum context length", "longer than the model's context length",
    "maximum prompt length",
  ]

  /// The error of a context that is full.
  private var full: LanguageModelError? {
    let object = said?.object
    var (size, count) = (
      object?["n_ctx"]?.tokenCount ?? 0, object?["n_prompt_tokens"]?.tokenCount ?? 0
    )
    let isTooLong =
      [200, 400, 422].contains(meaning) && Self.fullWords.contains { message.contains($0) }
      // That is said of an option which asks for more tokens than there are.
      && !message.contains("is too large: ")
    if isTooLong, count == 0 {
      let numbers = message.split { !("0"..."9").contains($0) }.compactMap { Int($0) }
      let both = numbers.filter { $0 > 0 }.prefix(2)
      if both.count == 2 { (size, count) = (both.min() ?? 0, both.max() ?? 0) }
    }
    let isFull =
      isTooLong || meaning == 413 || kinds.contains("context_length_exceeded")
      // An older vLLM, which takes what is left for the answer.
      || message.contains("max_tokens must be at least 1, got -")
      || kinds.contains("exceed_context_size_error")
    guard isFull else { return nil }
    return .contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: size, tokenCount: count, debugDescription: "\(asked.origin): \(message)"))
  }
}
