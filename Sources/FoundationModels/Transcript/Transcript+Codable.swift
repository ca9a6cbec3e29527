import Foundation

/// The JSON of Apple's framework, as its Python package documents it: `{"type": "FoundationModels.Transcript",
/// "version": 1, "transcript": {"entries": […]}}`.
extension Transcript: Codable {
  private enum Key: String, CodingKey { case type, version, transcript }
  private enum BodyKey: String, CodingKey { case entries }

  private static let type = "FoundationModels.Transcript"
  private static let version = 1

  /// Reads a transcript.
  ///
  /// - Throws: `DecodingError`, for another type or major version, for an unknown role and for an unknown kind of
  ///   segment too: what cannot be kept is not left out in silence. Other unknown members are passed over.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let type = try container.decode(String.self, forKey: .type)
    guard type == Self.type else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "'\(type)' is not '\(Self.type)'.")
    }
    try Self.checkVersion(container)
    let body = try container.nestedContainer(keyedBy: BodyKey.self, forKey: .transcript)
    entries = try body.decode([EntryCoding].self, forKey: .entries).map(\.entry)
    orderContents()
  }

  /// Gives what was generated under a schema the order of that.
  private mutating func orderContents() {
    var format: ResponseFormat?
    for index in entries.indices {
      if case .prompt(let prompt) = entries[index] { format = prompt.responseFormat }
      guard case .response(var response) = entries[index], let format else { continue }
      for place in response.segments.indices {
        guard case .structure(var segment) = response.segments[place],
          segment.source == format.name
        else { continue }
        segment.content = segment.content.ordered(by: format.schema)
        response.segments[place] = .structure(segment)
      }
      entries[index] = .response(response)
    }
  }

  /// Writes the transcript; options that are not set and lists that are empty are left out, but for a response's assets.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.type, forKey: .type)
    try container.encode(Self.version, forKey: .version)
    var body = container.nestedContainer(keyedBy: BodyKey.self, forKey: .transcript)
    try body.encode(entries.map(EntryCoding.init), forKey: .entries)
  }

  /// OS 26 writes the number 1, OS 27 the text 1.1, which adds members.
  private static func checkVersion(_ container: KeyedDecodingContainer<Key>) throws {
    if (try? container.decode(Int.self, forKey: .version)) == version { return }
    let text = try? container.decode(String.self, forKey: .version)
    if let text, text.split(separator: ".").first == "\(version)" { return }
    throw DecodingError.dataCorruptedError(
      forKey: .version, in: container, debugDescription: "Only version \(version) can be read.")
  }
}

/// An entry in the JSON of a transcript: its role says which of the members there are.
struct EntryCoding: Codable {
  let entry: Transcript.Entry

  private enum Role: String, Codable {
    case instructions, user, response, tool, reasoning
  }

  private enum Key: String, CodingKey {
    case id, role, contents, options, assets, toolName, toolCallID
    case tools, toolCalls, responseFormat, contextOptions, metadata, signature
  }

