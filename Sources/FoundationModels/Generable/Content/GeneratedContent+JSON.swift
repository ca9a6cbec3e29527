import Adapters

extension GeneratedContent {
  /// Reads JSON, which may end anywhere: what is cut off is missing, and ``isComplete`` says so.
  ///
  /// A number, a literal or a key that the end of the text cuts is left out, as it may go on.
  ///
  /// - Throws: ``GeneratedContentError/malformedJSON(reason:offset:)``, also for more than 64 levels.
  public init(json: String) throws {
    try self.init(json: json, id: nil)
  }

  /// As the public initializer; `id` names the content, and names after it each content inside.
  init(json: String, id: GenerationID?) throws(GeneratedContentError) {
    var reader = PartialJSONReader(Array(json.utf8))
    self = try reader.readContent(id: id)
  }

  /// The content as JSON on one line, properties in their order, a space after each comma and colon.
  ///
  /// A number that is not finite has no JSON and becomes `null`.
  public var jsonString: String { json.line }

  /// The content as JSON.
  var json: JSONValue {
    switch kind {
    case .null: .null
    case .bool(let value): .bool(value)
    case .string(let value): .string(value)
    case .number(let value):
      if let number { .number(number) } else { value.isFinite ? .number(JSONNumber(value)) : .null }
    case .array(let elements): .array(elements.map(\.json))
    case .structure(let properties, let keys):
      .object(
        JSONObject(
          keys.compactMap { key in
            properties[key].map { JSONObject.Member(key: key, value: $0.json) }
          }))
    }
  }
}

extension JSONValue {
  /// The value on one line, keys in their order, a space after each comma and colon.
  var line: String {
    var text = ""
    writeLine(to: &text)
    return text
  }

  private func writeLine(to text: inout String) {
    switch self {
    case .object(let object):
      text += "{"
      for (index, member) in object.members.enumerated() {
        text += (index == 0 ? "" : ", ") + JSONValue.string(member.key).text + ": "
        member.value.writeLine(to: &text)
      }
      text += "}"
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        value.writeLine(to: &text)
      }
      text += "]"
    default: text += self.text
    }
  }
}
