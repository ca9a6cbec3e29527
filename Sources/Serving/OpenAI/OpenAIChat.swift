import ChatTemplates
import JSON

/// A chat while what was said is read, in whichever of OpenAI's forms.
struct OpenAIChat {
  private var messages: [ChatMessage] = []
  private var instructions: [String] = []
  /// Calls that were made, to name the tool of a result.
  private var calls: [String: ChatToolCall] = [:]

  mutating func instruct(_ text: String) { instructions.append(text) }

  mutating func append(_ message: ChatMessage) { append(message, newCalls: message.toolCalls[...]) }

  private mutating func append(_ message: ChatMessage, newCalls: ArraySlice<ChatToolCall>) {
    messages.append(message)
    for call in newCalls where !call.id.isEmpty { calls[call.id] = call }
  }

  mutating func append(_ content: String, resultOf id: String, tool: String = "") {
    let call = calls[id] ?? ChatToolCall(id: id, name: tool, arguments: .null)
    append(ChatMessage(resultOf: call, content: content))
  }

  /// Adds to what the assistant says, until somebody else does.
  mutating func answer(_ change: (inout ChatMessage) -> Void) {
    let goesOn = messages.last?.role == .assistant
    var message = goesOn ? messages.removeLast() : ChatMessage(role: .assistant, content: "")
    let known = message.toolCalls.count
    change(&message)
    append(message, newCalls: message.toolCalls.dropFirst(known))
  }

  /// All messages, of which templates want instructions in front and in one.
  ///
  /// - Throws: `.invalidRequest`, of the field `key`, where there is nothing to be answered.
  func whole(_ key: String) throws(ServingError) -> [ChatMessage] {
    guard messages.canBeAnswered else {
      throw .invalid(key, "the last message has to be the user's, or the result of a tool.")
    }
    return messages.behind(instructions)
  }
}

extension RequestReader {
  /// A text that may come in parts, of these kinds with the key of their text; nil where there is none.
  func text(_ key: String, parts kinds: [String: String]) throws(ServingError) -> String? {
    describe(key, .schema("string"), .schema("array"))
    guard let value = self[key] else { return nil }
    if let text = value.string { return text }
    guard value.array != nil else {
      throw .invalid(place(key), "this has to be a text, or an array of parts.")
    }
    var texts: [String] = []
    for part in try objects(key) ?? [] {
      let type = try part.required("type", part.string("type"))
      guard let kind = kinds[type] else {
        throw .invalid(
          part.place("type"), "parts of the type '\(type.prefix(64))' are not supported, only text."
        )
      }
      texts.append(try part.required(kind, part.string(kind)))
    }
    return texts.joined(separator: "\n")
  }

  /// What a function is called with: a text of JSON, as OpenAI has it, or an object, as others do.
  func arguments() throws(ServingError) -> JSONValue {
    describe("arguments", .schema("string"), .schema("object"))
    guard let value = self["arguments"] else { return .object([:]) }
    guard let text = value.string else { return value }
    guard !text.isEmpty else { return .object([:]) }
    do throws(JSONError) {
      return try JSONDocument(parsing: Array(text.utf8)).root
    } catch {
      throw .invalid(place("arguments"), "this is a text, but not of JSON: \(error).")
    }
  }
}
