import Foundation
import FoundationModels
import JSON

/// A request of a session in the form of the Messages API.
struct MessagesRequest {
  let json: JSONValue

  /// - Throws: `LanguageModelError.unsupportedTranscriptContent` for a transcript that the form has no place for.
  init(
    _ request: LanguageModelExecutorGenerationRequest, _ model: MessagesModel,
    _ asked: AskedServer
  ) throws {
    let options = request.generationOptions
    var body: JSONObject = [
      "model": .string(model.name), "stream": .bool(true),
      "max_tokens": .number(JSONNumber(options.maximumResponseTokens ?? model.tokenLimit)),
    ]
    if model.cachesPrompts { body["cache_control"] = Self.typed("ephemeral") }
    var conversation = Conversation()
    for entry in try RequestParts.transcript(request) { try conversation.add(entry, asked) }
    if !conversation.system.isEmpty { body["system"] = .array(conversation.system) }
    body["messages"] = .array(conversation.messages)
    if !request.enabledToolDefinitions.isEmpty {
      body["tools"] = .array(try request.enabledToolDefinitions.map(Self.tool))
      body["tool_choice"] = Self.typed(RequestParts.toolChoice(options, required: "any"))
    }
    try RequestParts.add(options, to: &body)
    var output = JSONObject()
    Self.addThinking(request.contextOptions.reasoningLevel, to: &body, &output)
    if let schema = request.schema {
      output["format"] = .object([
        "type": .string("json_schema"), "schema": try ServerSchema(schema).limited,
      ])
    }
    if !output.isEmpty { body["output_config"] = .object(output) }
    json = .object(body)
  }

  private static func typed(_ type: String) -> JSONValue { .object(["type": .string(type)]) }

  private static func addThinking(
    _ level: ContextOptions.ReasoningLevel?, to body: inout JSONObject,
    _ output: inout JSONObject
  ) {
    guard let level else { return }
    let effort = RequestParts.effort(level)
    var thinking: JSONObject = ["type": .string("adaptive"), "display": .string("summarized")]
    if let budget = Int(effort) {
      thinking["type"] = .string("enabled")
      thinking["budget_tokens"] = .number(JSONNumber(budget))
    } else {
      output["effort"] = .string(effort)
    }
    body["thinking"] = .object(thinking)
  }

  private static func tool(_ tool: Transcript.ToolDefinition) throws -> JSONValue {
    .object([
      "name": .string(tool.name), "description": .string(tool.description),
      "input_schema": try ServerSchema(tool.parameters).json,
    ])
  }
}

/// What was said, as turns of a user and an assistant, each of which is a list of blocks.
private struct Conversation {
  var system: [JSONValue] = []
  private var turns: [(role: String, blocks: [JSONValue])] = []

  var messages: [JSONValue] {
    turns.map { .object(["role": .string($0.role), "content": .array($0.blocks)]) }
  }

  mutating func add(_ entry: Transcript.Entry, _ asked: AskedServer) throws {
    switch entry {
    case .instructions(let instructions):
      system += Self.text(RequestParts.text(instructions.segments))
    case .prompt(let prompt): add("user", try Self.blocks(prompt.segments, entry))
    case .response(let response):
      add("assistant", Self.text(RequestParts.text(response.segments)))
    case .toolCalls(let calls): add("assistant", calls.map(Self.call))
    case .toolOutput(let output):
      let result: JSONObject = [
        "type": .string("tool_result"), "tool_use_id": .string(output.id),
        "content": .array(try Self.blocks(output.segments, entry)),
      ]
      add("user", [.object(result)])
    case .reasoning(let thought):
      if asked.made(thought.metadata) { add("assistant", Self.reasoning(thought)) }
    }
  }

  /// Adds to the last turn where it is of the same role, as results of tools have to come together.
  private mutating func add(_ role: String, _ blocks: [JSONValue]) {
    guard !blocks.isEmpty else { return }
    if turns.last?.role == role {
      turns[turns.count - 1].blocks += blocks
    } else {
      turns.append((role, blocks))
    }
  }

  // MARK: - Blocks

  /// A text; none for an empty one, which the server refuses.
  private static func text(_ text: String) -> [JSONValue] {
    text.isEmpty ? [] : [.object(["type": .string("text"), "text": .string(text)])]
  }

  private static func blocks(
    _ segments: [Transcript.Segment], _ entry: Transcript.Entry
  ) throws -> [JSONValue] {
    try RequestParts.pieces(segments, of: entry).flatMap { piece -> [JSONValue] in
      switch piece {
      case .text(let text): Self.text(text)
      case .image(let url):
        [.object(["type": .string("image"), "source": try source(url, entry)])]
      }
    }
  }

  private static let mediaTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"]

  private static func source(_ url: URL, _ entry: Transcript.Entry) throws -> JSONValue {
    guard url.scheme == "data" else {
      return .object(["type": .string("url"), "url": .string(url.absoluteString)])
    }
    let parts = url.absoluteString.dropFirst("data:".count).split(separator: ",", maxSplits: 1)
    guard parts.count == 2, let type = mediaTypes.first(where: { parts[0] == "\($0);base64" })
    else {
      let types = mediaTypes.joined(separator: ", ")
      throw RequestParts.unsupported(
        entry, "The server takes images in data addresses of \(types) in base64 only.")
    }
    return .object([
      "type": .string("base64"), "media_type": .string(type), "data": .string(String(parts[1])),
    ])
  }

  private static func call(_ call: Transcript.ToolCall) -> JSONValue {
    let arguments = try? JSONDocument(parsing: Array(call.arguments.jsonString.utf8)).root
    return .object([
      "type": .string("tool_use"), "id": .string(call.id), "name": .string(call.toolName),
      "input": arguments ?? .object(JSONObject()),
    ])
  }

  /// A thought with the server's proof, exactly as it came; those without cannot be sent.
  private static func reasoning(_ thought: Transcript.Reasoning) -> [JSONValue] {
    guard let signature = thought.signature.map({ String(decoding: $0, as: UTF8.self) }) else {
      return []
    }
    guard !thought.segments.isEmpty || thought.metadata["kind"] == nil else {
      return [
        .object(["type": .string("redacted_thinking"), "data": .string(signature)])
      ]
    }
    return [
      .object([
        "type": .string("thinking"), "thinking": .string(RequestParts.text(thought.segments)),
        "signature": .string(signature),
      ])
    ]
  }
}
