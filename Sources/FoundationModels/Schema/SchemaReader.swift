import JSON

/// Reads a schema from JSON Schema as Apple writes it.
///
/// A keyword that limits values and is not known is an error: ignoring it would let such values through.
struct SchemaReader {
  /// What is wrong with a schema's JSON, and where.
  struct Failure: Error, Equatable {
    let path: String
    let reason: String
  }

  private static let annotations: Set<String> = ["title", "description", "$schema", "$id"]
  private static let depthLimit = 64

  /// Reads a whole schema.
  static func read(_ json: JSONValue) throws(Failure) -> GenerationSchema {
    let object = try self.object(json, "")
    var definitions: [SchemaDefinition] = []
    if let members = object["$defs"] {
      for member in try self.object(members, "$defs").members {
        let node = try read(member.value, "$defs.\(member.key)", depth: 1)
        definitions.append(SchemaDefinition(name: member.key, node: node))
      }
    }
    var rest = object
    rest["$defs"] = nil
    let root = try read(.object(rest), "", depth: 1)
    let known = Set(definitions.map(\.name) + [SchemaNode.root])
    for name in ([root] + definitions.map(\.node)).flatMap(\.references) where !known.contains(name)
    {
      throw Failure(path: "$defs", reason: "there is no definition named '\(name)'")
    }
    return GenerationSchema(root, definitions: definitions)
  }

  private static func read(
    _ json: JSONValue, _ path: String, depth: Int
  ) throws(Failure) -> SchemaNode {
    guard depth <= depthLimit else { throw Failure(path: path, reason: "it is nested too deeply") }
    let object = try object(json, path)
    if let reference = object["$ref"] { return try self.reference(reference, object, path) }
    if let branches = object["anyOf"] {
      return .choice(try choice(branches, object, path, depth: depth))
    }
    if object["not"] == .object([:]) { return .nothing }
    guard let type = object["type"] else {
      if object["const"]?.string != nil { return .string(try string(object, path)) }
      try expectOnly([], object, path)
      return .anything
    }
    switch type.string {
    case "object": return .object(try structure(object, path, depth: depth))
    case "array": return .list(try list(object, path, depth: depth))
    case "string": return .string(try string(object, path))
    case "integer": return .integer(try range(object, path))
    case "number": return .number(try range(object, path))
    case "boolean":
      try expectOnly(["type"], object, path)
      return .boolean
    case "null":
      try expectOnly(["type"], object, path)
      return .null
    default: throw Failure(path: path, reason: "the type is \(type.line)")
    }
  }

  private static func reference(
    _ json: JSONValue, _ object: JSONObject, _ path: String
  ) throws(Failure) -> SchemaNode {
    try expectOnly(["$ref"], object, path)
    if json.string == SchemaNode.root { return .reference(SchemaNode.root) }
    guard let name = json.string.flatMap(SchemaReference.name) else {
      throw Failure(path: path, reason: "the reference \(json.line) is not to a definition")
    }
    return .reference(name)
  }

  private static func choice(
    _ json: JSONValue, _ object: JSONObject, _ path: String, depth: Int
  ) throws(Failure) -> SchemaChoice {
    try expectOnly(["anyOf"], object, path)
    guard let values = json.array, !values.isEmpty else {
      throw Failure(path: path, reason: "anyOf is no list of schemas")
    }
    var branches: [SchemaNode] = []
    for (index, value) in values.enumerated() {
      branches.append(try read(value, "\(path).anyOf[\(index)]", depth: depth + 1))
    }
    return SchemaChoice(
      title: object["title"]?.string, description: object["description"]?.string,
      branches: branches)
  }

  private static func structure(
    _ object: JSONObject, _ path: String, depth: Int
  ) throws(Failure) -> SchemaObject {
    try expectOnly(
      ["type", "properties", "required", "additionalProperties", "x-order"], object, path)
    let members = try self.object(object["properties"] ?? .object([:]), path)
    let required = try strings(object["required"], "required", path)
    let order = try strings(object["x-order"], "x-order", path)
    if let name = (required + order).first(where: { members[$0] == nil }) {
      throw Failure(path: path, reason: "there is no property '\(name)'")
    }
    var properties: [SchemaObject.Property] = []
    for name in order + members.keys.filter({ !order.contains($0) }) {
      let value = members[name] ?? .null
      let node = try read(value, path.isEmpty ? name : "\(path).\(name)", depth: depth + 1)
      // What is said about a part without a name is said about the property.
      let isOwn = node.title != nil
      properties.append(
        SchemaObject.Property(
          name: name, description: isOwn ? nil : value.object?["description"]?.string,
          node: isOwn ? node : node.undescribed, isOptional: !required.contains(name)))
    }
    return SchemaObject(
      title: object["title"]?.string, description: object["description"]?.string,
      properties: properties)
  }

