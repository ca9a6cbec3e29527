import Adapters
package import ChatTemplates
package import JSON

/// A chat of a data set up to an answer that is asked for, and the tools that it may call.
package struct AskedChat: Sendable, Equatable {
  /// What is said before the answer.
  package var messages: [TrainingMessage]
  /// Definitions of tools, as the data has them.
  package let tools: [JSONValue]

  /// Reads `values` as messages of a data set, and `tools` as what stands beside them.
  ///
  /// Where something is wrong there is no chat, and `defect` becomes what it is.
  package init?(_ values: [JSONValue], tools: JSONValue?, defect: inout String?) {
    var parser = ExampleParser(file: "")
    // The rules are those of whole examples, so that any answer follows.
    let answer: JSONValue = .object(["role": .string("assistant"), "content": .string("-")])
    let line = PaddedNulls.removed(
      from: .object(["messages": .array(values + [answer]), "tools": tools ?? .null]))
    let content = parser.parseChat(
      line.object?["messages"]?.array ?? [], path: "messages", tools: line.object?["tools"])
    guard case .chat(let messages, let tools) = content else {
      let error = parser.findings.first { $0.severity == .error }
      defect = error.map { ($0.place.key.map { "\($0): " } ?? "") + $0.message }
      return nil
    }
    (self.messages, self.tools) = (messages.dropLast(), tools)
  }

  /// Whether only the template of a base knows where all of it stands.
  package var hasTools: Bool { !tools.isEmpty || messages.useTools }
}

extension [TrainingMessage] {
  /// Whether tools are called, or answer.
  var useTools: Bool { contains { $0.toolCalls != nil || $0.role == .tool } }
}

extension TrainingMessage {
  /// The message as chats have it: the schema behind its text, calls, thoughts and all.
  package var said: ChatMessage {
    var message = ChatMessage(role: role, content: content + formatText)
    (message.thoughts, message.answeredCall) = (thoughts, answeredCall)
    message.toolCalls = (toolCalls?.array ?? []).enumerated().compactMap { index, call in
      guard let name = call.object?["name"]?.string else { return nil }
      return ChatToolCall(
        id: index < callIDs.count ? callIDs[index] : "", name: name,
        arguments: call.object?["arguments"] ?? .null)
    }
    return message
  }
}

extension TrainingMessage {
  /// Reads `values` as messages of which each has a role and a text, and nothing else is looked at.
  ///
  /// Where one has not both there are none, and `defect` becomes what it is.
  package static func plain(_ values: [JSONValue], defect: inout String?) -> [TrainingMessage]? {
    var messages: [TrainingMessage] = []
    for (index, value) in values.enumerated() {
      guard let role = value.object?["role"]?.string.flatMap(ChatRole.init(rawValue:)),
        let content = value.object?["content"]?.string
      else {
        defect =
          "message \(index + 1) is no object with a role (system, user, assistant or tool) and a text called content"
        return nil
      }
      messages.append(TrainingMessage(role, content))
    }
    return messages
  }
}
