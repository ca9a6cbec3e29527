import ChatTemplates
import JSON

/// The tools of a request, as OpenAI's interface has them.
struct OpenAITools {
  private var tools: RequestedTools

  /// - Throws: `.invalidRequest` for the first field that is wrong.
  init(_ fields: RequestReader) throws(ServingError) {
    tools = try RequestedTools(fields, read: Self.tool)
    tools.isParallel = try fields.bool("parallel_tool_calls") ?? true
    try choose(fields)
  }

  private static func tool(_ fields: RequestReader) throws(ServingError) -> ChatTool {
    let type = try fields.required("type", fields.string("type"))
    guard type == "function" else {
      throw .invalid(
        fields.place("type"),
        "tools of the type '\(type.prefix(64))' are not supported, only functions.")
    }
    // The Responses API has what describes a function beside its type.
    let function = try fields.object("function") ?? fields
    let name = try function.required("name", function.string("name"))
    return try RequestedTools.tool(name, function, parameters: "parameters")
  }

  private mutating func choose(_ fields: RequestReader) throws(ServingError) {
    guard let choice = fields["tool_choice"] else { return }
    if choice.string != nil {
      let word = try fields.word("tool_choice", ["none", "auto", "required"])
      try tools.choose(word == "none" ? .disallowed : word == "required" ? .required : .allowed)
    } else {
      let choice = try fields.required("tool_choice", fields.object("tool_choice"))
      _ = try choice.required("type", choice.word("type", ["function"]))
      try tools.choose(namedBy: choice.object("function") ?? choice)
    }
  }

  func set(on request: inout GenerationRequest) { tools.set(on: &request) }
}
