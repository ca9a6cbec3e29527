import Foundation
import FoundationModels
import JSON

/// A request of a session in the form of chat completions.
struct ChatRequest {
  let json: JSONValue

  /// - Throws: `LanguageModelError.unsupportedTranscriptContent` for a transcript that the form has no place for.
  init(
    _ request: LanguageModelExecutorGenerationRequest, _ model: ChatCompletionsModel
  ) throws {
    var body: JSONObject = [
      "model": .string(model.name), "stream": .bool(true),
      "stream_options": .object(["include_usage": .bool(true)]),
    ]
    if let schema = request.schema {
      body["response_format"] = .object([
        "type": .string("json_schema"),
        "json_schema": .object(try ServerSchema(schema).format),
      ])
    }
    body["messages"] = .array(try Self.messages(RequestParts.transcript(request)))
    let (tools, options) = (request.enabledToolDefinitions, request.generationOptions)
    if !tools.isEmpty {
      body["tools"] = .array(try tools.map(Self.tool))
      body["tool_choice"] = .string(RequestParts.toolChoice(options))
    }
    try RequestParts.add(options, to: &body)
    body[model.tokenLimitName] = options.maximumResponseTokens.map { .number(JSONNumber($0)) }
    if let level = request.contextOptions.reasoningLevel {
      body["reasoning_effort"] = .string(RequestParts.effort(level))
    }
    json = .object(body)
  }

  private static func tool(_ tool: Transcript.ToolDefinition) throws -> JSONValue {
    .object([
      "type": .string("function"),
      "function": .object([
        "name": .string(tool.name), "description": .string(tool.description),
        "parameters": try ServerSchema(tool.parameters).json,
      ]),
    ])
  }

  // MARK: - Messages

  private static func messages(_ transcript: Transcript) throws -> [JSONValue] {
    var messages: [JSONObject] = []
    for entry in transcript {
      switch entry {
      case .instructions(let entry) where entry.segments.isEmpty: break
      case .instructions(let instructions):
        messages.append(message("system", try content(instructions.segments, entry)))
      case .prompt(let prompt):
        messages.append(message("user", try content(prompt.segments, entry)))
      case .response(let response):
        messages.append(message("assistant", .string(RequestParts.text(response.segments))))
      case .toolCalls(let calls):
        var said = message("assistant", .null)
        if let last = messages.last, last["role"]?.string == "assistant",
          last["tool_calls"] == nil
        {
          said = messages.removeLast()
        }
        said["tool_calls"] = .array(calls.map(call))
        messages.append(said)
      case .toolOutput(let output):
        var message = message("tool", .string(RequestParts.text(output.segments)))
        message["tool_call_id"] = .string(output.id)
        messages.append(message)
      // Servers have no place for thoughts: they make them anew.
      case .reasoning: break
      }
    }
    return messages.map { .object($0) }
  }

  private static func message(_ role: String, _ content: JSONValue) -> JSONObject {
    ["role": .string(role), "content": content]
  }

  private static func call(_ call: Transcript.ToolCall) -> JSONValue {
    .object([
      "id": .string(call.id), "type": .string("function"),
      "function": .object([
        "name": .string(call.toolName), "arguments": .string(call.arguments.jsonString),
      ]),
    ])
  }

  /// A text, or a list of parts where there are images.
  private static func content(
    _ segments: [Transcript.Segment], _ entry: Transcript.Entry
  ) throws -> JSONValue {
    try RequestParts.content(segments, of: entry) { piece in
      switch piece {
      case .text(let text): ["type": .string("text"), "text": .string(text)]
      case .image(let url):
        [
          "type": .string("image_url"),
          "image_url": .object(["url": .string(url.absoluteString)]),
        ]
      }
    }
  }
}
