import Adapters
import Foundation

extension Terminal {
  /// Prints a JSON value: keys sorted, indented by four spaces.
  func print(_ value: JSONValue) { write(json: value.text + "\n") }
}

extension Invocation {
  /// Tells a program what was removed.
  func report(removed: [String]) throws {
    if arguments.has(CommonOptions.json) { try terminal.printJSON(["removed": removed]) }
  }
}

extension JSONValue {
  static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// The number, or null where JSON has none for it.
  static func decimal(_ value: Double) -> JSONValue {
    value.isFinite ? .number(JSONNumber(value)) : .null
  }

  /// The text, or null.
  static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
}

extension Terminal {
  /// Prints a report as JSON: keys sorted, indented.
  func printJSON(_ report: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    write(json: String(decoding: try encoder.encode(report), as: UTF8.self) + "\n")
  }

  /// Prints a report as one line of JSON.
  func printJSONLine(_ report: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    write(json: String(decoding: try encoder.encode(report), as: UTF8.self) + "\n")
  }
}
