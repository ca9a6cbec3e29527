import JSON
import Tokenization

/// A request for completions, which continue texts as they are.
///
/// Source: OpenAI's API reference, "Create completion".
struct CompletionsRequest: Sendable {
  let model: String
  /// One for each prompt.
  let generations: [GenerationRequest]
  /// Answers that are wanted to each prompt.
  let count: Int
  /// Whether answers begin with their prompt.
  let echoes: Bool
  let stream: StreamOptions?

  /// Prompts of a request, at most.
  private static let promptLimit = 128
  /// Tokens of an answer, where nothing is said.
  private static let usualTokens = 16

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ body: [UInt8], answerLimit: Int) throws(ServingError) {
    let fields = try RequestReader(body)
    model = try fields.required("model", fields.string("model"))
    count = try fields.integer("n", 1...answerLimit) ?? 1
    echoes = try fields.bool("echo") ?? false
    let logs = try fields.integer("logprobs", 0...5)
    if echoes, logs != nil {
      throw .invalid(
        "echo", "how likely the tokens of a prompt are is not told; leave out logprobs.")
    }
    if let best = try fields.integer("best_of", 0...20), best != count {
      throw .invalid("best_of", "answers are not chosen from; this can only be what n is.")
    }
    let maximum = try fields.integer("max_tokens", 1...Int(Int32.max)) ?? Self.usualTokens
    let form = try OpenAIForm.form(fields)
    var generations: [GenerationRequest] = []
    for (field, prompt) in try Self.prompts(fields) {
      var request = GenerationRequest(prompt)
      request.promptField = field
      (request.maximumTokens, request.likeliest, request.form) = (maximum, logs, form)
      try request.setSampling(fields)
      generations.append(request)
    }
    self.generations = generations
    stream = try StreamOptions(fields)
    try fields.refuseRest()
  }

  private typealias Prompt = (field: String, prompt: GenerationRequest.Prompt)

  /// A text or tokens, or several of the same kind.
  private static func prompts(_ fields: RequestReader) throws(ServingError) -> [Prompt] {
    fields.describe("prompt", .schema("string"), .schema("array"))
    let value = try fields.required("prompt", fields["prompt"])
    if let text = value.string { return [("prompt", .text(text))] }
    guard let values = value.array, let first = values.first else {
      throw .invalid(
        "prompt", "this has to be a text, or an array of texts, of tokens or of arrays of those.")
    }
    if first.number != nil { return [("prompt", .tokens(try tokens(values, at: "prompt")))] }
    guard values.count <= promptLimit else {
      throw .invalid("prompt", "there are \(values.count) prompts, and may be \(promptLimit).")
    }
    var prompts: [Prompt] = []
    for (index, value) in values.enumerated() {
      let field = "prompt[\(index)]"
      if first.string != nil, let text = value.string {
        prompts.append((field, .text(text)))
      } else if first.array != nil, let values = value.array {
        prompts.append((field, .tokens(try tokens(values, at: field))))
      } else {
        throw .invalid(field, "this is \(value.kind), which does not fit the rest.")
      }
    }
    return prompts
  }

  private static func tokens(
    _ values: [JSONValue], at field: String
  ) throws(ServingError) -> [Token] {
    var tokens: [Token] = []
    for (index, value) in values.enumerated() {
      guard let token = value.integer.flatMap({ Token(exactly: $0) }) else {
        throw .invalid("\(field)[\(index)]", "this has to be the number of a token.")
      }
      tokens.append(token)
    }
    return tokens
  }
}
