import Adapters
import ChatTemplates
import JSON

/// A request for chat completions, OpenAI's and, where they add to it, vLLM's and llama.cpp's.
///
/// Source: OpenAI's API reference, "Create chat completion".
struct ChatCompletionsRequest: Sendable {
  let model: String
  let generation: GenerationRequest
  /// Answers that are wanted.
  let count: Int
  let stream: StreamOptions?

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ body: [UInt8], answerLimit: Int) throws(ServingError) {
    let fields = try RequestReader(body)
    model = try fields.required("model", fields.string("model"))
    let messages = try OpenAIMessages(fields).messages
    var request = GenerationRequest(.chat(messages))
    try OpenAITools(fields).set(on: &request)
    try request.setSampling(fields)
    request.form = try OpenAIForm.form(fields)
    let tokens = try fields.integer("max_completion_tokens", 1...Int(Int32.max))
    let older = try fields.integer("max_tokens", 1...Int(Int32.max))
    request.maximumTokens = [tokens, older].compactMap(\.self).min()
    request.likeliest = try GenerationRequest.likeliest(fields)
    request.thinking = try ResponsesReasoning.effort(fields, "reasoning_effort")?.thinks
    if let template = try fields.object("chat_template_kwargs") {
      request.thinking = try template.bool("enable_thinking") ?? request.thinking
      try template.refuseRest(but: [])
    }
    generation = request
    count = try fields.integer("n", 1...answerLimit) ?? 1
    stream = try StreamOptions(fields)
    try fields.refuseRest()
  }
}

/// Whether an answer comes as a stream, and what with it.
struct StreamOptions: Sendable {
  var includesUsage = false

  /// Nil where the answer is to come whole.
  init?(_ fields: RequestReader) throws(ServingError) {
    let options = try fields.object("stream_options")
    let includesUsage = try options?.bool("include_usage") ?? false
    guard try fields.bool("stream") ?? false else { return nil }
    self.includesUsage = includesUsage
  }
}

extension GenerationRequest {
  /// Takes over how tokens are drawn, and what ends an answer.
  mutating func setSampling(
    _ fields: RequestReader, stops key: String = "stop"
  ) throws(ServingError) {
    sampling[.temperature] = try fields.number("temperature", 0...2)
    sampling[.topP] = try fields.number("top_p", 0...1).map { max($0, .leastNonzeroMagnitude) }
    sampling[.topK] = try fields.integer("top_k", -1...1_000_000).map { Double(max($0, 0)) }
    sampling[.minP] = try fields.number("min_p", 0...1)
    try setPenalties(fields)
    lora = try fields.objects("lora").map(AdapterScale.list)
    seed = try fields.integer("seed", Int.min...Int.max).map { UInt64(bitPattern: Int64($0)) }
    stops = try Self.stops(fields, key)
  }

  /// Of how many likely tokens the probability is wanted; nil for none.
  static func likeliest(_ fields: RequestReader) throws(ServingError) -> Int? {
    let count = try fields.integer("top_logprobs", 0...20)
    guard try fields.bool("logprobs") ?? false else {
      guard count ?? 0 == 0 else {
        throw .invalid("top_logprobs", "logprobs has to be true for this.")
      }
      return nil
    }
    return count ?? 0
  }

  /// Ends of an answer, at most, and their bytes.
  private static let (stopLimit, stopBytes) = (16, 1024)

  private static func stops(
    _ fields: RequestReader, _ key: String
  ) throws(ServingError) -> [String] {
    fields.describe(key, .schema("string"), .texts)
    guard let value = fields[key] else { return [] }
    let values = value.array ?? [value]
    guard values.count <= stopLimit else {
      throw .invalid(key, "there are \(values.count) texts, and may be \(stopLimit).")
    }
    return try values.map { value throws(ServingError) in
      guard let text = value.string, (1...stopBytes).contains(text.utf8.count) else {
        throw .invalid(
          key, "this has to be a text of 1 to \(stopBytes) bytes, or an array of such.")
      }
      return text
    }
  }
}
