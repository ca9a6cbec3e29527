package import JSON

/// Tells nulls that a JSON Schema speaks of from those that only pad a value.
package struct SchemaNulls {
  private let document: JSONValue
  private let index = JSONPointer.Index()

  /// Parts that speak of one value, at most; references may come to many from a few.
  private static let limit = 256

  package init(_ schema: JSONValue) { document = schema }

  /// `value` without the members that are null, but for those of which the schema says that they may be.
  package func unpadded(_ value: JSONValue) -> JSONValue { unpadded(value, parts([document])) }

  /// Whether a schema says of itself, without references, that a value may be null.
  package static func allowsNull(_ schema: JSONObject) -> Bool {
    let nulls = SchemaNulls(.null)
    return nulls.parts([.object(schema)]).contains(where: nulls.namesNull)
  }

  private func unpadded(_ value: JSONValue, _ parts: [JSONObject]) -> JSONValue {
    switch value {
    case .object(let object):
      .object(
        JSONObject(
          object.members.compactMap { member in
            let inner = self.parts(parts.flatMap { described(member.key, by: $0) })
            guard member.value == .null else {
              return JSONObject.Member(key: member.key, value: unpadded(member.value, inner))
            }
            return inner.contains(where: namesNull) ? member : nil
          }))
    case .array(let values):
      .array(
        values.enumerated().map { index, value in
          unpadded(value, self.parts(parts.compactMap { element(index, of: $0) }))
        })
    default: value
    }
  }

  private func namesNull(_ part: JSONObject) -> Bool {
    let types = part["type"].map { $0.array ?? [$0] } ?? []
    return types.contains { $0.string == "null" } || part["nullable"] == .bool(true)
      || part["const"] == .null || part["enum"]?.array?.contains(.null) ?? false
  }

  private func described(_ key: String, by part: JSONObject) -> [JSONValue] {
    [part["properties"]?.object?[key] ?? part["additionalProperties"]].compactMap(\.self)
  }

  private func element(_ index: Int, of part: JSONObject) -> JSONValue? {
    let keywords = part.listKeywords
    let first = part[keywords.first]?.array ?? []
    return index < first.count ? first[index] : part[keywords.others]
  }

  /// The schemas with those that they refer to or choose from.
  private func parts(_ schemas: [JSONValue]) -> [JSONObject] {
    var (found, rest): ([JSONObject], [JSONValue]) = ([], schemas.reversed())
    var met: Set<String> = []
    while let next = rest.popLast(), found.count < Self.limit {
      guard let part = next.object else { continue }
      found.append(part)
      for key in ["anyOf", "oneOf", "allOf"] { rest += part[key]?.array ?? [] }
      if let pointer = part["$ref"]?.string.flatMap(JSONPointer.init(fragment:)),
        met.insert(pointer.text).inserted, let target = pointer.value(in: document, index)
      {
        rest.append(target)
      }
    }
    return found
  }
}
