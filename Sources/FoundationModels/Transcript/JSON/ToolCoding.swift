/// A tool in the JSON of a transcript: `{"type": "function", "function": {…}}`.
struct ToolDefinitionCoding: Codable {
  let definition: Transcript.ToolDefinition

  private enum Key: String, CodingKey { case type, function }
  private enum Kind: String, Codable { case function }
  private enum FunctionKey: String, CodingKey { case name, description, parameters }

  init(_ definition: Transcript.ToolDefinition) { self.definition = definition }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    _ = try container.decode(Kind.self, forKey: .type)
    let function = try container.nestedContainer(keyedBy: FunctionKey.self, forKey: .function)
    definition = Transcript.ToolDefinition(
      name: try function.decode(String.self, forKey: .name),
      description: try function.decode(String.self, forKey: .description),
      parameters: try function.decode(GenerationSchema.self, forKey: .parameters))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Kind.function, forKey: .type)
    var function = container.nestedContainer(keyedBy: FunctionKey.self, forKey: .function)
    try function.encode(definition.name, forKey: .name)
    try function.encode(definition.description, forKey: .description)
    try function.encode(definition.parameters, forKey: .parameters)
  }
}

/// A call in the JSON of a transcript: its arguments are JSON inside a string.
struct ToolCallCoding: Codable {
  let call: Transcript.ToolCall

  private enum Key: String, CodingKey { case id, name, arguments }

  init(_ call: Transcript.ToolCall) { self.call = call }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let text = try container.decode(String.self, forKey: .arguments)
    guard let arguments = try? GeneratedContent(json: text), arguments.isComplete else {
      throw DecodingError.dataCorruptedError(
        forKey: .arguments, in: container, debugDescription: "The arguments are not JSON.")
    }
    call = Transcript.ToolCall(
      id: try container.decode(String.self, forKey: .id),
      toolName: try container.decode(String.self, forKey: .name), arguments: arguments)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(call.id, forKey: .id)
    try container.encode(call.toolName, forKey: .name)
    try container.encode(call.arguments.jsonString, forKey: .arguments)
  }
}

/// What a response has to be like in the JSON of a transcript: `{"type": "jsonSchema", "jsonSchema": {…}}`.
struct ResponseFormatCoding: Codable {
  let format: Transcript.ResponseFormat

  private enum Key: String, CodingKey { case type, jsonSchema }
  private enum Kind: String, Codable { case jsonSchema }
  private enum SchemaKey: String, CodingKey { case name, schema }

  init(_ format: Transcript.ResponseFormat) { self.format = format }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    _ = try container.decode(Kind.self, forKey: .type)
    let body = try container.nestedContainer(keyedBy: SchemaKey.self, forKey: .jsonSchema)
    format = Transcript.ResponseFormat(
      name: try body.decode(String.self, forKey: .name),
      schema: try body.decode(GenerationSchema.self, forKey: .schema))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Kind.jsonSchema, forKey: .type)
    var body = container.nestedContainer(keyedBy: SchemaKey.self, forKey: .jsonSchema)
    try body.encode(format.name, forKey: .name)
    try body.encode(format.schema, forKey: .schema)
  }
}
