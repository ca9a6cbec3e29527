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
