import Adapters
import JSON

/// The options of a request of Ollama's interface.
///
/// Source: Ollama's reference of the Modelfile, "Valid parameters and values".
struct OllamaOptions {
  private let fields: RequestReader
  /// Tokens of prompt and answer; nil for what the model has.
  let context: Int?

  /// - Throws: `.invalidRequest` for the first option that is wrong, unknown, or asks for what is not done here.
  init(_ request: RequestReader) throws(ServingError) {
    fields = try request.object("options") ?? RequestReader([:], "options")
    let known = Self.done + Self.ignored
    try fields.refuse(fields.object.keys.filter { !known.contains($0) })
    context = try fields.integer("num_ctx", 1...Int(Int32.max))
    for key in ["typical_p", "tfs_z"] {
      guard try fields.number(key, 0...1) ?? 1 == 1 else { throw Self.unsupported(fields, key) }
    }
    guard try fields.bool("penalize_newline") ?? true else {
      throw Self.unsupported(fields, "penalize_newline")
    }
  }

  private static let done = [
    "num_predict", "num_ctx", "seed", "temperature", "top_k", "top_p", "min_p", "repeat_penalty",
    "repeat_last_n", "presence_penalty", "frequency_penalty", "stop", "typical_p", "tfs_z",
    "penalize_newline",
  ]
  /// About the machine, and about what is done where a chat outgrows its context, which is refused here.
  private static let ignored = [
    "num_keep", "numa", "num_batch", "num_gpu", "main_gpu", "num_thread", "low_vram", "f16_kv",
    "use_mmap", "use_mlock", "logits_all", "mirostat_tau", "mirostat_eta",
  ]
  private static func unsupported(_ fields: RequestReader, _ key: String) -> ServingError {
    ServingError(
      .invalidRequest, "\(fields.place(key)): this is not supported.", field: fields.place(key),
      code: "unsupported_parameter")
  }

  func set(on request: inout GenerationRequest) throws(ServingError) {
    try request.setSampling(fields)
    // Negative ones ask for any.
    if try fields.integer("seed", Int.min...Int.max) ?? 0 < 0 { request.seed = nil }
    request.maximumTokens = try limit()
  }

  /// Tokens of an answer at most; nil for all that the context has room for.
  private func limit() throws(ServingError) -> Int? {
    guard let limit = try fields.integer("num_predict", -2...Int(Int32.max)) else { return nil }
    guard limit != 0 else {
      throw .invalid(
        fields.place("num_predict"),
        "this has to be 1 or more, or -1 for all that the context has room for.")
    }
    return limit < 0 ? nil : limit
  }
}
