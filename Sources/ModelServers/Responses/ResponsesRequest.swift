import Foundation
import FoundationModels
import JSON

/// A request of a session in the form of the Responses API.
struct ResponsesRequest {
  let json: JSONValue

  /// - Throws: `LanguageModelError.unsupportedTranscriptContent` for a transcript that the form has no place for.
  init(
    _ request: LanguageModelExecutorGenerationRequest, _ model: ResponsesModel,
    _ asked: AskedServer
  ) throws {
    var body: JSONObject = [
      "model": .string(model.name), "stream": .bool(true), "store": .bool(false),
    ]
    if let schema = request.schema {
      let format = try ServerSchema(schema).format.members
      let type = JSONObject.Member(key: "type", value: .string("json_schema"))
      body["text"] = .object(["format": .object(JSONObject([type] + format))])
    }
    body["input"] = .array(
      try RequestParts.transcript(request).flatMap { try Self.items($0, asked) })
    let (tools, options) = (request.enabledToolDefinitions, request.generationOptions)
    if !tools.isEmpty {
      body["tools"] = .array(try tools.map(Self.tool))
      body["tool_choice"] = .string(RequestParts.toolChoice(options))
    }
    try RequestParts.add(options, to: &body)
    body["max_output_tokens"] = options.maximumResponseTokens.map { .number(JSONNumber($0)) }
    Self.addReasoning(request.contextOptions.reasoningLevel, model, to: &body)
    json = .object(body)
  }

  private static func addReasoning(
    _ level: ContextOptions.ReasoningLevel?, _ model: ResponsesModel, to body: inout JSONObject
  ) {
    guard model.options.hasReasoning else { return }
    var reasoning = JSONObject()
    reasoning["effort"] = level.map { .string(RequestParts.effort($0)) }
    reasoning["summary"] = model.reasoningSummary.map { .string($0) }
    if !reasoning.isEmpty { body["reasoning"] = .object(reasoning) }
    // What the server does not store comes back to it in this form alone.
    body["include"] = .array([.string("reasoning.encrypted_content")])
  }

  private static func tool(_ tool: Transcript.ToolDefinition) throws -> JSONValue {
    let schema = try ServerSchema(tool.parameters)
    return .object([
      "type": .string("function"), "name": .string(tool.name),
      "description": .string(tool.description), "parameters": schema.json,
      "strict": .bool(schema.isStrict),
    ])
  }

  // MARK: - Items

  private static func items(
    _ entry: Transcript.Entry, _ asked: AskedServer
  ) throws -> [JSONValue] {
    switch entry {
    case .instructions(let instructions) where instructions.segments.isEmpty: return []
    case .instructions(let instructions):
      return [message("system", try content(instructions.segments, entry))]
    case .prompt(let prompt): return [message("user", try content(prompt.segments, entry))]
    case .response(let response): return self.response(response, asked)
    case .toolCalls(let calls): return calls.map(call)
    case .toolOutput(let output):
      return [
        .object([
          "type": .string("function_call_output"), "call_id": .string(output.id),
          "output": try content(output.segments, entry),
        ])
      ]
    case .reasoning(let thought): return asked.made(thought.metadata) ? reasoning(thought) : []
    }
  }

  private static func message(_ role: String, _ content: JSONValue) -> JSONValue {
    .object(["role": .string(role), "content": content])
  }

  /// What was said, in the longer form, which all servers take and which wants an identity.
  private static func response(
    _ response: Transcript.Response, _ asked: AskedServer
  ) -> [JSONValue] {
    let text = RequestParts.text(response.segments)
    guard !text.isEmpty else { return [] }
    let isOwn = asked.made(response.metadata)
    let id = isOwn ? response.metadata.text("item") : nil
    var item: JSONObject = [
      "type": .string("message"), "role": .string("assistant"),
      "id": .string(id ?? "msg_" + RequestParts.identifier(response.id, limit: 60)),
      "status": .string("completed"),
      "content": .array([
        .object([
          "type": .string("output_text"), "text": .string(text), "annotations": .array([]),
        ])
      ]),
    ]
    // A server that tells remarks from answers wants to read which were which.
    if isOwn, let phase = response.metadata.text("phase") { item["phase"] = .string(phase) }
    return [.object(item)]
  }

  private static func call(_ call: Transcript.ToolCall) -> JSONValue {
    .object([
      "type": .string("function_call"), "call_id": .string(call.id),
      "name": .string(call.toolName), "arguments": .string(call.arguments.jsonString),
    ])
  }

  /// Thoughts as the server made them; those that it cannot read again are left out.
  private static func reasoning(_ thought: Transcript.Reasoning) -> [JSONValue] {
    guard let signature = thought.signature, let id = thought.metadata.text("item") else {
      return []
    }
    return [
      .object([
        "type": .string("reasoning"), "id": .string(id),
        "summary": .array(
          thought.segments.map {
            .object(["type": .string("summary_text"), "text": .string($0.description)])
          }),
        "encrypted_content": .string(String(decoding: signature, as: UTF8.self)),
      ])
    ]
  }

  /// A text, or a list of parts where there are images.
  private static func content(
    _ segments: [Transcript.Segment], _ entry: Transcript.Entry
  ) throws -> JSONValue {
    try RequestParts.content(segments, of: entry) { piece in
      switch piece {
      case .text(let text): ["type": .string("input_text"), "text": .string(text)]
      case .image(let url):
        [
          "type": .string("input_image"), "image_url": .string(url.absoluteString),
          "detail": .string("auto"),
        ]
      }
    }
  }
}
