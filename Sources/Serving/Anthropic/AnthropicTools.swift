import ChatTemplates
import JSON

/// The tools of a request, as Anthropic's interface has them.
struct AnthropicTools {
  private var tools: RequestedTools

  /// - Throws: `.invalidRequest` for the first field that is wrong, and for tools that a server would have to run.
  init(_ fields: RequestReader) throws(ServingError) {
    tools = try RequestedTools(fields, read: Self.tool)
    guard let choice = try fields.object("tool_choice") else { return }
    tools.isParallel = try !(choice.bool("disable_parallel_tool_use") ?? false)
    switch try choice.required("type", choice.word("type", ["auto", "any", "tool", "none"])) {
    case "any": try tools.choose(.required)
    case "tool": try tools.choose(namedBy: choice)
    case "none": try tools.choose(.disallowed)
    default: try tools.choose(.allowed)
    }
  }

  private static func tool(_ fields: RequestReader) throws(ServingError) -> ChatTool {
    let type = try fields.string("type") ?? "custom"
    guard type == "custom" else {
      throw .invalid(
        fields.place("type"),
        "tools of the type '\(type.prefix(64))' are not supported, only those that the client runs."
      )
    }
    let name = try fields.required("name", fields.string("name"))
    guard name.isName(of: 1...128, with: "-_") else {
      throw .invalid(
        fields.place("name"), "this has to be 1 to 128 letters, digits, underscores and hyphens.")
    }
    // Arguments always fit their schema, so `strict` asks for nothing more.
    _ = try fields.bool("strict")
    try fields.refuse(["defer_loading"])
    guard try fields.array("allowed_callers")?.contains(.string("direct")) ?? true else {
      throw .invalid(fields.place("allowed_callers"), "there is no caller but direct.")
    }
    _ = try fields.required("input_schema", fields.object("input_schema"))
    return try RequestedTools.tool(
      name, fields, parameters: "input_schema", examples: fields.array("input_examples") ?? [])
  }

  func set(on request: inout GenerationRequest) { tools.set(on: &request) }
}