  private static func list(
    _ object: JSONObject, _ path: String, depth: Int
  ) throws(Failure) -> SchemaList {
    try expectOnly(["type", "items", "minItems", "maxItems"], object, path)
    let items = object["items"] ?? .object([:])
    return SchemaList(
      element: try read(items, "\(path).items", depth: depth + 1),
      minimum: try count(object, "minItems", path), maximum: try count(object, "maxItems", path))
  }

  private static func string(_ object: JSONObject, _ path: String) throws(Failure) -> SchemaString {
    try expectOnly(["type", "enum", "const", "pattern", "allOf"], object, path)
    var string = SchemaString(
      title: object["title"]?.string, description: object["description"]?.string)
    if object["enum"] != nil { string.values = try strings(object["enum"], "enum", path) }
    if let value = object["const"]?.string { string.values = [value] }
    for value in [JSONValue.object(object)] + (object["allOf"]?.array ?? []) {
      guard let pattern = value.object?["pattern"] else { continue }
      guard let text = pattern.string else {
        throw Failure(path: path, reason: "the pattern is no string")
      }
      string.patterns.append(.text(text))
    }
    return string
  }

  private static func range(_ object: JSONObject, _ path: String) throws(Failure) -> SchemaRange {
    try expectOnly(["type", "minimum", "maximum"], object, path)
    for key in ["minimum", "maximum"] where object[key] != nil && object[key]?.number == nil {
      throw Failure(path: path, reason: "\(key) is no number")
    }
    return SchemaRange(minimum: object["minimum"]?.number, maximum: object["maximum"]?.number)
  }

  /// Refuses what is not in Apple's form.
  static func checkForm(_ json: JSONValue, _ path: String) throws(Failure) {
    guard let object = json.object else { return }
    let step = { (name: String) in path.isEmpty ? name : "\(path).\(name)" }
    if object["type"]?.string == "object" {
      for key in ["title", "x-order"] where object[key] == nil {
        throw Failure(path: path, reason: "an object has no '\(key)'; \(otherDoor)")
      }
      for member in object["properties"]?.object?.members ?? [] {
        try checkForm(member.value, step(member.key))
      }
    }
    if object["type"]?.string == "string", let title = object["title"]?.string,
      object["enum"] == nil, object["const"] == nil
    {
      throw Failure(path: path, reason: "the text '\(title)' has no values; \(otherDoor)")
    }
    if let items = object["items"] { try checkForm(items, step("items")) }
    for (index, branch) in (object["anyOf"]?.array ?? []).enumerated() {
      try checkForm(branch, "\(path).anyOf[\(index)]")
    }
    for member in object["$defs"]?.object?.members ?? [] {
      try checkForm(member.value, "$defs.\(member.key)")
    }
  }

  private static let otherDoor =
    "JSON Schema of others is read by GenerationSchema(jsonSchema:)"

  private static func count(
    _ object: JSONObject, _ key: String, _ path: String
  ) throws(Failure) -> Int? {
    guard let value = object[key] else { return nil }
    guard let count = value.integer, count >= 0 else {
      throw Failure(path: path, reason: "\(key) is \(value.line)")
    }
    return count
  }

  private static func strings(
    _ json: JSONValue?, _ key: String, _ path: String
  ) throws(Failure) -> [String] {
    guard let json else { return [] }
    guard let strings = json.array?.compactMap(\.string), strings.count == json.array?.count,
      Set(strings).count == strings.count
    else { throw Failure(path: path, reason: "\(key) is no list of different strings") }
    return strings
  }

  private static func object(_ json: JSONValue, _ path: String) throws(Failure) -> JSONObject {
    guard let object = json.object else {
      throw Failure(path: path, reason: "it is \(json.kind), not an object")
    }
    return object
  }

  private static func expectOnly(
    _ keys: Set<String>, _ object: JSONObject, _ path: String
  ) throws(Failure) {
    let known = annotations.union(keys)
    if let key = object.keys.first(where: { !known.contains($0) }) {
      throw Failure(path: path, reason: "the keyword '\(key)' is not supported here")
    }
  }
}
