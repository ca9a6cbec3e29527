import Adapters
public import TensorFiles

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

/// The form that chat templates and servers know: `tool_calls` with their arguments as a text of JSON, and `tool_call_id`.
extension ChatMessage: Codable {
  private enum Key: String, CodingKey {
    case role, content, name
    case toolCalls = "tool_calls"
    case toolCallID = "tool_call_id"
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

/// The ways in which a chat, or a base for it, can be wrong.
public enum ChatDefect: Error, Equatable, Sendable {
  /// The file says nothing about chats.
  case noTemplate(file: String)
  /// The template in the file is not text.
  case unreadableTemplate(TensorFileError)
  /// The template in the file cannot be parsed.
  case brokenTemplate(file: String, JinjaError)
  /// The template of the base ends with an error, or refuses the chat.
  case failedTemplate(JinjaError)
  /// The vocabulary lacks a token that the format needs.
  case missingMark(ChatFormat, mark: String)
  /// There is nothing to answer.
  case noMessages
  /// Instructions that are not the first message.
  case misplacedSystem(index: Int)
  /// A message that must not follow the one before it; `after` is nil for the first.
  case wrongOrder(index: Int, role: ChatRole, after: ChatRole?)
  /// The last message is one of the assistant, so nothing is left to answer.
  case nothingToAnswer
  /// A role that the format has no place for.
  case unsupportedRole(ChatFormat, ChatRole)
  /// Tools or calls of them, for which the format has no place; nil for the template of the base.
  case unsupportedTools(ChatFormat?)
  /// Two tools have one name.
  case duplicateTool(String)
  /// A tool's name is empty, or has a character that no format could write as it is.
  case unusableToolName(String)
  /// An answer that the template leaves out, so that nothing can be learnt of it.
  case missingAnswer(index: Int)
}

extension ChatDefect: ExplainedError {
  /// A sentence with a full stop, but for what is wrong in a file's format.
  public var description: String {
    if case .unreadableTemplate = self { text.description } else { "\(text)." }
  }

  /// One sentence that names the place, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .noTemplate(let file):
      "\(file): the file has no chat template"
        + "\(Self.format("name a format", orInCommand: "let it continue a text with run --raw"))"
    case .unreadableTemplate(let error): "\(error)"
    case .brokenTemplate(let file, let error):
      "\(file): the chat template is wrong in \(error)"
        + "\(Self.format("name a format"))"
    case .failedTemplate(let error):
      if case .raised(let message) = error.fault {
        "The base's chat template refuses the chat in line \(error.line): \(message)"
          + "\(Self.format("change the messages, or name a format"))"
      } else {
        "The base's chat template fails in \(error)"
          + "\(Self.format("name a format"))"
      }
    case .missingMark(let format, let mark):
      "The chat format \(format.rawValue) needs the token \(mark), which the vocabulary lacks"
        + "\(Self.format("name another one"))"
    case .noMessages:
      "The chat has no messages\(remedy: "start with one of the user")"
    case .misplacedSystem(let index):
      "Message \(index + 1) of the chat is of the system; only the first may be"
    case .wrongOrder(let index, let role, let after?):
      "Message \(index + 1) of the chat is of the \(role.rawValue), which must not follow one of the "
        + "\(after.rawValue); user and assistant take turns"
    case .wrongOrder(let index, let role, nil):
      "Message \(index + 1) of the chat is of the \(role.rawValue); the user has to speak first"
    case .nothingToAnswer:
      "The last message of the chat is not one of the user or a tool, so there is nothing to answer"
    case .unsupportedRole(let format, let role):
      "The chat format \(format.rawValue) has no \(role.rawValue) messages"
    case .unsupportedTools(let format?):
      "The chat format \(format.rawValue) has no known place for tools and their calls"
    case .unsupportedTools(nil):
      "The base's chat template has no place for tools and their calls"
    case .duplicateTool(let name):
      "Two tools are named '\(name)'\(remedy: "rename one")"
    case .unusableToolName(let name):
      "'\(name)' cannot be the name of a tool\(remedy: "use letters, digits and underscores")"
    case .missingAnswer(let index):
      "The base's chat template leaves out message \(index + 1), which is an answer to learn"
        + "\(Self.format("name a format"))"
    }
  }

  /// The formats that there are, behind what to do with one; the command has an option for it.
  private static func format(_ step: String, orInCommand other: String? = nil) -> ErrorText {
    let or = other.map { ", or \($0)" } ?? ""
    return
      "\(remedy: "\(step): \(ChatFormat.names)", command: "\(step) with --chat-format (\(ChatFormat.names))\(or)")"
  }
}
