import Adapters

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
