import FoundationEssentials
import JSON

/// Any JSON from any decoder; keys are in the order of their names, as decoders give them in no certain one.
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
      let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
      let members = try keys.map {
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
    // A decoder may take a text for an infinity, which stays a text here.
    if let value = try? container.decode(Double.self), value.isFinite {
      return .number(digits(container, near: value) ?? JSONNumber(value))
    }
    return .string(try container.decode(String.self))
  }

  /// The digits of a number near `value`, up to 38; nil where it, or the decoder, is not for a `Decimal`.
  private static func digits(
    _ container: any SingleValueDecodingContainer, near value: Double
  ) -> JSONNumber? {
    guard let decimal = try? container.decode(Decimal.self),
      let number = JSONNumber(text: "\(decimal)"), number.double == value
    else { return nil }
    return number.canonical
  }
}
