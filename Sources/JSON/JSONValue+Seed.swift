/// A seed that is encoded as ``JSONValue/seed(_:)``.
package struct JSONSeed: Encodable {
  package let value: UInt64

  package init(_ value: UInt64) { self.value = value }

  package func encode(to encoder: any Encoder) throws {
    try JSONValue.seed(value).encode(to: encoder)
  }
}

extension JSONValue {
  /// A seed: a number, or a text where readers that know doubles alone would round it.
  package static func seed(_ seed: UInt64) -> JSONValue {
    let isExact = UInt64(exactly: Double(seed)) == seed
    return isExact ? .number(JSONNumber(checked: "\(seed)")) : .string("\(seed)")
  }

  /// The seed that a number or a text is; nil for anything else.
  package var asSeed: UInt64? { UInt64(string ?? number?.text ?? "") }
}
