import JSON

/// An object of a JSON Schema; notes which of its keywords have been read, as a limit that nobody has read is not kept.
struct SchemaPart {
  /// The pointer to it.
  let place: String
  private let object: JSONObject
  private var read: Set<String> = []

  /// Keywords that limit no value.
  private static let annotations: Set = [
    "title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly",
    "$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "format",
    "contentEncoding", "contentMediaType",
  ]

  init(_ object: JSONObject, at place: String) { (self.object, self.place) = (object, place) }

  var keys: [String] { object.keys }
  var listKeywords: (first: String, others: String) { object.listKeywords }

  /// - Throws: `.unsupportedKeyword` for the first keyword that limits values and that nobody has read.
  func expectNoMore() throws(GrammarDefect) {
    let rest = object.keys.first { !read.contains($0) && !Self.annotations.contains($0) }
    if let rest { throw unsupported(rest) }
  }

  func unsupported(_ key: String) -> GrammarDefect {
    .schema(.unsupportedKeyword(key), place: place)
  }

  /// What a keyword says, of whatever kind.
  mutating func value(_ key: String) -> JSONValue? {
    read.insert(key)
    return object[key]
  }

  private mutating func value<Value>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(GrammarDefect) -> Value? {
    guard let json = value(key) else { return nil }
    guard let value = convert(json) else {
      throw .schema(.wrongKind(json.line, expected: expected), place: "\(place)/\(key)")
    }
    return value
  }

  mutating func string(_ key: String) throws(GrammarDefect) -> String? {
    try value(key, "a string", \.string)
  }

  mutating func array(_ key: String) throws(GrammarDefect) -> [JSONValue]? {
    try value(key, "a list") { $0.array }
  }

  mutating func object(_ key: String) throws(GrammarDefect) -> JSONObject? {
    try value(key, "an object", \.object)
  }

  mutating func count(_ key: String) throws(GrammarDefect) -> Int? {
    try value(key, "a count", \.count)
  }

  mutating func strings(_ key: String) throws(GrammarDefect) -> [String]? {
    try value(key, "a list of strings") { json in
      let strings = json.array?.compactMap(\.string)
      return strings?.count == json.array?.count ? strings : nil
    }
  }

  mutating func number(_ key: String) throws(GrammarDefect) -> JSONNumber? {
    try value(key, "a number", \.number)
  }

  /// The names of types, one or several.
  mutating func types() throws(GrammarDefect) -> [String]? {
    if let name = object["type"]?.string {
      read.insert("type")
      return [name]
    }
    return try strings("type")
  }

  /// The values of `enum` or `const`.
  mutating func values() throws(GrammarDefect) -> [JSONValue]? {
    if let value = value("const") { return [value] }
    return try array("enum")
  }
}

extension JSONValue {
  /// Whether JSON Schema calls the value so.
  func isOf(type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number(let number):
      type == "number" || type == "integer" && JSONDecimal(number)?.isInteger ?? false
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}

extension JSONObject {
  /// What describes the first elements of a list each, and the others.
  ///
  /// Drafts before 2020-12 have a list in `items`, and no `prefixItems`.
  var listKeywords: (first: String, others: String) {
    self["items"]?.array == nil ? ("prefixItems", "items") : ("items", "additionalItems")
  }
}
