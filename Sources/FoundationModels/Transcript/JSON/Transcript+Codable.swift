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
