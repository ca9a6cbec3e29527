import Adapters
import Foundation

extension JSONObject {
  /// The members as Foundation's JSON reader would give them.
  var foundation: [String: Any] {
    Dictionary(
      members.map { ($0.key, $0.value.foundation) }, uniquingKeysWith: { first, _ in first })
  }
}

extension JSONValue {
  /// The value as Foundation's JSON reader would give it.
  var foundation: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .number(let number):
      if let integer = number.integer { integer } else { number.double }
    case .string(let text): text
    case .array(let values): values.map(\.foundation)
    case .object(let object): object.foundation
    }
  }
}
