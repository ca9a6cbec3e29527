import ChatTemplates
import Grammars
import JSON
import SystemFiles

/// The tools of a request, and which of them the answer may call.
struct OpenAITools {
  private let tools: [ChatTool]
  private var calling = ToolCalling.allowed
  private var callable: String?
  private let isParallel: Bool

  /// Tools of a request, at most.
  private static let limit = 128

  /// - Throws: `.invalidRequest` for the first field that is wrong.
  init(_ fields: RequestReader) throws(ServingError) {
    let given = try fields.objects("tools") ?? []
    guard given.count <= Self.limit else {
      throw .invalid("tools", "there are \(given.count) tools, and may be \(Self.limit).")
    }
    var tools: [ChatTool] = []
    for tool in given { tools.append(try Self.tool(tool)) }
    self.tools = tools
    isParallel = try fields.bool("parallel_tool_calls") ?? true
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
    let description = try function.string("description") ?? ""
    let none: JSONObject = ["type": .string("object"), "properties": .object([:])]
    let parameters = try function.object("parameters")?.object ?? none
    do throws(GrammarDefect) {
      return try ChatTool(
        name: name, description: description, parameters: .object(parameters))
    } catch {
      throw .invalid(function.place("parameters"), "\(error.text.problem).")
    }
  }

  private mutating func choose(_ fields: RequestReader) throws(ServingError) {
    guard let choice = fields["tool_choice"] else { return }
    if choice.string != nil {
      let word = try fields.word("tool_choice", ["none", "auto", "required"])
      calling = word == "none" ? .disallowed : word == "required" ? .required : .allowed
    } else {
      let choice = try fields.required("tool_choice", fields.object("tool_choice"))
      _ = try choice.required("type", choice.word("type", ["function"]))
      let function = try choice.object("function") ?? choice
      let name = try function.required("name", function.string("name"))
      guard tools.contains(where: { $0.name == name }) else {
        throw .invalid(function.place("name"), "there is no tool of this name in tools.")
      }
      (calling, callable) = (.required, name)
    }
    if calling == .required, tools.isEmpty {
      throw .invalid("tool_choice", "a call is required, and there are no tools.")
    }
  }

  func set(on request: inout GenerationRequest) {
    (request.tools, request.calling, request.callable) = (tools, calling, callable)
    request.callLimit = isParallel ? nil : 1
  }
}
