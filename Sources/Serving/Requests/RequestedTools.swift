import ChatTemplates
import Grammars
import JSON
import SystemFiles

/// The tools of a request, and which of them the answer may call, whichever interface says so.
struct RequestedTools {
  private let tools: [ChatTool]
  private var calling = ToolCalling.allowed
  private var callable: [String]?
  /// Whether an answer may have several calls.
  var isParallel = true

  /// Tools of a request, at most.
  private static let limit = 128

  /// The tools that `fields` have as `tools`, each as `read` has it.
  ///
  /// - Throws: `.invalidRequest` for too many, and what `read` throws.
  init(
    _ fields: RequestReader, read: (RequestReader) throws(ServingError) -> ChatTool
  ) throws(ServingError) {
    let given = try fields.objects("tools") ?? []
    guard given.count <= Self.limit else {
      throw .invalid("tools", "there are \(given.count) tools, and may be \(Self.limit).")
    }
    var tools: [ChatTool] = []
    for tool in given { tools.append(try read(tool)) }
    self.tools = tools
  }

  /// A tool whose arguments the object `key` of `fields` describes; any of no names where it is left out.
  ///
  /// - Throws: `.invalidRequest` for what cannot be enforced.
  static func tool(
    _ name: String, _ fields: RequestReader, parameters key: String, examples: [JSONValue] = []
  ) throws(ServingError) -> ChatTool {
    let description = try fields.string("description") ?? ""
    let none: JSONObject = ["type": .string("object"), "properties": .object([:])]
    var parameters = try fields.object(key)?.object ?? none
    if !examples.isEmpty { parameters["examples"] = .array(examples) }
    do throws(GrammarDefect) {
      return try ChatTool(name: name, description: description, parameters: .object(parameters))
    } catch {
      throw .invalid(fields.place(key), "\(error.text.problem).")
    }
  }

  /// Says whether the answer may, has to, or must not call tools.
  mutating func choose(_ calling: ToolCalling) throws(ServingError) {
    guard calling != .required || !tools.isEmpty else {
      throw .invalid("tool_choice", "a call is required, and there are no tools.")
    }
    self.calling = calling
  }

  /// Says which tool the answer has to call: the one that `fields` name.
  mutating func choose(namedBy fields: RequestReader) throws(ServingError) {
    (calling, callable) = (.required, [try name(fields)])
  }

  /// Lets only those tools be called that `fields` name; the model is still told of all.
  mutating func allow(_ fields: [RequestReader]) throws(ServingError) {
    var names: [String] = []
    for tool in fields { names.append(try name(tool)) }
    callable = names
  }

  private func name(_ fields: RequestReader) throws(ServingError) -> String {
    let name = try fields.required("name", fields.string("name"))
    guard tools.contains(where: { $0.name == name }) else {
      throw .invalid(fields.place("name"), "there is no tool of this name in tools.")
    }
    return name
  }

  func set(on request: inout GenerationRequest) {
    (request.tools, request.calling, request.callable) = (tools, calling, callable)
    request.callLimit = isParallel ? nil : 1
  }
}
