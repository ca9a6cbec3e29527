import JSON

/// Errors in the form of OpenAI's interface.
enum OpenAIErrors {
  static func json(_ error: ServingError) -> JSONObject {
    [
      "error": .object([
        "message": .string(error.message), "type": .string(type(of: error)),
        "param": .text(error.field), "code": .text(error.code),
      ])
    ]
  }

  static func type(of error: ServingError) -> String {
    switch error.kind {
    case .invalidRequest, .methodNotAllowed, .timeout, .tooLarge, .headTooLarge,
      .unsupportedMediaType:
      "invalid_request_error"
    case .unauthorized: "authentication_error"
    case .forbidden: "permission_error"
    case .notFound: "not_found_error"
    case .overloaded: "rate_limit_error"
    case .unavailable: "unavailable_error"
    case .failed: "server_error"
    }
  }
}
