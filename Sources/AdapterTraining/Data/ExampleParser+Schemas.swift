import ChatTemplates
import Grammars
import JSON

// What is held against what a line has beside it: calls against tools, answers against schemas.
extension ExampleParser {
  /// Reports calls that do not fit `tools`, where there are any, and results of calls that were not made; `paths` are the keys
  /// of the messages.
  mutating func checkCalls(_ values: [JSONValue], paths: [String], tools: [JSONValue]) {
    let functions = tools.compactMap { $0.object?.toolFunction }
    var made: Set<String> = []
    for (path, message) in zip(paths, values) {
      for (index, call) in (message.object?["tool_calls"]?.array ?? []).enumerated() {
        if let id = call.object?["id"]?.string { made.insert(id) }
        guard let function = call.object?["function"]?.object else { continue }
        check(function, at: "\(path).tool_calls[\(index)]", functions)
      }
      if let id = message.object?["tool_call_id"]?.string, !made.contains(id) {
        report(
          .strayCall, at: "\(path).tool_call_id",
          "The result is of the call '\(id.prefix(40))', which no message before it makes.")
      }
    }
  }

  private mutating func check(_ call: JSONObject, at path: String, _ functions: [JSONObject]) {
    guard let name = call["name"]?.string, !functions.isEmpty else { return }
    guard let function = functions.first(where: { $0["name"]?.string == name }) else {
      return report(
        .strayCall, at: path, "The call is of '\(name.prefix(40))', which is not among the tools.")
    }
    guard let schema = function.toolParameters, let arguments = call["arguments"],
      let found = violation(
        of: arguments.string.flatMap(Self.json) ?? arguments, schema, of: "'\(name.prefix(40))'")
    else { return }
    report(
      .callOffSchema, at: path + ".function.arguments",
      "The arguments of '\(name.prefix(40))' do not fit its schema: \(found).")
  }

  /// Reports an answer that does not fit the schema that was asked for.
  mutating func check(_ answer: JSONValue, fits format: ResponseFormat, at path: String) {
    guard let found = violation(of: answer, format.schema, of: "an answer") else { return }
    report(.answerOffSchema, at: path, "The answer does not fit its schema: \(found).")
  }

  /// Where a value breaks a schema; a schema that cannot be read is noted once a file.
  private mutating func violation(
    of value: JSONValue, _ schema: JSONValue, of whose: String
  ) -> SchemaViolation? {
    switch schemas.check(schema) {
    case .success(let check): return check.violation(of: value)
    case .failure(let defect):
      noteOnce(
        .uncheckedSchema,
        "The schema of \(whose) is not held against anything, here or on later lines: \(defect)")
      return nil
    }
  }
}

/// Schemas that lines of a file have had, of which many have the same.
struct KnownSchemas {
  private var known: [String: Result<SchemaCheck, GrammarDefect>] = [:]

  private static let limit = 256

  /// What values are held against, or why none can be.
  mutating func check(_ schema: JSONValue) -> Result<SchemaCheck, GrammarDefect> {
    let text = schema.line
    if let check = known[text] { return check }
    if known.count == Self.limit { known = [:] }
    let check = Result { () throws(GrammarDefect) in try SchemaCheck(schema) }
    known[text] = check
    return check
  }
}
