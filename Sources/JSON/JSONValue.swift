/// A JSON value that keeps what a round trip needs: the text of numbers and the order of keys.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, kept as it was written.
  case number(JSONNumber)
  /// A string of Unicode scalars, without any normalisation.
  case string(String)
  /// Values in their order.
  case array([JSONValue])
  /// Keys with their values, in their order.
  case object(JSONObject)
}

extension JSONValue: Equatable {
  // Not the synthesized one: Swift compares strings by canonical equivalence, JSON by code points.
  /// Whether both are the same value, strings scalar by scalar and numbers by their text.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSONValue {
  /// The string, or nil when this is not one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The number, or nil when this is not one.
  public var number: JSONNumber? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number as an integer; nil when this is no number, has a fraction or exponent, or is too large.
  public var integer: Int? { number?.integer }

  /// The elements, or nil when this is not an array.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, or nil when this is not an object.
  public var object: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The kind of value with its article, for messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number(let number): number.isInteger ? "an integer" : "a number with a fraction"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Encodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Writes the value into a larger report; numbers keep up to 38 digits, and beyond that become the nearest double.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: Key.self)
      for member in object.members {
        try container.encode(member.value, forKey: Key(stringValue: member.key))
      }
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    default:
      var container = encoder.singleValueContainer()
      try encodeScalar(to: &container)
    }
  }

  private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
    switch self {
    case .bool(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .number(let number):
      if let integer = number.integer {
        try container.encode(integer)
      } else if !number.isDouble, let decimal = number.decimal {
        try container.encode(decimal)
      } else if number.double.isFinite {
        try container.encode(number.double)
      } else {
        // No report can hold it as a number.
        try container.encode(number.text)
      }
    case .null, .array, .object: try container.encodeNil()
    }
  }
}
