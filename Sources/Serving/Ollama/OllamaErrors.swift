import JSON

/// Errors in the form of Ollama's interface.
enum OllamaErrors {
  static func json(_ error: ServingError) -> JSONObject { ["error": .string(error.message)] }

  /// An error as Ollama words it, where tools look for that.
  static func worded(_ error: ServingError, model: String) -> ServingError {
    guard error.code == "model_not_found" else { return error }
    let name = model.unicodeScalars.filter { $0.value >= 0x20 }.prefix(128)
    return ServingError(
      .notFound, "model \"\(String(String.UnicodeScalarView(name)))\" not found",
      field: error.field,
      code: error.code)
  }
}
