import JSON

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
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(beginning: Array(json.utf8)) } catch {
      throw .malformedJSON(reason: error.description, offset: error.offset)
    }
    self.init(document.root, id: id, openLevels: document.openLevels)
  }

  /// The content of `json`, in which the end of so many values is missing: of itself, of the last one in it, and so on.
  private init(_ json: JSONValue, id: GenerationID?, openLevels: Int = 0) {
    let isComplete = openLevels == 0
    switch json {
    case .null: self.init(kind: .null, id: id, isComplete: isComplete)
    case .bool(let value): self.init(kind: .bool(value), id: id, isComplete: isComplete)
    case .string(let value): self.init(kind: .string(value), id: id, isComplete: isComplete)
    case .number(let number):
      self.init(kind: .number(number.double), id: id, isComplete: isComplete, number: number)
    case .array(let values):
      let last = values.count - 1
      let elements = values.enumerated().map { index, value in
        GeneratedContent(
          value, id: id?.element(index), openLevels: index == last ? max(0, openLevels - 1) : 0)
      }
      self.init(kind: .array(elements), id: id, isComplete: isComplete)
    case .object(let object):
      var (properties, keys): ([String: GeneratedContent], [String]) = ([:], [])
      let last = object.members.count - 1
      for (index, member) in object.members.enumerated() {
        let content = GeneratedContent(
          member.value, id: id?.property(member.key),
          openLevels: index == last ? max(0, openLevels - 1) : 0)
        if properties.updateValue(content, forKey: member.key) == nil { keys.append(member.key) }
      }
      self.init(
        kind: .structure(properties: properties, orderedKeys: keys), id: id,
        isComplete: isComplete)
    }
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
