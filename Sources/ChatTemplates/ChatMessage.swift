import JSON

/// Who says something in a chat.
public enum ChatRole: String, Sendable, Codable, CaseIterable {
  /// Instructions for the whole chat; only ever first.
  case system
  case user
  case assistant
  /// The result of a tool that the assistant called.
  case tool
}

/// One turn of a chat.
public struct ChatMessage: Sendable, Equatable {
  /// Who says it.
  public var role: ChatRole
  /// What is said: text only, in which no mark of a format means anything.
  public var content: String
  /// What the assistant thinks before it says anything, where that is known apart from what it says.
  public var thoughts: String?
  /// The tools that the assistant calls behind what it says.
  public var toolCalls: [ChatToolCall] = []
  /// For the result of a tool, the call that it belongs to; its arguments do not matter.
  public var answeredCall: ChatToolCall?

  /// Makes a turn.
  public init(role: ChatRole, content: String) {
    self.role = role
    self.content = content
  }

  /// A turn of the assistant that calls tools, behind `content` if it says something before.
  public init(calls: [ChatToolCall], content: String = "") {
    self.init(role: .assistant, content: content)
    toolCalls = calls
  }

  /// What a tool gave back for `call`.
  public init(resultOf call: ChatToolCall, content: String) {
    self.init(role: .tool, content: content)
    answeredCall = call
  }
}

extension ChatMessage {
  /// The names that templates, servers and data sets have for thoughts; the first that is there counts.
  package static let thoughtKeys = ["reasoning_content", "thinking", "reasoning"]
}

/// The form that chat templates and servers know: `tool_calls` with their arguments as a text of JSON, `tool_call_id`, and
/// `reasoning_content`.
extension ChatMessage: Codable {
  private enum Key: String, CodingKey {
    case role, content, name
    case toolCalls = "tool_calls"
    case toolCallID = "tool_call_id"
    case thoughts = "reasoning_content"
  }

  private struct Call: Codable {
    struct Function: Codable { let name, arguments: String }
    let id: String
    let function: Function
  }

  /// Reads a turn.
  ///
  /// - Throws: `DecodingError`, also for arguments that are not JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      role: try container.decode(ChatRole.self, forKey: .role),
      content: try container.decodeIfPresent(String.self, forKey: .content) ?? "")
    thoughts = try container.decodeIfPresent(String.self, forKey: .thoughts)
    toolCalls = try (container.decodeIfPresent([Call].self, forKey: .toolCalls) ?? []).map { call in
      let text = Array(call.function.arguments.utf8)
      guard let arguments = try? JSONDocument(parsing: text).root else {
        throw DecodingError.dataCorruptedError(
          forKey: .toolCalls, in: container, debugDescription: "Arguments of a call are not JSON.")
      }
      return ChatToolCall(id: call.id, name: call.function.name, arguments: arguments)
    }
    guard role == .tool,
      let id = try container.decodeIfPresent(String.self, forKey: .toolCallID)
    else { return }
    let name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
    answeredCall = ChatToolCall(id: id, name: name, arguments: .null)
  }

  /// Writes the turn.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(role, forKey: .role)
    try container.encode(content, forKey: .content)
    try container.encodeIfPresent(thoughts, forKey: .thoughts)
    if !toolCalls.isEmpty {
      let calls = toolCalls.map { call in
        Call(
          id: call.id,
          function: Call.Function(name: call.name, arguments: call.arguments.line))
      }
      try container.encode(calls, forKey: .toolCalls)
    }
    try container.encodeIfPresent(answeredCall?.id, forKey: .toolCallID)
    try container.encodeIfPresent(answeredCall?.name, forKey: .name)
  }
}
