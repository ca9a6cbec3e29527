import ChatTemplates
import Grammars
import JSON

// A transcript as a template reads it.

extension Transcript {
  /// The entries as turns of a chat; what the model said before it called tools is one turn with the calls.
  var messages: [ChatMessage] {
    entries.reduce(into: []) { messages, entry in
      switch entry {
      // Instructions without a text are those of the base, and the tools.
      case .instructions(let entry) where entry.segments.isEmpty: break
      // Thoughts are the model's that had them.
      case .reasoning: break
      case .toolCalls(let entry):
        var said = ""
        if let last = messages.last, last.role == .assistant, last.toolCalls.isEmpty {
          said = messages.removeLast().content
        }
        messages.append(ChatMessage(calls: entry.map(\.chatCall), content: said))
      default: messages.append(entry.message)
      }
    }
  }

  /// The tools that the model was told of.
  var toldTools: [ChatTool] {
    entries.reduce(into: []) { tools, entry in
      guard case .instructions(let entry) = entry else { return }
      tools += entry.toolDefinitions.map { definition in
        ChatTool(
          name: definition.name, definition: definition.chatDefinition, arguments: Grammar(.null))
      }
    }
  }
}

extension Transcript.Entry {
  /// The entry as a turn of a chat.
  fileprivate var message: ChatMessage {
    switch self {
    case .instructions(let entry): ChatMessage(role: .system, content: entry.segments.text)
    case .prompt(let entry): ChatMessage(role: .user, content: entry.segments.text)
    case .toolCalls(let entry): ChatMessage(calls: entry.map(\.chatCall))
    case .toolOutput(let entry):
      ChatMessage(
        resultOf: ChatToolCall(id: entry.id, name: entry.toolName, arguments: .null),
        content: entry.segments.text)
    case .response(let entry): ChatMessage(role: .assistant, content: entry.segments.text)
    case .reasoning(let entry): ChatMessage(role: .assistant, content: entry.segments.text)
    }
  }
}

extension Transcript.ToolCall {
  /// The call as a chat has it.
  var chatCall: ChatToolCall {
    ChatToolCall(id: id, name: toolName, arguments: arguments.json)
  }

  /// The call that the model wrote.
  init(_ call: ChatToolCall) throws {
    self.init(
      id: call.id, toolName: call.name,
      arguments: try GeneratedContent(json: call.arguments.line))
  }
}

// Tools as a template reads them.

extension Tool {
  /// The tool with the grammar of its arguments.
  ///
  /// - Throws: `unsupportedGuide` for arguments that cannot be enforced, or are no structure.
  func chatTool() throws(LanguageModelSession.GenerationError) -> ChatTool {
    try Transcript.ToolDefinition(tool: self).chatTool(isTold: includesSchemaInInstructions)
  }
}

extension Transcript.ToolDefinition {
  /// The tool with the grammar of its arguments; the model may call what it is not told of.
  ///
  /// - Throws: `unsupportedGuide` for arguments that cannot be enforced, or are no structure.
  func chatTool(isTold: Bool) throws(LanguageModelSession.GenerationError) -> ChatTool {
    guard case .object = parameters.resolved.root else {
      throw .unsupportedGuide(
        LanguageModelSession.GenerationError.Context(
          debugDescription:
            "The arguments of the tool '\(name)' are no structure; make them properties of one."))
    }
    return ChatTool(
      name: name, definition: chatDefinition, arguments: try parameters.grammar(), isTold: isTold)
  }
}

extension Transcript.ToolDefinition {
  /// The definition in the form that models are trained with.
  fileprivate var chatDefinition: JSONValue {
    .object([
      "type": .string("function"),
      "function": .object([
        "name": .string(name), "description": .string(description),
        "parameters": parameters.plainJSON,
      ]),
    ])
  }
}

extension GenerationSchema {
  /// The schema as a model knows it from its training: without Apple's own keywords, what is referred to in place.
  ///
  /// Definitions remain only for types that contain themselves.
  var plainJSON: JSONValue {
    let json = resolved.json
    let definitions = json.object?["$defs"]?.object ?? JSONObject()
    let writer = PlainSchema(definitions: definitions)
    guard var object = writer.plain(json).object else { return json }
    let kept = definitions.members.filter { writer.isRecursive($0.key) }
    object["$defs"] =
      kept.isEmpty
      ? nil
      : .object(
        JSONObject(kept.map { JSONObject.Member(key: $0.key, value: writer.plain($0.value)) }))
    return .object(object)
  }
}

/// Writes schemas without what only Apple's framework reads.
private struct PlainSchema {
  let definitions: JSONObject

  /// Whether the definition `name` refers to itself, through others or not.
  func isRecursive(_ name: String) -> Bool {
    var met: Set<String> = []
    var waiting = definitions[name].map(Self.references) ?? []
    while let next = waiting.popLast() {
      if next == name { return true }
      if met.insert(next).inserted { waiting += definitions[next].map(Self.references) ?? [] }
    }
    return false
  }

  private static func references(in value: JSONValue) -> [String] {
    switch value {
    case .object(let object):
      object.members.flatMap { member in
        if member.key == "$ref" { return reference(member.value).map { [$0] } ?? [] }
        return references(in: member.value)
      }
    case .array(let values): values.flatMap(references)
    default: []
    }
  }

  private static func reference(_ value: JSONValue) -> String? {
    value.string.flatMap(SchemaReference.name)
  }

  func plain(_ value: JSONValue) -> JSONValue {
    guard let object = value.object else { return value }
    var result = JSONObject()
    var description = object["description"]
    for member in object.members {
      switch (member.key, member.value) {
      case ("title", _), ("additionalProperties", _), ("x-order", _), ("$defs", _),
        ("description", _):
        break
      case ("$ref", let value):
        guard let name = Self.reference(value), let definition = definitions[name],
          !isRecursive(name), let whole = plain(definition).object
        else {
          result["$ref"] = value
          continue
        }
        description = description ?? whole["description"]
        for member in whole.members where member.key != "description" {
          result[member.key] = member.value
        }
      case ("properties", .object(let properties)):
        result["properties"] = .object(
          JSONObject(
            properties.members.map { JSONObject.Member(key: $0.key, value: plain($0.value)) }))
      case ("anyOf", .array(let values)), ("allOf", .array(let values)):
        result[member.key] = .array(values.map(plain))
      case ("items", let value), ("not", let value): result[member.key] = plain(value)
      default: result[member.key] = member.value
      }
    }
    result["description"] = description
    return .object(result)
  }
}