  init(_ entry: Transcript.Entry) { self.entry = entry }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let id = try container.decode(String.self, forKey: .id)
    let segments =
      try container.decodeIfPresent([SegmentCoding].self, forKey: .contents)?.map(\.segment) ?? []
    switch try container.decode(Role.self, forKey: .role) {
    case .instructions:
      let tools = try container.decodeIfPresent([ToolDefinitionCoding].self, forKey: .tools) ?? []
      entry = .instructions(
        Transcript.Instructions(
          id: id, segments: segments, toolDefinitions: tools.map(\.definition)))
    case .user:
      let options = try container.decodeIfPresent(OptionsCoding.self, forKey: .options)?.options
      let format = try container.decodeIfPresent(ResponseFormatCoding.self, forKey: .responseFormat)
      let context = try container.decodeIfPresent(
        ContextOptionsCoding.self, forKey: .contextOptions)
      entry = .prompt(
        Transcript.Prompt(
          id: id, metadata: try Self.metadata(container), segments: segments,
          options: options ?? GenerationOptions(), responseFormat: format?.format,
          contextOptions: context?.options ?? ContextOptions()))
    case .response:
      entry = try Self.response(id, segments, container)
    case .tool:
      let name = try container.decode(String.self, forKey: .toolName)
      let call = try container.decodeIfPresent(String.self, forKey: .toolCallID)
      entry = .toolOutput(
        Transcript.ToolOutput(id: call ?? id, toolName: name, segments: segments))
    case .reasoning:
      entry = .reasoning(
        Transcript.Reasoning(
          id: id, metadata: try Self.metadata(container), segments: segments,
          signature: try container.decodeIfPresent(Data.self, forKey: .signature)))
    }
  }

  private static func metadata(_ container: KeyedDecodingContainer<Key>) throws -> EntryMetadata {
    try container.decodeIfPresent(MetadataCoding.self, forKey: .metadata)?.values ?? [:]
  }

  /// A response says something or calls tools.
  private static func response(
    _ id: String, _ segments: [Transcript.Segment], _ container: KeyedDecodingContainer<Key>
  ) throws -> Transcript.Entry {
    guard let calls = try container.decodeIfPresent([ToolCallCoding].self, forKey: .toolCalls)
    else {
      let assets = try container.decodeIfPresent([String].self, forKey: .assets) ?? []
      let metadata = try metadata(container)
      var response = Transcript.Response(id: id, metadata: metadata, segments: segments)
      response.assetIDs = assets
      return .response(response)
    }
    guard segments.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .toolCalls, in: container, debugDescription: "There are calls and contents.")
    }
    var entry = Transcript.ToolCalls(id: id, calls.map(\.call))
    entry.metadata = try metadata(container)
    return .toolCalls(entry)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(entry.id, forKey: .id)
    switch entry {
    case .instructions(let entry):
      try encode(.instructions, entry.segments, to: &container)
      if !entry.toolDefinitions.isEmpty {
        let tools = entry.toolDefinitions.map(ToolDefinitionCoding.init)
        try container.encode(tools, forKey: .tools)
      }
    case .prompt(let entry):
      try encode(.user, entry.segments, to: &container)
      try container.encode(OptionsCoding(entry.options), forKey: .options)
      try container.encodeIfPresent(
        entry.responseFormat.map(ResponseFormatCoding.init), forKey: .responseFormat)
      if entry.contextOptions != ContextOptions() {
        try container.encode(ContextOptionsCoding(entry.contextOptions), forKey: .contextOptions)
      }
      try encode(entry.metadata, to: &container)
    case .toolCalls(let entry):
      try container.encode(Role.response, forKey: .role)
      try container.encode(entry.map(ToolCallCoding.init), forKey: .toolCalls)
      try encode(entry.metadata, to: &container)
    case .toolOutput(let entry):
      try encode(.tool, entry.segments, to: &container)
      try container.encode(entry.toolName, forKey: .toolName)
      try container.encode(entry.id, forKey: .toolCallID)
    case .response(let entry):
      try encode(.response, entry.segments, to: &container)
      try container.encode(entry.assetIDs, forKey: .assets)
      var metadata = entry.metadata
      if !entry.assetIDs.isEmpty { metadata["assetIDs"] = nil }
      try encode(metadata, to: &container)
    case .reasoning(let entry):
      try encode(.reasoning, entry.segments, to: &container)
      try container.encodeIfPresent(entry.signature, forKey: .signature)
      try encode(entry.metadata, to: &container)
    }
  }

  private func encode(
    _ metadata: EntryMetadata, to container: inout KeyedEncodingContainer<Key>
  ) throws {
    guard !metadata.isEmpty else { return }
    try container.encode(MetadataCoding(metadata), forKey: .metadata)
  }

  private func encode(
    _ role: Role, _ segments: [Transcript.Segment], to container: inout KeyedEncodingContainer<Key>
  ) throws {
    try container.encode(role, forKey: .role)
    try container.encode(segments.map(SegmentCoding.init), forKey: .contents)
  }
}
