import JSON

/// Content as JSON inside a transcript.
///
/// `JSONDecoder` does not keep the order of properties, so content that it has read has them by name. Where they are in
/// another order, or a number has more digits than it reads, the content stands beside itself as `order`, a text of JSON,
/// which is ours; Apple's own content gets the order of the schema that was asked for.
struct ContentCoding: Codable, Equatable {
  let content: GeneratedContent

  init(_ content: GeneratedContent) { self.content = content }

  init(from decoder: any Decoder) throws {
    content = try GeneratedContent(json: DecodedJSON(from: decoder).value.sortedByKey.line)
  }

  func encode(to encoder: any Encoder) throws { try content.json.encode(to: encoder) }

  /// The content in the order of `text`, if that is the same content.
  func ordered(by text: String?) -> GeneratedContent {
    guard let text, let other = try? GeneratedContent(json: text),
      other.json.sortedByKey.isRead(as: content.json)
    else { return content }
    return other
  }
}

extension GeneratedContent {
  /// The content as a text, where its properties are not in the order of their names, or a number has many digits.
  var order: String? {
    let (own, sorted) = (json.line, json.sortedByKey.line)
    return own == sorted && !json.hasLongNumber ? nil : own
  }

  /// The content with the properties in the order of `schema`, as far as it has them.
  func ordered(by schema: GenerationSchema) -> GeneratedContent {
    let schema = schema.resolved
    let ordered = SchemaOrder(schema: schema).order(json, by: schema.root)
    return (try? GeneratedContent(json: ordered.line)) ?? self
  }
}

/// Puts properties into the order in which a schema has them.
private struct SchemaOrder {
  let schema: GenerationSchema

  func order(_ value: JSONValue, by node: SchemaNode) -> JSONValue {
    switch (node, value) {
    case (.object(let object), .object(let members)):
      var ordered = JSONObject()
      for property in object.properties {
        guard let value = members[property.name] else { continue }
        ordered[property.name] = order(value, by: property.node)
      }
      for member in members.members where ordered[member.key] == nil {
        ordered[member.key] = member.value
      }
      return .object(ordered)
    case (.list(let list), .array(let values)):
      return .array(values.map { order($0, by: list.element) })
    case (.reference(SchemaNode.root), _): return order(value, by: schema.root)
    case (.reference(let name), _):
      guard let definition = schema.definitions.first(where: { $0.name == name }) else {
        return value
      }
      return order(value, by: definition.node)
    case (.choice(let choice), .object(let members)):
      let branch = choice.branches.first { has($0, members) }
      return branch.map { order(value, by: $0) } ?? value
    default: return value
    }
  }

  /// Whether a branch has all the properties of an object.
  private func has(_ node: SchemaNode, _ members: JSONObject) -> Bool {
    switch node {
    case .object(let object):
      members.keys.allSatisfy { key in object.properties.contains { $0.name == key } }
    case .reference(let name):
      schema.definitions.first { $0.name == name }.map { has($0.node, members) } ?? false
    default: false
    }
  }
}

extension JSONValue {
  /// The same value, with the members of each object by name.
  fileprivate var sortedByKey: JSONValue {
    switch self {
    case .object(let object):
      .object(
        JSONObject(
          object.sorted.map { JSONObject.Member(key: $0.key, value: $0.value.sortedByKey) }))
    case .array(let values): .array(values.map(\.sortedByKey))
    default: self
    }
  }

  /// Whether no decoder reads all digits of a number.
  fileprivate var hasLongNumber: Bool {
    switch self {
    case .object(let object): object.members.contains { $0.value.hasLongNumber }
    case .array(let values): values.contains { $0.hasLongNumber }
    case .number(let number):
      number.integer == nil && !number.isDouble && number.decimal == nil
    default: false
    }
  }

  /// Whether `other` is what a decoder has read of this value, keys of both in one order.
  ///
  /// Of a long number that may be the nearest double, and of one beyond all doubles its text.
  fileprivate func isRead(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let own), .object(let read)):
      own.keys == read.keys
        && zip(own.members, read.members).allSatisfy { $0.value.isRead(as: $1.value) }
    case (.array(let own), .array(let read)):
      own.count == read.count && zip(own, read).allSatisfy { $0.isRead(as: $1) }
    case (.number(let own), .number(let read)):
      JSONDecimal(own) == JSONDecimal(read) || (own.decimal == nil && own.double == read.double)
    case (.number(let own), .string(let read)): !own.double.isFinite && own.text == read
    default: line == other.line
    }
  }
}
