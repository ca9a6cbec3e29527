import JSON

extension GenerationSchema: Codable {
  /// Reads Apple's form of JSON Schema, and no other one: objects have a title and an `x-order`, and a text that has a title has values.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, also for a keyword that would limit values and is not supported. JSON Schema of others
  ///   is read by ``init(jsonSchema:)``.
  public init(from decoder: any Decoder) throws {
    let json = try DecodedJSON(from: decoder).value
    self = try SchemaReader.read(json, isStrict: true, decoder.codingPath)
  }

  /// Reads JSON Schema as others write it, as far as values of Swift types need it: an extension.
  ///
  /// Properties that no `x-order` names are in the order of the text, and nothing needs a title.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, also for a keyword that would limit values and is not supported.
  public init(jsonSchema text: String) throws {
    let json: JSONValue
    do { json = try JSONDocument(parsing: Array(text.utf8)).root } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "This is not JSON: \(error)"))
    }
    self = try SchemaReader.read(json, isStrict: false, [])
  }

  /// Writes Apple's form of JSON Schema, types other than the first one in `$defs`.
  public func encode(to encoder: any Encoder) throws {
    try resolved.json.encode(to: encoder)
  }
}

extension SchemaReader {
  /// Reads a schema; strictly, only Apple's form of one.
  static func read(
    _ json: JSONValue, isStrict: Bool, _ codingPath: [any CodingKey]
  ) throws -> GenerationSchema {
    do throws(SchemaReader.Failure) {
      let schema = try read(json)
      if isStrict { try checkForm(json, "") }
      return schema
    } catch {
      let place = error.path.isEmpty ? "" : " at \(error.path)"
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "This is not a schema\(place): \(error.reason)."))
    }
  }
}

/// A schema in a transcript, which may have come from JSON Schema of others.
struct SchemaCoding: Codable {
  let schema: GenerationSchema

  init(_ schema: GenerationSchema) { self.schema = schema }

  init(from decoder: any Decoder) throws {
    let json = try DecodedJSON(from: decoder).value
    schema = try SchemaReader.read(json, isStrict: false, decoder.codingPath)
  }

  func encode(to encoder: any Encoder) throws { try schema.encode(to: encoder) }
}

extension JSONNumber {
  /// The value in the one text that all who write it come to: an integer, the shortest text of a double, or all digits.
  var canonical: JSONNumber {
    if let integer { return JSONNumber(integer) }
    guard isDouble else { return self }
    return Int(exactly: double).map { JSONNumber($0) } ?? JSONNumber(double)
  }
}

extension GenerationSchema {
  /// The schema in Apple's form of JSON Schema; to be asked of a resolved one.
  var json: JSONValue {
    var object = root.json
    if !definitions.isEmpty {
      object["$defs"] = .object(
        JSONObject(
          definitions.map { JSONObject.Member(key: $0.name, value: .object($0.node.json)) }))
    }
    return .object(object)
  }
}

extension SchemaNode {
  /// The node as JSON Schema.
  var json: JSONObject {
    switch self {
    case .object(let object): object.json
    case .choice(let choice): choice.json
    case .string(let string): string.json
    case .integer(let range): range.json(type: "integer")
    case .number(let range): range.json(type: "number")
    case .boolean: ["type": .string("boolean")]
    case .null: ["type": .string("null")]
    case .list(let list): list.json
    case .reference(SchemaNode.root): ["$ref": .string(SchemaNode.root)]
    case .reference(let name): ["$ref": .string(SchemaReference.pointer(to: name))]
    case .type(let type): ["$ref": .string(SchemaReference.pointer(to: type.name))]
    case .anything: [:]
    case .nothing: ["not": .object([:])]
    }
  }
}

/// How a schema refers to its definitions.
enum SchemaReference {
  static let prefix = "#/$defs/"

  /// The pointer to a definition; a slash in its name would lead further.
  static func pointer(to name: String) -> String {
    prefix + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The definition that a pointer leads to; nil when it leads elsewhere.
  static func name(_ pointer: String) -> String? {
    guard pointer.utf8.starts(with: prefix.utf8) else { return nil }
    let step = String(pointer.dropFirst(prefix.count))
    return step.replacing("~1", with: "/").replacing("~0", with: "~")
  }
}

extension SchemaObject {
  fileprivate var json: JSONObject {
    var json = JSONObject.head(title, description)
    json["type"] = .string("object")
    json["properties"] = .object(
      JSONObject(properties.map { JSONObject.Member(key: $0.name, value: .object($0.json)) }))
    json["required"] = .array(properties.filter { !$0.isOptional }.map { .string($0.name) })
    json["additionalProperties"] = .bool(false)
    json["x-order"] = .array(properties.map { .string($0.name) })
    return json
  }
}

extension SchemaObject.Property {
  fileprivate var json: JSONObject {
    var json = node.json
    if let description { json["description"] = .string(description) }
    return json
  }
}

extension SchemaChoice {
  fileprivate var json: JSONObject {
    var json = JSONObject.head(title, description)
    json["anyOf"] = .array(branches.map { .object($0.json) })
    return json
  }
}

extension SchemaString {
  fileprivate var json: JSONObject {
    var json = JSONObject.head(title, description)
    if let value = values?.first, values?.count == 1, patterns.isEmpty {
      json["const"] = .string(value)
      return json
    }
    json["type"] = .string("string")
    if let values { json["enum"] = .array(values.map { .string($0) }) }
    let texts: [String] = patterns.map {
      switch $0 {
      case .text(let text): text
      case .unreadable: ""
      }
    }
    if texts.count == 1 {
      json["pattern"] = .string(texts[0])
    } else if texts.count > 1 {
      json["allOf"] = .array(texts.map { .object(["pattern": .string($0)]) })
    }
    return json
  }
}

extension SchemaRange {
  fileprivate func json(type: String) -> JSONObject {
    guard unusableBound == nil else { return ["not": .object([:])] }
    var json: JSONObject = ["type": .string(type)]
    // Decoders do not keep how a number was written, and both have to read the same.
    if let minimum { json["minimum"] = .number(minimum.canonical) }
    if let maximum { json["maximum"] = .number(maximum.canonical) }
    return json
  }
}

extension SchemaList {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["type": .string("array"), "items": .object(element.json)]
    if let minimum { json["minItems"] = .number(JSONNumber(minimum)) }
    if let maximum { json["maxItems"] = .number(JSONNumber(maximum)) }
    return json
  }
}

extension JSONObject {
  fileprivate static func head(_ title: String?, _ description: String?) -> JSONObject {
    var json = JSONObject()
    if let title { json["title"] = .string(title) }
    if let description { json["description"] = .string(description) }
    return json
  }
}
