import Adapters

extension GenerationSchema: Codable {
  /// Reads Apple's form of JSON Schema; the order of properties is that of `x-order`, then by name.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, also for a keyword that would limit values and is not supported.
  public init(from decoder: any Decoder) throws {
    let json = try DecodedJSON(from: decoder).value
    do throws(SchemaReader.Failure) {
      self = try SchemaReader.read(json)
    } catch {
      let place = error.path.isEmpty ? "" : " at \(error.path)"
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "This is not a schema\(place): \(error.reason)."))
    }
  }

  /// Writes Apple's form of JSON Schema, types other than the first one in `$defs`.
  public func encode(to encoder: any Encoder) throws {
    try resolved.json.encode(to: encoder)
  }
}

/// Any JSON from any decoder; the order of keys is the decoder's.
struct DecodedJSON: Decodable {
  let value: JSONValue

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      let members = try container.allKeys.map {
        JSONObject.Member(
          key: $0.stringValue, value: try container.decode(DecodedJSON.self, forKey: $0).value)
      }
      value = .object(JSONObject(members))
    } else if var container = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !container.isAtEnd { values.append(try container.decode(DecodedJSON.self).value) }
      value = .array(values)
    } else {
      value = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int.self) { return .number(JSONNumber(value)) }
    if let value = try? container.decode(Double.self) { return .number(JSONNumber(value)) }
    return .string(try container.decode(String.self))
  }
}
