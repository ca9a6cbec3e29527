import Chats
import JSON

/// A request for a response.
///
/// Source: OpenAI's API reference, "Create a model response", and the specification of Open Responses, 2026-04-24.
struct ResponsesRequest: Sendable {
  let model: String
  let generation: GenerationRequest
  let isStreamed: Bool
  /// What a response says of its request.
  let repeated: JSONObject

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ body: [UInt8]) throws(ServingError) {
    let fields = try RequestReader(body)
    model = try fields.required("model", fields.string("model"))
    // The form of a text is asked for in another place here.
    try fields.refuse(["response_format"])
    _ = try fields.integer("n", 1...1)
    var request = GenerationRequest(.chat(try ResponsesInput(fields).messages))
    request.promptField = "input"
    try OpenAITools(fields).set(on: &request)
    let calls = try fields.integer("max_tool_calls", 1...Int(Int32.max))
    if let calls { request.callLimit = min(request.callLimit ?? ToolRounds.usualCalls, calls) }
    try request.setSampling(fields)
    let text = try ResponsesText(fields)
    request.form = try text.form(beside: OpenAIForm.form(fields), fields)
    request.maximumTokens = try fields.integer("max_output_tokens", 1...Int(Int32.max))
    request.likeliest = try Self.likeliest(fields)
    let reasoning = try ResponsesReasoning(fields)
    request.thinking = reasoning.thinking
    generation = request
    isStreamed = try fields.bool("stream") ?? false
    _ = try fields.object("stream_options")?.bool("include_obfuscation")
    var repeated = try Self.repeated(fields)
    (repeated["text"], repeated["reasoning"]) = (.object(text.json), .object(reasoning.json))
    self.repeated = repeated
    try fields.refuseRest()
  }

  private static func likeliest(_ fields: RequestReader) throws(ServingError) -> Int? {
    let count = try fields.integer("top_logprobs", 0...20) ?? 0
    let includes = try fields.array("include") ?? []
    return count > 0 || includes.contains(.string("message.output_text.logprobs")) ? count : nil
  }
}

extension ResponsesRequest {
  private static func repeated(_ fields: RequestReader) throws(ServingError) -> JSONObject {
    let truncation = try fields.word("truncation", ["auto", "disabled"]) ?? "disabled"
    return [
      "previous_response_id": .null,
      "instructions": .text(try fields.string("instructions")),
      "tools": .array(try tools(fields)),
      "tool_choice": fields["tool_choice"] ?? .string("auto"),
      "truncation": .string(truncation),
      "parallel_tool_calls": .bool(try fields.bool("parallel_tool_calls") ?? true),
      "presence_penalty": fields["presence_penalty"] ?? .integer(0),
      "frequency_penalty": fields["frequency_penalty"] ?? .integer(0),
      "top_logprobs": fields["top_logprobs"] ?? .integer(0),
      "max_output_tokens": fields["max_output_tokens"] ?? .null,
      "max_tool_calls": fields["max_tool_calls"] ?? .null,
      // Nothing is kept, whatever is asked.
      "store": .bool(false), "background": .bool(false), "service_tier": .string("default"),
      "metadata": .object(try metadata(fields)),
      "safety_identifier": .text(try fields.string("safety_identifier")),
      "prompt_cache_key": .text(try fields.string("prompt_cache_key")),
      "user": .text(try fields.string("user")),
    ]
  }

  private static func tools(_ fields: RequestReader) throws(ServingError) -> [JSONValue] {
    var tools: [JSONValue] = []
    for tool in try fields.objects("tools") ?? [] {
      let function = try tool.object("function") ?? tool
      tools.append(
        .object([
          "type": .string("function"), "name": function["name"] ?? .null,
          "description": function["description"] ?? .null,
          "parameters": function["parameters"] ?? .null,
          "strict": (try function.bool("strict")).map { .bool($0) } ?? .null,
        ]))
    }
    return tools
  }

  /// Pairs of metadata at most.
  private static let metadataLimit = 16

  private static func metadata(_ fields: RequestReader) throws(ServingError) -> JSONObject {
    guard let metadata = try fields.object("metadata") else { return [:] }
    let members = metadata.object.members
    guard members.count <= metadataLimit, members.allSatisfy({ $0.value.string != nil }) else {
      throw .invalid("metadata", "this has to be an object of at most \(metadataLimit) texts.")
    }
    return metadata.object
  }
}

/// What the text of a response has to be like.
struct ResponsesText: Sendable {
  var form = GenerationRequest.Form.any
  var json: JSONObject = ["format": .object(["type": .string("text")])]

  init(_ fields: RequestReader) throws(ServingError) {
    guard let text = try fields.object("text") else { return }
    if let verbosity = try text.word("verbosity", ["medium"]) {
      json["verbosity"] = .string(verbosity)
    }
    guard let format = try text.object("format") else { return }
    let types = ["text", "json_object", "json_schema"]
    let type = try format.required("type", format.word("type", types))
    var object: JSONObject = ["type": .string(type)]
    if type == "json_object" { form = .object }
    if type == "json_schema" {
      let schema = try format.required("schema", format["schema"])
      form = try OpenAIForm.form(schema, at: format.place("schema"))
      object["name"] = .string(try format.string("name") ?? "response")
      object["description"] = .text(try format.string("description"))
      object["schema"] = schema
      // A schema is always kept to.
      object["strict"] = .bool(try format.bool("strict") ?? true)
    }
    json["format"] = .object(object)
  }
}

extension ResponsesText {
  /// The form, which may be said here or as vLLM's `structured_outputs`, but once.
  fileprivate func form(
    beside other: GenerationRequest.Form, _ fields: RequestReader
  ) throws(ServingError) -> GenerationRequest.Form {
    guard form == .any || other == .any else {
      throw .invalid(
        fields.place("text.format"), "another form is given, too; leave one of them out.")
    }
    return form == .any ? other : form
  }
}

/// Whether and how a model is to think before.
struct ResponsesReasoning: Sendable {
  var thinking: Bool?
  var json: JSONObject = ["effort": .null, "summary": .null]

  /// How much the model is to think; templates know only yes and no.
  static func effort(
    _ fields: RequestReader, _ key: String
  ) throws(ServingError) -> (word: String, thinks: Bool)? {
    let efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    return try fields.word(key, efforts).map { ($0, $0 != "none") }
  }

  init(_ fields: RequestReader) throws(ServingError) {
    guard let reasoning = try fields.object("reasoning") else { return }
    if let effort = try Self.effort(reasoning, "effort") {
      thinking = effort.thinks
      json["effort"] = .string(effort.word)
    }
    _ = try reasoning.word("mode", ["standard"])
    // Thoughts are told as they are: that is more than any summary.
    for key in ["generate_summary", "summary"] {
      if let summary = try reasoning.word(key, ["auto", "concise", "detailed"]) {
        json["summary"] = .string(summary)
      }
    }
  }
}
