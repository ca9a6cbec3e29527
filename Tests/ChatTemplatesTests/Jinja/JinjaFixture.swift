import Foundation
import JSON
import SystemFiles
import TestSupport

@testable import ChatTemplates

/// Templates, conversations, and what jinja2 in the environment of transformers makes of them.
enum JinjaFixture {
  static let date = TemplateDate(year: 2026, month: 7, day: 4, hour: 15, minute: 6, second: 9)

  static func json(_ name: String) throws -> JSONValue {
    try JSONDocument(parsing: Fixtures.bytes("ChatTemplatesTests", "jinja/" + name)).root
  }

  /// The template `name` of the committed ones, or of the folder that FMADAPTER_CHAT_TEMPLATES names; nil when it is
  /// in neither.
  static func template(_ name: String) throws -> String? {
    var folders = [Fixtures.url("ChatTemplatesTests", "jinja/templates")]
    if let folder = ProcessInfo.processInfo.environment["FMADAPTER_CHAT_TEMPLATES"] {
      folders.append(URL(fileURLWithPath: folder))
    }
    for folder in folders {
      let file = folder.appendingPathComponent(name + ".jinja")
      if let data = try? Data(contentsOf: file) { return String(decoding: data, as: UTF8.self) }
    }
    return nil
  }

  static func variables(_ values: JSONValue) -> [(name: String, value: JinjaValue)] {
    (values.object?.members ?? []).map { ($0.key, JinjaValue($0.value, .data)) }
  }

  /// The variables of a conversation, as transformers hands them over.
  static func variables(of conversation: JSONValue) -> [(name: String, value: JinjaValue)] {
    let object = conversation.object
    let messages = (object?["messages"]?.array ?? []).enumerated().map { index, message in
      JinjaValue(withReasoning(message), .message(index))
    }
    var variables: [(name: String, value: JinjaValue)] = [
      ("messages", .list(messages)), ("tools", JinjaValue(object?["tools"] ?? .null, .data)),
      ("documents", .none), ("bos_token", .string("<|bos|>")), ("eos_token", .string("<|eos|>")),
    ]
    if case .bool(let prompt)? = object?["prompt"] {
      variables.append(("add_generation_prompt", .bool(prompt)))
    }
    return variables + Self.variables(object?["variables"] ?? .null)
  }

  /// What transformers does with names of thoughts.
  private static func withReasoning(_ message: JSONValue) -> JSONValue {
    guard let object = message.object, let thought = object["reasoning_content"] else {
      return message
    }
    return .object(
      JSONObject([JSONObject.Member(key: "thinking", value: thought)] + object.members))
  }

  static func sha256(_ text: String) -> String {
    var digest = SHA256()
    digest.update(Array(text.utf8))
    return digest.finishHex()
  }

  /// What is wrong with an outcome; nil when it is the expected one.
  static func difference(
    _ expected: JSONValue, _ render: () throws(JinjaError) -> SourcedText
  ) -> String? {
    let expected = expected.object
    do throws(JinjaError) {
      let text = try render().string
      if let wanted = expected?["text"]?.string {
        return wanted.utf8.elementsEqual(text.utf8) ? nil : "is \(text.debugDescription)"
      }
      if let digest = expected?["sha256"]?.string {
        return digest == sha256(text) ? nil : "is \(text.debugDescription)"
      }
      return "is \(text.debugDescription), not an error"
    } catch {
      if let message = expected?["raised"]?.string {
        return error.fault == .raised(message) ? nil : "fails with \(error)"
      }
      if case .raised = error.fault { return "fails with \(error)" }
      return expected?["fails"] != nil ? nil : "fails with \(error)"
    }
  }
}
