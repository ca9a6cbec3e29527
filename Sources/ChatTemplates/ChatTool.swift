public import Grammars
public import JSON

/// A tool that an assistant may call.
public struct ChatTool: Sendable {
  /// What the assistant calls it.
  public let name: String
  /// As templates take it: `{"type": "function", "function": {"name": …, "description": …, "parameters": …}}`.
  public let definition: JSONValue
  /// What its arguments have to be like: the grammar of a JSON object.
  public let arguments: Grammar
  /// Whether the assistant is told of the tool; it may call one that it knows of otherwise.
  public let isTold: Bool

  /// A tool with all that is known of it.
  public init(name: String, definition: JSONValue, arguments: Grammar, isTold: Bool = true) {
    (self.name, self.definition, self.arguments) = (name, definition, arguments)
    self.isTold = isTold
  }

  /// A tool whose arguments have to fit `parameters`, a JSON Schema.
  ///
  /// - Throws: `GrammarDefect` for a schema that cannot be enforced.
  public init(
    name: String, description: String, parameters: JSONValue
  ) throws(GrammarDefect) {
    let function: JSONObject = [
      "name": .string(name), "description": .string(description), "parameters": parameters,
    ]
    self.init(
      name: name,
      definition: .object(["type": .string("function"), "function": .object(function)]),
      arguments: try Grammar(schema: parameters))
  }
}

extension ChatTool {
  /// A tool as data defines it, in whichever form; nil without a name.
  ///
  /// Where they are not there or cannot be enforced, any object is an argument.
  package init?(definition: JSONValue) {
    guard let function = definition.toolOfTemplates.object?.toolFunction,
      let name = function["name"]?.string
    else { return nil }
    var shown = function
    if let parameters = function["parameters"] {
      shown = [
        "name": .string(name), "description": .string(function["description"]?.string ?? ""),
        "parameters": parameters,
      ]
    }
    let schema = function["parameters"] ?? function["arguments"]
    self.init(
      name: name, definition: .object(["type": .string("function"), "function": .object(shown)]),
      arguments: schema.flatMap { try? Grammar(schema: $0) } ?? .anyObject)
  }

  /// A tool of which only the name is known, from its calls.
  package init(called name: String) {
    self.init(name: name, definition: .object([:]), arguments: .anyObject, isTold: false)
  }
}

extension Grammar {
  fileprivate static let anyObject = Grammar(.dictionary(.anything))
}

/// A call of a tool.
public struct ChatToolCall: Sendable, Equatable {
  /// Tells the call from others of its chat; its result has it too.
  ///
  /// Empty where data has none.
  public var id: String
  /// Name of the tool.
  public var name: String
  /// A JSON object.
  public var arguments: JSONValue

  /// A call with `arguments`.
  public init(id: String, name: String, arguments: JSONValue) {
    (self.id, self.name, self.arguments) = (id, name, arguments)
  }
}

extension ChatToolCall {
  /// The call as transformers hands it to templates; some take the arguments as a text only.
  func json(argumentsAreText: Bool) -> JSONValue {
    let function: JSONObject = [
      "name": .string(name),
      "arguments": argumentsAreText ? .string(arguments.line) : arguments,
    ]
    var call: JSONObject = ["type": .string("function"), "function": .object(function)]
    if !id.isEmpty {
      call = ["id": .string(id), "type": .string("function"), "function": .object(function)]
    }
    return .object(call)
  }

  /// The messages with identities that every template takes; calls without any and their results get some in order.
  static func shorteningIDs(of messages: [ChatMessage]) -> [ChatMessage] {
    var (count, open) = (0, ArraySlice<ChatToolCall>())
    return messages.map { message in
      var message = message
      for index in message.toolCalls.indices {
        count += 1
        let id = message.toolCalls[index].id
        message.toolCalls[index].id = shortID(id.isEmpty ? "call \(count)" : id)
      }
      if message.role == .assistant { open = message.toolCalls[...] }
      guard message.role == .tool else { return message }
      let next = open.popFirst()
      if let id = message.answeredCall?.id, !id.isEmpty {
        message.answeredCall?.id = shortID(id)
      } else if let next {
        message.answeredCall = ChatToolCall(
          id: next.id, name: message.answeredCall?.name ?? next.name, arguments: .null)
      }
      return message
    }
  }

  /// An identity as every template takes it: 9 letters and digits, which some demand.
  private static func shortID(_ id: String) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    if id.utf8.count == 9, id.utf8.allSatisfy(alphabet.contains) { return id }
    // FNV-1a: short, and the same in every run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let letters = (0..<9).map { _ -> UInt8 in
      defer { hash /= UInt64(alphabet.count) }
      return alphabet[Int(hash % UInt64(alphabet.count))]
    }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension ChatRenderer {
  /// The renderer of chats in which the assistant may call `tools`; without any, of chats in which it has.
  ///
  /// Definitions, calls and results stand where the template of the base has them. Where it has no place for them, the
  /// definitions are told with the instructions, a call is an answer of JSON and nothing else, and its result a message of the
  /// user.
  ///
  /// - Throws: `ChatDefect.unusableToolName`, `.duplicateTool`.
  public func offering(_ tools: [ChatTool]) throws(ChatDefect) -> ChatRenderer {
    var names: Set<String> = []
    for tool in tools {
      let isUsable = tool.name.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && $0 != "\"" && $0 != "\\"
      }
      guard !tool.name.isEmpty, isUsable else { throw .unusableToolName(tool.name) }
      guard names.insert(tool.name).inserted else { throw .duplicateTool(tool.name) }
    }
    var renderer = self
    renderer.tools = tools
    renderer.toolCalls = ToolCallFormat(of: self) ?? .inAnswers
    return renderer
  }
}

extension ChatRenderer {
  /// The tokens that definitions of the tools take up in a chat.
  package var toolTokenCount: Int {
    var without = self
    without.tools = []
    return openingTokens([]).count - without.openingTokens([]).count
  }
}
