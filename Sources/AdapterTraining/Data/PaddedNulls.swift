import ChatTemplates
import Grammars
package import JSON

/// Takes out of a line what Arrow and Parquet pad it with: keys that other lines have, with null as their value.
///
/// Null is absent everywhere, but for the arguments of a call, and the defaults in a schema, of which the schema says that
/// they may be null. Content of messages that is null stays, as it is what a call comes without; so does content that is an
/// object, as a tool may give back, for it comes from no column of texts. Tools and calls that are null, empty or an empty text
/// are absent, too; those that are a text of JSON, as in columns of one type, become that.
package struct PaddedNulls {
  /// What the tools of the line say of their arguments.
  private let arguments: [String: SchemaNulls]

  /// What a value is a part of, as the same key means something else elsewhere.
  private enum Part {
    case line, message, schema, calls
  }

  /// The line, or another value in which such lines are, without what pads it.
  package static func removed(from line: JSONValue) -> JSONValue {
    guard hasPadding(line) else { return line }
    let bare = PaddedNulls(arguments: [:])
    let tools = definitions(in: line).map { bare.removed(from: $0, .schema) }
    let arguments = tools.compactMap { tool -> (String, SchemaNulls)? in
      guard let function = tool.object?.toolFunction, let name = function["name"]?.string
      else { return nil }
      return function.toolParameters.map { (name, SchemaNulls($0)) }
    }
    let nulls = PaddedNulls(
      arguments: Dictionary(arguments) { first, _ in first })
    return nulls.removed(from: line, .line)
  }

  /// Nearly all lines have nothing of this, and stay what they are.
  private static func hasPadding(_ value: JSONValue) -> Bool {
    switch value {
    case .array(let values): values.contains(where: hasPadding)
    case .object(let object):
      object.members.contains { member in
        member.value == .null || hasPadding(member.value) || isNone(member)
          || member.key == "arguments" && member.value.string?.contains("null") ?? false
          || lists.contains(member.key) && member.value.string != nil
      }
    default: false
    }
  }

  /// Tools beside a line and on its messages.
  private static func definitions(in line: JSONValue) -> [JSONValue] {
    let messages = line.array ?? line.object?.members.flatMap { $0.value.array ?? [] } ?? []
    return ([line] + messages).flatMap { $0.object?["tools"]?.list ?? [] }
  }

  private static let lists = ["tools", "tool_calls"]

  private static func isNone(_ member: JSONObject.Member) -> Bool {
    lists.contains(member.key)
      && (member.value.saysNothing || member.value.list?.isEmpty ?? false)
  }

  private func removed(from value: JSONValue, _ part: Part) -> JSONValue {
    switch value {
    case .array(let values):
      .array(values.map { removed(from: $0, part == .line && $0.isMessage ? .message : part) })
    case .object(let object):
      .object(
        JSONObject(
          object.members.compactMap { member in
            stays(member, of: object, part)
              ? JSONObject.Member(key: member.key, value: kept(member, of: object, part)) : nil
          }))
    default: value
    }
  }

  private func stays(_ member: JSONObject.Member, of object: JSONObject, _ part: Part) -> Bool {
    guard member.value == .null else {
      return ![.line, .message].contains(part) || !Self.isNone(member)
    }
    switch (part, member.key) {
    case (.message, "content"): return object["role"]?.string != nil
    case (.schema, "default"), (.schema, "const"):
      var others = object
      others[member.key] = nil
      return SchemaNulls.allowsNull(others) || member.key == "const" && !others.limitsValues
    default: return false
    }
  }

  private func kept(
    _ member: JSONObject.Member, of object: JSONObject, _ part: Part
  ) -> JSONValue {
    switch (part, member.key) {
    case (.line, "tools"), (.message, "tools"): removed(from: member.value.asList, .schema)
    case (.message, "content") where member.value.object != nil: member.value
    case (.message, "response_format"): removed(from: member.value, .schema)
    case (.message, "tool_calls"): removed(from: member.value.asList, .calls)
    case (.calls, "arguments"): unpadded(member.value, object["name"]?.string)
    // What else stands beside messages is not read here.
    case (.line, _) where !(member.value.array?.contains(where: \.isMessage) ?? false):
      member.value
    default: removed(from: member.value, part)
    }
  }

  /// Arguments of a call of the tool with this name, as JSON or as its text.
  private func unpadded(_ arguments: JSONValue, _ name: String?) -> JSONValue {
    let schema = name.flatMap { self.arguments[$0] } ?? SchemaNulls(.bool(true))
    guard let text = arguments.string else { return schema.unpadded(arguments) }
    guard let json = ExampleParser.json(in: text) else { return arguments }
    let unpadded = schema.unpadded(json)
    return unpadded == json ? arguments : .string(unpadded.line)
  }
}

extension JSONValue {
  /// Whether somebody says it.
  fileprivate var isMessage: Bool { object?["role"] != nil || object?["from"] != nil }

  /// The list that a text of JSON is, or the value as it is.
  fileprivate var asList: JSONValue { list.map { .array($0) } ?? self }
}

extension JSONObject {
  /// Whether a schema says which values there are, apart from `const`.
  fileprivate var limitsValues: Bool {
    ["type", "enum", "anyOf", "oneOf", "allOf", "$ref", "properties", "items"].contains {
      self[$0] != nil && self[$0] != .null
    }
  }

  /// The schema of a tool's arguments; in Apple's toolkit it is called `arguments`.
  var toolParameters: JSONValue? { toolSchemaKeys.first.flatMap { self[$0] } }
}
