/// An entry in the JSON of a transcript: its role says which of the members there are.
struct EntryCoding: Codable {
  let entry: Transcript.Entry

  private enum Role: String, Codable {
    case instructions, user, response, tool
  }

  private enum Key: String, CodingKey {
    case id, role, contents, options, assets, toolName, toolCallID
    case tools, toolCalls, responseFormat
  }

  init(_ entry: Transcript.Entry) { self.entry = entry }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let id = try container.decode(String.self, forKey: .id)
    let segments =
      try container.decodeIfPresent([SegmentCoding].self, forKey: .contents)?.map(\.segment) ?? []
    switch try container.decode(Role.self, forKey: .role) {
    case .instructions:
      entry = .instructions(Transcript.Instructions(id: id, segments: segments))
    case .user:
      let options = try container.decodeIfPresent(OptionsCoding.self, forKey: .options)?.options
      entry = .prompt(
        Transcript.Prompt(id: id, segments: segments, options: options ?? GenerationOptions()))
    case .response:
      let assets = try container.decodeIfPresent([String].self, forKey: .assets) ?? []
      entry = .response(Transcript.Response(id: id, assetIDs: assets, segments: segments))
    case .tool:
      let name = try container.decode(String.self, forKey: .toolName)
      let call = try container.decodeIfPresent(String.self, forKey: .toolCallID)
      entry = .toolOutput(
        Transcript.ToolOutput(id: call ?? id, toolName: name, segments: segments))
    }
    // What this version has no type for must not be lost in silence.
    for key in [Key.tools, .toolCalls, .responseFormat] where container.contains(key) {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "'\(key.rawValue)' cannot be read.")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(entry.id, forKey: .id)
    switch entry {
    case .instructions(let entry):
      try encode(.instructions, entry.segments, to: &container)
    case .prompt(let entry):
      try encode(.user, entry.segments, to: &container)
      try container.encode(OptionsCoding(entry.options), forKey: .options)
    case .toolOutput(let entry):
      try encode(.tool, entry.segments, to: &container)
      try container.encode(entry.toolName, forKey: .toolName)
      try container.encode(entry.id, forKey: .toolCallID)
    case .response(let entry):
      try encode(.response, entry.segments, to: &container)
      try container.encode(entry.assetIDs, forKey: .assets)
    }
  }

  private func encode(
    _ role: Role, _ segments: [Transcript.Segment], to container: inout KeyedEncodingContainer<Key>
  ) throws {
    try container.encode(role, forKey: .role)
    try container.encode(segments.map(SegmentCoding.init), forKey: .contents)
  }
}
