import FoundationEssentials
import JSON

extension Terminal {
  /// Prints a JSON value: keys sorted, indented by four spaces.
  func print(_ value: JSONValue) { write(json: value.text + "\n") }
}

extension Terminal {
  func print(_ table: TextTable) { table.lines(columns: tableColumns).forEach(print) }
  func print(_ facts: FactList) { facts.lines(columns: columns).forEach(print) }
}

extension Invocation {
  /// Prints a report as JSON where that was asked for, otherwise as `show` does.
  func report<Report: Encodable>(
    _ report: @autoclosure () -> Report, _ show: () throws -> Void
  ) throws {
    guard arguments.has(CommonOptions.json) else { return try show() }
    try terminal.printJSON(report())
  }

  /// Prints what was written: its path, or with `--json` an object of the path and `facts`.
  func report(written path: String, _ facts: () throws -> JSONObject) rethrows -> ExitCode {
    guard arguments.has(CommonOptions.json) else {
      terminal.print(path)
      return .done
    }
    var object = try facts()
    object["path"] = .string(path)
    terminal.print(.object(object))
    return .done
  }

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

  /// The number with so many digits behind the point, at most.
  static func decimal(_ value: Double, digits: Int) -> JSONValue {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    return .decimal((value * scale).rounded() / scale)
  }

  /// The number, or null.
  static func whole(_ value: Int?) -> JSONValue { value.map(JSONValue.integer) ?? .null }

  /// The text, or null.
  static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

  /// The texts, or null.
  static func texts(_ values: [String]?) -> JSONValue {
    values.map { .array($0.map(JSONValue.string)) } ?? .null
  }

  /// The time in UTC to the second, or null.
  static func date(_ value: Date?) -> JSONValue { .text(value?.formatted(.iso8601)) }

  /// An object of the members that are not null.
  static func known(_ members: JSONObject) -> JSONValue {
    .object(JSONObject(members.members.filter { $0.value != .null }))
  }
}

extension Terminal {
  /// Prints a report as JSON: keys sorted, indented.
  func printJSON(_ report: some Encodable) throws { try print(report, .prettyPrinted) }

  /// Prints a report as one line of JSON.
  func printJSONLine(_ report: some Encodable) throws { try print(report, []) }

  private func print(_ report: some Encodable, _ form: JSONEncoder.OutputFormatting) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = form.union([.sortedKeys, .withoutEscapingSlashes])
    write(json: String(decoding: try encoder.encode(report), as: UTF8.self) + "\n")
  }
}
