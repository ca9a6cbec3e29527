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
    guard let value = fields["tool_choice"] else { return }
    if value.string != nil {
      let calling = try Self.calling(fields, "tool_choice")
      return try tools.choose(fields.required("tool_choice", calling))
    }
    let choice = try fields.required("tool_choice", fields.object("tool_choice"))
    let type = try choice.required("type", choice.word("type", ["function", "allowed_tools"]))
    guard type == "allowed_tools" else {
      return try tools.choose(namedBy: choice.object("function") ?? choice)
    }
    // The Responses API has the rest beside its type here, too.
    let allowed = try choice.object("allowed_tools") ?? choice
    var names: [RequestReader] = []
    for tool in try allowed.required("tools", allowed.objects("tools")) {
      _ = try tool.required("type", tool.word("type", ["function"]))
      names.append(try tool.object("function") ?? tool)
    }
    guard !names.isEmpty else { throw .invalid(allowed.place("tools"), "there is none.") }
    try tools.choose(allowed.required("mode", Self.calling(allowed, "mode")))
    try tools.allow(names)
  }

  private static func calling(
    _ fields: RequestReader, _ key: String
  ) throws(ServingError) -> ToolCalling? {
    switch try fields.word(key, ["none", "auto", "required"]) {
    case "none": .disallowed
    case "auto": .allowed
    case "required": .required
    default: nil
    }
  }

  func set(on request: inout GenerationRequest) { tools.set(on: &request) }
}
