import ChatTemplates
import JSON

/// A request of Ollama's interface for an answer.
///
/// Source: Ollama's API reference, "Generate a completion" and "Generate a chat completion".
struct OllamaRequest: Sendable {
  /// How a text is asked for, and handed out.
  enum Kind: Sendable {
    case chat
    case generate
  }

  let kind: Kind
  let model: String
  /// Nil where the model is only to be loaded, or not to be kept any longer.
  private(set) var generation: GenerationRequest?
  let streams: Bool
  /// Whether the model is wanted no longer.
  let unloads: Bool
  /// Tokens that prompt and answer are to have room for; nil for what the model has.
  let context: Int?

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ body: [UInt8], _ kind: Kind) throws(ServingError) {
    let fields = try RequestReader(body)
    self.kind = kind
    model = try fields.required("model", fields.string("model"))
    streams = try fields.bool("stream") ?? true
    unloads = try Self.unloads(fields)
    let options = try OllamaOptions(fields)
    context = options.context
    let prompt = try Self.prompt(fields, kind)
    var request = GenerationRequest(prompt ?? .text(""))
    try options.set(on: &request)
    if kind == .chat { try OpenAITools(fields).set(on: &request) }
    request.form = try Self.form(fields)
    request.likeliest = try GenerationRequest.likeliest(fields)
    request.thinking = try Self.thinking(fields)
    if prompt != nil { generation = request }
    try fields.refuseRest()
  }

  /// What is to be answered; nil where there is nothing.
  private static func prompt(
    _ fields: RequestReader, _ kind: Kind
  ) throws(ServingError) -> GenerationRequest.Prompt? {
    if kind == .chat {
      let messages = try OllamaMessages(fields).messages
      return messages.isEmpty ? nil : .chat(messages)
    }
    let text = try fields.string("prompt") ?? ""
    let system = try fields.string("system") ?? ""
    let isRaw = try fields.bool("raw") ?? false
    guard !isRaw || system.isEmpty else {
      throw .invalid("system", "a raw prompt has no instructions beside it.")
    }
    guard !text.isEmpty else { return nil }
    return isRaw ? .text(text) : .chat(OllamaMessages(asking: text, system: system).messages)
  }

  /// Whether no time is left for which the model is to be kept; it is for as long as the server runs.
  private static func unloads(_ fields: RequestReader) throws(ServingError) -> Bool {
    fields.describe("keep_alive", .schema("string"), .schema("number"))
    guard let value = fields["keep_alive"] else { return false }
    guard let text = value.string ?? value.number?.text else {
      throw .invalid("keep_alive", "this has to be a number of seconds, or a text such as '5m'.")
    }
    return ["0", "0.0", "0s", "0m", "0h"].contains(text)
  }

  /// - Throws: `.invalidRequest` for a schema that cannot be enforced.
  private static func form(_ fields: RequestReader) throws(ServingError) -> GenerationRequest.Form {
    fields.describe(
      "format", .schema("string", ["enum": .array([.string("json"), .string("")])]),
      .schema("object"))
    guard let format = fields["format"], format != .string("") else { return .any }
    if format == .string("json") { return .object }
    guard format.object != nil else {
      throw .invalid("format", "this has to be 'json', or a schema.")
    }
    return try OpenAIForm.form(format, at: "format")
  }

  /// Templates know only yes and no, and take every level for yes.
  private static func thinking(_ fields: RequestReader) throws(ServingError) -> Bool? {
    fields.describe("think", .schema("boolean"))
    guard let value = fields["think"], value.string != nil else { return try fields.bool("think") }
    return try fields.word("think", ["low", "medium", "high", "max"]) != nil
  }

  /// - Throws: `.invalidRequest` for what `model` cannot.
  func check(_ model: ServedModel) throws(ServingError) {
    let length = model.base.contextLength
    if let context, context > length {
      throw .invalid("options.num_ctx", "the model has a context of \(length) tokens.")
    }
    if generation?.thinking == true, !model.base.renderer.leavesThinking {
      throw .invalid("think", "the model does not support thinking.")
    }
  }
}
