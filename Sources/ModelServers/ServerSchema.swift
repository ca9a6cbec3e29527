import FoundationModels
import JSON

/// A JSON schema as servers take it.
struct ServerSchema {
  /// Without the keywords that only Apple's framework reads.
  let json: JSONValue
  /// Letters, digits, `_` and `-`, at most 64.
  let name: String

  init(_ schema: GenerationSchema) throws {
    let root = try JSONDocument(parsing: Array(schema.debugDescription.utf8)).root
    json = Self.map(root) { $0.key == "x-order" ? nil : $0 }
    let name = RequestParts.identifier(schema.name, limit: 64)
    self.name = name.isEmpty ? "answer" : name
  }

  /// What goes through each member of all objects that are schemas, and not of those whose keys are names of properties and types.
  private static func map(
    _ value: JSONValue, _ change: (JSONObject.Member) -> JSONObject.Member?
  ) -> JSONValue {
    switch value {
    case .object(var object):
      // Servers want a type beside a fixed value, which Apple's form has not.
      if object["const"]?.string != nil { object["type"] = .string("string") }
      return .object(
        JSONObject(
          object.members.compactMap(change).map { member in
            guard ["properties", "$defs"].contains(member.key), let names = member.value.object
            else {
              return JSONObject.Member(key: member.key, value: map(member.value, change))
            }
            let all = names.members.map {
              JSONObject.Member(key: $0.key, value: map($0.value, change))
            }
            return JSONObject.Member(key: member.key, value: .object(JSONObject(all)))
          }))
    case .array(let values): return .array(values.map { map($0, change) })
    default: return value
    }
  }

  // MARK: - OpenAI's

  /// Whether OpenAI's strict mode can hold an answer to the schema: it knows no properties that may be missing.
  var isStrict: Bool { Self.isStrict(json) }

  private static func isStrict(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let object):
      if let properties = object["properties"]?.object {
        let required = object["required"]?.array?.compactMap(\.string) ?? []
        guard Set(properties.keys) == Set(required) else { return false }
      }
      return object.members.allSatisfy { isStrict($0.value) }
    case .array(let values): return values.allSatisfy(isStrict)
    default: return true
    }
  }

  /// The schema as a format of OpenAI's, without its type.
  var format: JSONObject {
    ["name": .string(name), "strict": .bool(isStrict), "schema": json]
  }

  // MARK: - Anthropic's

  /// The schema in what Anthropic's structured outputs hold an answer to; what else it says stands in descriptions.
  ///
  /// Source: Anthropic, "Structured outputs", and its Python package 2.12.0, which changes schemas alike.
  var limited: JSONValue { Self.limited(json) }

  private static let known: Set<String> = [
    "$defs", "$ref", "type", "anyOf", "allOf", "enum", "const", "properties", "required",
    "additionalProperties", "items", "title", "description",
  ]

  private static func limited(_ value: JSONValue) -> JSONValue {
    guard let object = value.object else {
      return .array((value.array ?? []).map(limited))
    }
    var result = JSONObject()
    var told: [String] = []
    for member in object.members {
      switch (member.key, member.value) {
      case ("properties", .object(let names)), ("$defs", .object(let names)):
        result[member.key] = .object(
          JSONObject(
            names.members.map { JSONObject.Member(key: $0.key, value: limited($0.value)) }))
      case ("items", .object), ("anyOf", .array), ("allOf", .array):
        result[member.key] = limited(member.value)
      case ("minItems", .number(let count)) where (count.integer ?? 2) <= 1:
        result[member.key] = member.value
      case (let key, _) where known.contains(key): result[key] = member.value
      default: told.append("\(member.key): \(member.value.line)")
      }
    }
    if !told.isEmpty {
      let all = [result["description"]?.string, "{\(told.joined(separator: ", "))}"]
      result["description"] = .string(all.compactMap(\.self).joined(separator: "\n\n"))
    }
    return .object(result)
  }
}
