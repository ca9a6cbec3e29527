import Foundation

/// A piece of an entry in the JSON of a transcript: its type names the member that holds the content.
struct SegmentCoding: Codable {
  let segment: Transcript.Segment

  private enum Key: String, CodingKey { case id, type, text, structure, image, custom }
  private enum StructureKey: String, CodingKey { case source, content, order }
  private enum ImageKey: String, CodingKey { case url, orientation, label }
  private enum Kind: String, Codable { case text, structure, image }

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
      let order = try body.decodeIfPresent(String.self, forKey: .order)
      let content = try body.decode(ContentCoding.self, forKey: .content).ordered(by: order)
      segment = .structure(
        Transcript.StructuredSegment(
          id: id, source: try body.decode(String.self, forKey: .source), content: content))
    case .image:
      let body = try container.nestedContainer(keyedBy: ImageKey.self, forKey: .image)
      let image = Transcript.ImageAttachment(
        imageURL: try body.decode(URL.self, forKey: .url),
        orientation: try body.decodeIfPresent(UInt32.self, forKey: .orientation).map { number in
          guard let orientation = CGImagePropertyOrientation(rawValue: number) else {
            throw DecodingError.dataCorruptedError(
              forKey: .orientation, in: body,
              debugDescription: "An orientation is a number from 1 to 8, not \(number).")
          }
          return orientation
        })
      segment = .attachment(
        Transcript.AttachmentSegment(
          id: id, content: .image(image),
          label: try body.decodeIfPresent(String.self, forKey: .label)))
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
      try body.encodeIfPresent(segment.content.order, forKey: .order)
    case .attachment(let segment):
      try container.encode(Kind.image, forKey: .type)
      var body = container.nestedContainer(keyedBy: ImageKey.self, forKey: .image)
      if case .image(let image) = segment.content {
        try body.encode(image.url, forKey: .url)
        if image.orientation != .up {
          try body.encode(image.orientation.rawValue, forKey: .orientation)
        }
      }
      try body.encodeIfPresent(segment.label, forKey: .label)
    case .custom(let segment):
      // Only its provider knows the type, so whoever reads this gets the text.
      try container.encode(Kind.text, forKey: .type)
      try container.encode(segment.description, forKey: .text)
      try container.encode(segment.content, forKey: .custom)
    }
  }
}

/// Options in the JSON of a transcript.
///
/// `temperature`, `maximumResponseTokens`, `topK` and `randomSeed` are the names that Apple's framework writes; how it
/// writes a threshold, greedy sampling or a mode of calling tools no public file shows, so `topP`, `greedy` and
/// `toolCallingMode` are ours.
struct OptionsCoding: Codable {
  private var temperature: Double?
  private var maximumResponseTokens: Int?
  private var topK: Int?
  private var topP: Double?
  private var randomSeed: UInt64?
  private var greedy: Bool?
  private var toolCallingMode: Mode?

  private enum Mode: String, Codable { case allowed, required, disallowed }

  init(_ options: GenerationOptions) {
    (temperature, maximumResponseTokens) = (options.temperature, options.maximumResponseTokens)
    switch options.sampling?.kind {
    case .greedy: greedy = true
    case .randomTopK(let count, let seed): (topK, randomSeed) = (count, seed)
    case .randomProbabilityThreshold(let threshold, let seed):
      (topP, randomSeed) = (threshold, seed)
    case nil: break
    }
    toolCallingMode =
      switch options.toolCallingMode?.kind {
      case .allowed: .allowed
      case .required: .required
      case .disallowed: .disallowed
      case nil: nil
      }
  }

  var options: GenerationOptions {
    var sampling = greedy == true ? GenerationOptions.SamplingMode.greedy : nil
    if let topP { sampling = .random(probabilityThreshold: topP, seed: randomSeed) }
    if let topK { sampling = .random(top: topK, seed: randomSeed) }
    var options = GenerationOptions(
      sampling: sampling, temperature: temperature, maximumResponseTokens: maximumResponseTokens)
    options.toolCallingMode =
      switch toolCallingMode {
      case .allowed: .allowed
      case .required: .required
      case .disallowed: .disallowed
      case nil: nil
      }
    return options
  }
}

/// A tool in the JSON of a transcript: `{"type": "function", "function": {…}}`.
struct ToolDefinitionCoding: Codable {
  private enum Kind: String, Codable { case function }
  private struct Function: Codable {
    let name, description: String
    let parameters: SchemaCoding
  }

  private let type: Kind
  private let function: Function

  init(_ tool: Transcript.ToolDefinition) {
    type = .function
    function = Function(
      name: tool.name, description: tool.description, parameters: SchemaCoding(tool.parameters))
  }

  var definition: Transcript.ToolDefinition {
    Transcript.ToolDefinition(
      name: function.name, description: function.description,
      parameters: function.parameters.schema)
  }
}

/// A call in the JSON of a transcript: its arguments are JSON inside a string.
struct ToolCallCoding: Codable {
  let call: Transcript.ToolCall

  private enum Key: String, CodingKey { case id, name, arguments, metadata }

  init(_ call: Transcript.ToolCall) { self.call = call }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let text = try container.decode(String.self, forKey: .arguments)
    guard let arguments = try? GeneratedContent(json: text), arguments.isComplete else {
      throw DecodingError.dataCorruptedError(
        forKey: .arguments, in: container, debugDescription: "The arguments are not JSON.")
    }
    let metadata = try container.decodeIfPresent(MetadataCoding.self, forKey: .metadata)
    call = Transcript.ToolCall(
      id: try container.decode(String.self, forKey: .id), metadata: metadata?.values ?? [:],
      toolName: try container.decode(String.self, forKey: .name), arguments: arguments)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(call.id, forKey: .id)
    try container.encode(call.toolName, forKey: .name)
    try container.encode(call.arguments.jsonString, forKey: .arguments)
    if !call.metadata.isEmpty {
      try container.encode(MetadataCoding(call.metadata), forKey: .metadata)
    }
  }
}

/// What a response has to be like in the JSON of a transcript: `{"type": "jsonSchema", "jsonSchema": {…}}`.
struct ResponseFormatCoding: Codable {
  private enum Kind: String, Codable { case jsonSchema }
  private struct Body: Codable {
    let name: String
    let schema: SchemaCoding
  }

  private let type: Kind
  private let jsonSchema: Body

  init(_ format: Transcript.ResponseFormat) {
    (type, jsonSchema) = (.jsonSchema, Body(name: format.name, schema: SchemaCoding(format.schema)))
  }

  var format: Transcript.ResponseFormat {
    Transcript.ResponseFormat(name: jsonSchema.name, schema: jsonSchema.schema.schema)
  }
}

/// Context options in the JSON of a transcript; the names are ours.
struct ContextOptionsCoding: Codable {
  private let includeSchemaInPrompt: Bool?
  private let reasoningLevel: String?

  init(_ options: ContextOptions) {
    includeSchemaInPrompt = options.includeSchemaInPrompt
    reasoningLevel =
      switch options.reasoningLevel {
      case .light: "light"
      case .moderate: "moderate"
      case .deep: "deep"
      case .custom(let name): "custom:" + name
      case nil: nil
      }
  }

  var options: ContextOptions {
    let level: ContextOptions.ReasoningLevel? =
      switch reasoningLevel {
      case "light": .light
      case "moderate": .moderate
      case "deep": .deep
      case let name?: .custom(name.hasPrefix("custom:") ? String(name.dropFirst(7)) : name)
      case nil: nil
      }
    return ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt, reasoningLevel: level)
  }
}
