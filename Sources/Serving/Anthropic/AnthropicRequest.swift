/// A request for a message of Anthropic's interface, or for how many tokens it has.
///
/// Source: Anthropic's API reference, "Create a Message" and "Count tokens in a Message".
struct AnthropicRequest: Sendable {
  let model: String
  let generation: GenerationRequest
  /// Whether thoughts are told, and not only that there were some.
  let showsThoughts: Bool
  let isStream: Bool

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ body: [UInt8], isCounted: Bool = false) throws(ServingError) {
    let fields = try RequestReader(body)
    model = try fields.required("model", fields.string("model"))
    let limit = try fields.integer("max_tokens", 1...Int(Int32.max))
    try Self.refuseUnsupported(fields)
    var request = GenerationRequest(.chat(try AnthropicMessages(fields).messages))
    request.maximumTokens = isCounted ? limit : try fields.required("max_tokens", limit)
    try AnthropicTools(fields).set(on: &request)
    try request.setSampling(fields, stops: "stop_sequences")
    request.form = try Self.form(fields)
    let thinking = try fields.object("thinking")
    request.thinking = try thinking.flatMap(Self.thinks)
    showsThoughts = try thinking?.word("display", ["summarized", "omitted"]) != "omitted"
    isStream = try fields.bool("stream") ?? false
    generation = request
    try fields.refuseRest()
  }

  private static func refuseUnsupported(_ fields: RequestReader) throws(ServingError) {
    guard fields["thread"] == nil else {
      // By this code the official clients know that they have to send all messages.
      throw ServingError(
        .invalidRequest, "thread: no conversation is kept here; send all of its messages.",
        field: "thread", code: "thread_unsupported_request")
    }
    _ = try fields.word("speed", ["standard"])
    try fields.object("diagnostics")?.refuse(["previous_message_id"])
    try fields.object("output_config")?.refuse(["task_budget"])
    for edit in try fields.object("context_management")?.objects("edits") ?? [] {
      // Which thoughts of earlier turns are shown is up to the template.
      _ = try edit.required("type", edit.word("type", ["clear_thinking_20251015"]))
    }
  }

  /// `output_format` is what `output_config.format` was called before.
  private static func form(
    _ fields: RequestReader
  ) throws(ServingError) -> GenerationRequest.Form {
    var format = try fields.object("output_config")?.object("format")
    if format == nil { format = try fields.object("output_format") }
    guard let format else { return .any }
    _ = try format.required("type", format.word("type", ["json_schema"]))
    return try OpenAIForm.form(
      format.required("schema", format["schema"]), at: format.place("schema"))
  }

  /// Whether the model is to think; nil where that is left to it.
  private static func thinks(_ thinking: RequestReader) throws(ServingError) -> Bool? {
    let types = ["adaptive", "between_tools", "disabled", "enabled"]
    _ = try thinking.integer("budget_tokens", 1...Int(Int32.max))
    return switch try thinking.required("type", thinking.word("type", types)) {
    case "enabled": true
    case "disabled": false
    default: nil
    }
  }
}
