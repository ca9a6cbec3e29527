package import JSON
import SystemFiles

// Definitions of tools as others write them: OpenAI and templates (`parameters`), MCP (`inputSchema`), Anthropic (`input_schema`)
// and Apple's toolkit (`arguments`).
extension JSONObject {
  /// What a definition of a tool describes, which may stand under `function` as templates take it, or be all of it.
  package var toolFunction: JSONObject { self["function"]?.object ?? self }

  /// The arguments of a call's function; nil without any.
  ///
  /// A text of JSON, as OpenAI has them, is what it stands for.
  package var callArguments: JSONValue? {
    let arguments = self["arguments"]
    return arguments?.string.flatMap { try? JSONDocument(parsing: Array($0.utf8)).root }
      ?? arguments
  }

  /// The keys under which a function has the schema of its arguments; at most one is to be there.
  package var toolSchemaKeys: [String] { Self.schemaKeys.filter { self[$0] != nil } }

  /// The first key of a definition, or of its function, that no form of definitions has.
  package func unknownToolKey(besides others: [String]) -> (key: String, near: String?)? {
    let known = Self.schemaKeys + Self.toolKeys + others
    let keys = keys + (self["function"]?.object?.keys ?? [])
    // Names of one's own are marked so.
    guard
      let key = keys.first(where: {
        !known.contains($0) && !$0.hasPrefix("_") && !$0.hasPrefix("x-")
      })
    else { return nil }
    return (key, Suggestion.nearest(to: key, among: known))
  }

  private static let schemaKeys = ["parameters", "inputSchema", "input_schema", "arguments"]
  /// What else definitions have, none of which says how the tool is called.
  private static let toolKeys = [
    "type", "function", "name", "description", "title", "strict", "annotations", "outputSchema",
    "icons", "execution", "cache_control", "input_examples", "defer_loading", "allowed_callers",
    "return", "returns",
  ]
}

extension JSONValue {
  /// A definition of a tool with a schema under MCP's or Anthropic's key as templates take it; any other as it is.
  package var toolOfTemplates: JSONValue {
    guard let function = object?.toolFunction, let name = function["name"],
      let schema = function["inputSchema"] ?? function["input_schema"],
      function["parameters"] == nil
    else { return self }
    let shown: JSONObject = [
      "name": name, "description": function["description"] ?? .string(""), "parameters": schema,
    ]
    return .object(["type": .string("function"), "function": .object(shown)])
  }
}
