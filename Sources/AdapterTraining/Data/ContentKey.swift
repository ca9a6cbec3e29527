import Adapters
import ChatTemplates
import TensorFiles

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
  var key: ContentKey { ContentKey(Array(canonical(messages).utf8)) }

  /// The same for chats that ask the same before their last answer; nil for a text.
  var promptKey: ContentKey? {
    guard case .chat(let messages, _) = content else { return nil }
    return ContentKey(Array(canonical(messages.dropLast()).utf8))
  }

  private func canonical(_ messages: some Sequence<TrainingMessage>) -> String {
    switch content {
    case .text(let text): JSONValue.string(text).line
    case .chat(_, let tools):
      JSONValue.array([.array(messages.map(\.canonical)), .array(tools)]).line
    }
  }
}

extension TrainingMessage {
  fileprivate var canonical: JSONValue {
    let format = responseFormat.map { format -> JSONValue in
      .array([format.name.json, format.description.json, format.schema])
    }
    return .array([.string(role.rawValue), .string(content), toolCalls ?? .null, format ?? .null])
  }
}

extension String? {
  fileprivate var json: JSONValue { map(JSONValue.string) ?? .null }
}
