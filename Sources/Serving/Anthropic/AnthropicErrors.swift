import JSON

/// Errors in the form of Anthropic's interface.
///
/// Source: Anthropic's API reference, "Errors".
enum AnthropicErrors {
  static func json(_ error: ServingError) -> JSONObject {
    let type =
      switch error.kind {
      case .invalidRequest, .methodNotAllowed, .timeout, .headTooLarge, .unsupportedMediaType:
        "invalid_request_error"
      case .unauthorized: "authentication_error"
      case .forbidden: "permission_error"
      case .notFound: "not_found_error"
      case .tooLarge: "request_too_large"
      case .overloaded: "rate_limit_error"
      case .unavailable: "overloaded_error"
      case .failed: "api_error"
      }
    var told: JSONObject = ["type": .string(type), "message": .string(error.message)]
    if let code = error.code { told["details"] = .object(["error_code": .string(code)]) }
    return ["type": .string("error"), "error": .object(told), "request_id": .null]
  }
}
