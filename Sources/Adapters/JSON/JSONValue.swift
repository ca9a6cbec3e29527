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
