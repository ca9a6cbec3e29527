public import ChatTemplates
public import JSON
import SystemFiles

/// One example of a data set: a chat whose answers are learnt, a text of which all is, or a chat with a chosen and a rejected answer.
public struct TrainingExample: Sendable, Equatable {
  /// What an example consists of.
  public enum Content: Sendable, Equatable {
    /// Messages that end with an answer, and the tools that they may call, as JSON schemas.
    case chat([TrainingMessage], tools: [JSONValue])
    /// A text without roles.
    case text(String)
  }

  /// How the line is written.
  let form: ExampleForm
  /// What the line says; of a pair the chat with the chosen answer.
  public let content: Content
  /// The answer that is not wanted in the place of the last one; nil where the example is no pair.
  public let rejected: TrainingMessage?
  /// Line in the file, from 1.
  public let line: Int
  /// Bytes from the start of the file to the line.
  let offset: Int

  /// An example that errors name by its `line`; `rejected` makes a chat a pair.
  public init(_ content: Content, rejected: TrainingMessage? = nil, line: Int) {
    let chat: ExampleForm = rejected == nil ? .messages : .preference
    let form = if case .text = content { ExampleForm.text } else { chat }
    self.init(form, content, rejected: rejected, line: line, offset: 0)
  }

  /// An example from a line.
  init(
    _ form: ExampleForm, _ content: Content, rejected: TrainingMessage? = nil, line: Int,
    offset: Int
  ) {
    self.form = form
    self.content = content
    self.rejected = rejected
    self.line = line
    self.offset = offset
  }
}

extension TrainingExample {
  /// The messages of a chat; empty for a text.
  public var messages: [TrainingMessage] {
    if case .chat(let messages, _) = content { messages } else { [] }
  }

  /// The same with the rejected answer in the place of the chosen one, and the other way round; nil where it is no pair.
  var mirrored: TrainingExample? {
    guard let rejected, case .chat(let messages, let tools) = content, let chosen = messages.last
    else { return nil }
    return TrainingExample(
      .chat(messages.dropLast() + [rejected], tools: tools), rejected: chosen, line: line)
  }

  /// The tools of a chat; empty for a text.
  var tools: [JSONValue] {
    if case .chat(_, let tools) = content { tools } else { [] }
  }
}

/// How an example is written as a line of JSON.
package enum ExampleForm: String, Sendable, Codable, CaseIterable {
  /// `[{"role": …, "content": …}, …]`, as Apple's toolkit has it.
  case list
  /// `{"messages": [{"role": …, "content": …}, …]}`, as mlx-lm and others have it.
  case messages
  /// `{"prompt": …, "completion": …}`.
  case completion
  /// `{"text": …}`.
  case text
  /// `{"prompt": …, "chosen": …, "rejected": …}`, as trl has it, each a text or a list of messages.
  case preference
}

/// One message of an example.
public struct TrainingMessage: Sendable, Equatable {
  /// Who says it.
  public var role: ChatRole
  /// What is said.
  public var content: String
  /// Calls of tools that end an answer: a list of objects with `name` and `arguments`, or nil.
  public var toolCalls: JSONValue?
  /// What tells the calls from others, in their order; empty texts where the data does not say.
  public var callIDs: [String] = []
  /// For the result of a tool the identity and name of the call that it belongs to, as far as the data says.
  public var answeredCall: ChatToolCall?
  /// What is thought before an answer, where the data has it apart from the text.
  public var thoughts: String?
  /// The schema that an answer to this message has to follow, or nil.
  public var responseFormat: ResponseFormat?
  /// Whether it is an answer that is learnt, and not only comes before others.
  public var isLearnt: Bool

  /// A message without tools and schema; answers are learnt.
  public init(_ role: ChatRole, _ content: String) {
    self.role = role
    self.content = content
    isLearnt = role == .assistant
  }
}

/// What a message of the user asks of the answer: the `json_schema` of a `response_format`.
public struct ResponseFormat: Sendable, Equatable {
  /// Name of the type.
  public let name: String?
  /// What the type is for.
  public let description: String?
  /// The JSON schema of the answer.
  public let schema: JSONValue

  /// A format from its parts.
  public init(name: String?, description: String?, schema: JSONValue) {
    self.name = name
    self.description = description
    self.schema = schema
  }
}

/// The first half of a SHA-256 over what an example says, however its line is written.
struct ContentKey: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(_ bytes: [UInt8]) {
    var digest = SHA256()
    digest.update(bytes)
    let values = digest.finish()
    high = values[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = values[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension TrainingExample {
  /// The same for examples that say the same.
  var key: ContentKey { ContentKey(canonical(messages + (rejected.map { [$0] } ?? []))) }

  /// The same for chats that ask the same before their last answer; nil for a text.
  var promptKey: ContentKey? {
    guard case .chat(let messages, _) = content else { return nil }
    return ContentKey(canonical(messages.dropLast()))
  }

  /// The same for examples whose last answer is the same text; nil for a text, a pair and calls of tools.
  var answerKey: ContentKey? {
    guard rejected == nil, case .chat(let messages, _) = content, let last = messages.last,
      last.toolCalls == nil
    else { return nil }
    return ContentKey(Array(last.content.utf8))
  }

  /// All that is said, each part behind its length, so that no two examples have the same.
  private func canonical(_ messages: ArraySlice<TrainingMessage>) -> [UInt8] {
    var bytes: [UInt8] = []
    switch content {
    case .text(let text): bytes.appendPart(text)
    case .chat(_, let tools):
      bytes.appendPart(tools.isEmpty ? "" : JSONValue.array(tools).line)
      for message in messages {
        bytes.appendPart(message.role.rawValue)
        bytes.appendPart(message.content)
        bytes.appendPart(message.toolCalls?.line ?? "")
        bytes.appendPart(message.responseFormat?.canonical ?? "")
        if let thoughts = message.thoughts { bytes.appendPart(thoughts) }
      }
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func appendPart(_ text: String) {
    let count = text.utf8.count
    for shift in stride(from: 0, to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: count >> shift))
    }
    append(contentsOf: text.utf8)
  }
}

extension ResponseFormat {
  fileprivate var canonical: String {
    JSONValue.array([name.json, description.json, schema]).line
  }
}

extension String? {
  fileprivate var json: JSONValue { map(JSONValue.string) ?? .null }
}
