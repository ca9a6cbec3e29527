import Adapters
import ChatTemplates

extension ExampleParser {
  /// The tools that a chat may call.
  mutating func parseTools(
    _ value: JSONValue, at path: String, isMisplaced: Bool = false
  ) -> [JSONValue] {
    guard let tools = value.array, tools.allSatisfy({ $0.object != nil }) else {
      report(.tools, at: path, "The tools are \(value.kind), not a list of objects.")
      return []
    }
    if isMisplaced { report(.tools, at: path, "Tools stand on another message than the first.") }
    return tools
  }

  /// The calls of an answer as a list of objects with `name` and `arguments`.
  ///
  /// Arguments that are the text of JSON become that JSON, as in Apple's toolkit.
  mutating func parseCalls(_ value: JSONValue, _ role: ChatRole, at path: String) -> JSONValue? {
    guard role == .assistant else {
      report(.calls, at: path, "Calls stand in a message of the \(role.rawValue).")
      return nil
    }
    guard let calls = value.array, !calls.isEmpty else {
      report(
        .calls, at: path, "The calls are \(value.array == nil ? value.kind : "an empty list").")
      return nil
    }
    var parsed: [JSONValue] = []
    for (index, call) in calls.enumerated() {
      guard let function = call.object?["function"]?.object, let name = function["name"]?.string,
        let arguments = function["arguments"]
      else {
        report(.calls, at: "\(path)[\(index)]", "The call has no function with name and arguments.")
        return nil
      }
      parsed.append(.object(["name": .string(name), "arguments": Self.json(in: arguments)]))
    }
    return .array(parsed)
  }

  private static func json(in value: JSONValue) -> JSONValue {
    guard let text = value.string,
      let document = try? JSONDocument(
        parsing: Array(text.utf8), limit: .max, findsPlaces: false)
    else { return value }
    return document.root
  }

  /// The schema that an answer has to follow.
  mutating func parseFormat(
    _ value: JSONValue, _ role: ChatRole, at path: String
  ) -> ResponseFormat? {
    if case .null = value { return nil }
    guard role == .user else {
      report(.responseFormat, at: path, "The format stands on a message of the \(role.rawValue).")
      return nil
    }
    guard value.object?["type"]?.string == "json_schema",
      let described = value.object?["json_schema"]?.object,
      let schema = described["schema"], schema.object != nil
    else {
      report(.responseFormat, at: path, "The format is not of type json_schema with a schema.")
      return nil
    }
    return ResponseFormat(
      name: described["name"]?.string, description: described["description"]?.string,
      schema: schema)
  }
}
