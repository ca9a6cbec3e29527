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
    context = try fields.integer("num_ctx", 1...Int(Int32.max))
  }

  /// About the machine, and about what is done where a chat outgrows its context, which is refused here.
  private static let idle: Set = [
    "num_keep", "numa", "num_batch", "num_gpu", "main_gpu", "num_thread", "low_vram", "f16_kv",
    "use_mmap", "use_mlock", "logits_all", "mirostat_tau", "mirostat_eta",
  ]

  func set(on request: inout GenerationRequest) throws(ServingError) {
    try request.setSampling(fields)
    // Negative ones ask for any.
    if try fields.integer("seed", Int.min...Int.max) ?? 0 < 0 { request.seed = nil }
    request.maximumTokens = try limit()
    // Those of other interfaces are read, too.
    try fields.refuse(["logit_bias", "repetition_penalty", "lora"])
    try fields.refuseRest(but: Self.idle)
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
