import Adapters
import Foundation
import FoundationModels

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
    var messages = try Self.messages(request.transcript)
    if let schema = request.schema {
      let plain = try Self.schema(schema)
      body["response_format"] = .object([
        "type": .string("json_schema"),
        "json_schema": .object([
          "name": .string(Self.name(schema.name)), "strict": .bool(Self.isStrict(plain)),
          "schema": plain,
        ]),
      ])
      if request.contextOptions.includeSchemaInPrompt ?? true {
        Self.tell(plain, &messages)
      }
    }
    body["messages"] = .array(messages)
    try Self.add(request.enabledToolDefinitions, request.generationOptions, to: &body)
    Self.add(request.generationOptions, limit: model.options.tokenLimitName, to: &body)
    if let level = request.contextOptions.reasoningLevel {
      body["reasoning_effort"] = .string(Self.effort(level))
    }
    json = .object(body)
  }

  // MARK: - Options

  private static func add(
    _ options: GenerationOptions, limit: String, to body: inout JSONObject
  ) {
    body["temperature"] = options.temperature.map { .number(JSONNumber($0)) }
    switch options.samplingMode?.kind {
    case .greedy: body["temperature"] = .number(JSONNumber(0))
    case .randomTopK(let count, let seed):
      body["top_k"] = .number(JSONNumber(count))
      body["seed"] = seed.map { .number(JSONNumber(Int(clamping: $0))) }
    case .randomProbabilityThreshold(let sum, let seed):
      body["top_p"] = .number(JSONNumber(sum))
      body["seed"] = seed.map { .number(JSONNumber(Int(clamping: $0))) }
    case nil: break
    }
    body[limit] = options.maximumResponseTokens.map { .number(JSONNumber($0)) }
  }

  private static func add(
    _ tools: [Transcript.ToolDefinition], _ options: GenerationOptions, to body: inout JSONObject
  ) throws {
    guard !tools.isEmpty else { return }
    body["tools"] = .array(
      try tools.map { tool in
        .object([
          "type": .string("function"),
          "function": .object([
            "name": .string(tool.name), "description": .string(tool.description),
            "parameters": try schema(tool.parameters),
          ]),
        ])
      })
    let choice =
      switch options.toolCallingMode?.kind {
      case .allowed, nil: "auto"
      case .required: "required"
      case .disallowed: "none"
      }
    body["tool_choice"] = .string(choice)
  }

  private static func effort(_ level: ContextOptions.ReasoningLevel) -> String {
    switch level {
    case .light: "low"
    case .moderate: "medium"
    case .deep: "high"
    case .custom(let name): name
    }
  }

  // MARK: - Schemas

  /// The schema without the keywords that only Apple's framework reads.
  private static func schema(_ schema: GenerationSchema) throws -> JSONValue {
    plain(try JSONDocument(parsing: Array(schema.debugDescription.utf8)).root)
  }

  private static func plain(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      var result = JSONObject()
      for member in object.members where member.key != "x-order" {
        // Below these the keys are names of properties and types.
        if ["properties", "$defs"].contains(member.key), let names = member.value.object {
          result[member.key] = .object(
            JSONObject(
              names.members.map { JSONObject.Member(key: $0.key, value: plain($0.value)) }))
        } else {
          result[member.key] = plain(member.value)
        }
      }
      return .object(result)
    case .array(let values): return .array(values.map(plain))
    default: return value
    }
  }

  /// Whether OpenAI's strict mode can hold an answer to the schema: it knows no properties that may be missing.
  private static func isStrict(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let object):
      if let properties = object["properties"]?.object {
        let required = object["required"]?.array?.compactMap(\.string) ?? []
        guard Set(properties.keys) == Set(required) else { return false }
      }
      return object.members.allSatisfy { isStrict($0.value) }
    case .array(let values): return values.allSatisfy(isStrict)
    default: return true
    }
  }

  /// A name as servers want it: letters, digits, `_` and `-`, at most 64.
  private static func name(_ name: String) -> String {
    let allowed = name.unicodeScalars.map { scalar in
      scalar.properties.isASCIIHexDigit || ("a"..."z").contains(scalar)
        || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
        || scalar == "-" ? Character(scalar) : "_"
    }
    return allowed.isEmpty ? "answer" : String(allowed.prefix(64))
  }

  /// Puts the schema behind the last prompt: servers that hold the answer to it do not all show it to the model.
  private static func tell(_ schema: JSONValue, _ messages: inout [JSONValue]) {
    let text = "Answer with JSON that fits this schema: \(schema.line)"
    guard
      let place = messages.lastIndex(where: { $0.object?["role"]?.string == "user" }),
      var message = messages[place].object
    else { return }
    if let content = message["content"]?.string {
      message["content"] = .string(content + "\n" + text)
    } else {
      let part = JSONValue.object(["type": .string("text"), "text": .string(text)])
      message["content"] = .array((message["content"]?.array ?? []) + [part])
    }
    messages[place] = .object(message)
  }
}

// MARK: - Messages

extension ChatRequest {
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
        messages.append(message("assistant", .string(text(response.segments))))
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
        var message = message("tool", .string(text(output.segments)))
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

  private static func text(_ segments: [Transcript.Segment]) -> String {
    segments.map(\.description).joined(separator: "\n")
  }

  /// A text, or a list of parts where there are images.
  private static func content(
    _ segments: [Transcript.Segment], _ entry: Transcript.Entry
  ) throws -> JSONValue {
    let hasImages = segments.contains { if case .attachment = $0 { true } else { false } }
    guard hasImages else { return .string(text(segments)) }
    return .array(
      try segments.map { segment in
        guard case .attachment(let attachment) = segment,
          case .image(let image) = attachment.content
        else { return .object(["type": .string("text"), "text": .string(segment.description)]) }
        guard let url = image.url, ["https", "http", "data"].contains(url.scheme ?? "") else {
          throw LanguageModelError.unsupportedTranscriptContent(
            LanguageModelError.UnsupportedTranscriptContent(
              unsupportedContent: [entry],
              debugDescription:
                "A server takes images by https, http and data addresses only, and \(attachment) is none."
            ))
        }
        return .object([
          "type": .string("image_url"),
          "image_url": .object(["url": .string(url.absoluteString)]),
        ])
      })
  }
}
