import Adapters

/// A piece of an entry in the JSON of a transcript: its type names the member that holds the content.
struct SegmentCoding: Codable {
  let segment: Transcript.Segment

  private enum Key: String, CodingKey { case id, type, text, structure }
  private enum StructureKey: String, CodingKey { case source, content }
  private enum Kind: String, Codable { case text, structure }

  init(_ segment: Transcript.Segment) { self.segment = segment }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let id = try container.decode(String.self, forKey: .id)
    switch try container.decode(Kind.self, forKey: .type) {
    case .text:
      let text = try container.decode(String.self, forKey: .text)
      segment = .text(Transcript.TextSegment(id: id, content: text))
    case .structure:
      let body = try container.nestedContainer(keyedBy: StructureKey.self, forKey: .structure)
      let content = try body.decode(ContentCoding.self, forKey: .content).content
      segment = .structure(
        Transcript.StructuredSegment(
          id: id, source: try body.decode(String.self, forKey: .source), content: content))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(segment.id, forKey: .id)
    switch segment {
    case .text(let segment):
      try container.encode(Kind.text, forKey: .type)
      try container.encode(segment.content, forKey: .text)
    case .structure(let segment):
      try container.encode(Kind.structure, forKey: .type)
      var body = container.nestedContainer(keyedBy: StructureKey.self, forKey: .structure)
      try body.encode(segment.source, forKey: .source)
      try body.encode(ContentCoding(segment.content), forKey: .content)
    }
  }
}

/// Content as JSON inside a transcript.
///
/// `JSONDecoder` does not keep the order of properties, so content that it has read has them by name.
struct ContentCoding: Codable {
  let content: GeneratedContent

  init(_ content: GeneratedContent) { self.content = content }

  init(from decoder: any Decoder) throws {
    content = try GeneratedContent(json: DecodedJSON(from: decoder).value.sortedByKey.line)
  }

  func encode(to encoder: any Encoder) throws { try content.json.encode(to: encoder) }
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
}

/// Options in the JSON of a transcript.
///
/// `temperature`, `maximumResponseTokens`, `topK` and `randomSeed` are the names that Apple's framework writes; how it
/// writes a threshold or greedy sampling no public file shows, so `topP` and `greedy` are ours.
struct OptionsCoding: Codable {
  let options: GenerationOptions

  private enum Key: String, CodingKey {
    case temperature, maximumResponseTokens, topK, topP, randomSeed, greedy
  }

  init(_ options: GenerationOptions) { self.options = options }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    options = GenerationOptions(
      sampling: try Self.sampling(container),
      temperature: try container.decodeIfPresent(Double.self, forKey: .temperature),
      maximumResponseTokens: try container.decodeIfPresent(
        Int.self, forKey: .maximumResponseTokens))
  }

  private static func sampling(
    _ container: KeyedDecodingContainer<Key>
  ) throws -> GenerationOptions.SamplingMode? {
    let seed = try container.decodeIfPresent(UInt64.self, forKey: .randomSeed)
    if let count = try container.decodeIfPresent(Int.self, forKey: .topK) {
      return .random(top: count, seed: seed)
    }
    if let threshold = try container.decodeIfPresent(Double.self, forKey: .topP) {
      return .random(probabilityThreshold: threshold, seed: seed)
    }
    return try container.decodeIfPresent(Bool.self, forKey: .greedy) == true ? .greedy : nil
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(options.temperature, forKey: .temperature)
    try container.encodeIfPresent(options.maximumResponseTokens, forKey: .maximumResponseTokens)
    switch options.sampling?.kind {
    case .greedy: try container.encode(true, forKey: .greedy)
    case .top(let count, let seed):
      try container.encode(count, forKey: .topK)
      try container.encodeIfPresent(seed, forKey: .randomSeed)
    case .threshold(let threshold, let seed):
      try container.encode(threshold, forKey: .topP)
      try container.encodeIfPresent(seed, forKey: .randomSeed)
    case nil: break
    }
  }
}

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
