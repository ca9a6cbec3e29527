import AdapterTraining
import ChatTemplates
import JSON
import SystemFiles
import TensorFiles
import Tokenization

/// `render`: a chat as the model sees it.
enum RenderCommand {
  private static let messages = Option(
    "--messages", short: "-m", .file,
    "The chat as JSON: a list of objects with role and content, or an object with messages and tools"
  )
  private static let tools = Option(
    "--tools", .file,
    "Tools that the assistant may call: a JSON list of their schemas, or a file of 'run --tool'")
  private static let thinking = Option(
    "--thinking", .word("on|off", ["on", "off"]),
    "Whether the model thinks first, where the template leaves the choice")
  private static let noGenerationPrompt = Flag(
    "--no-generation-prompt", "End with the last message, not with the start of an answer")
  private static let json = Flag("--json", "Print {\"text\": ..., \"tokens\": [id, ...]}")

  static let command = Command(
    name: "render",
    summary: "Print a chat as the model sees it",
    details: [
      """
      The base's own template is rendered as transformers renders it; --chat-format takes one \
      that comes with this program. If a format has instructions of its own for chats without any, \
      as afm has, they stand first, as when a model runs or learns. If a template has no place \
      for tools, or writes calls in another form than JSON, they stand in the instructions, as \
      'run --tool' tells them. \
      Marks of the chat format count only where the template wrote \
      them: what messages say stays text. Messages may have all that templates know, such as \
      tool_calls, name and reasoning_content. Arguments of calls that are texts of JSON become \
      objects, unless the template refuses these.
      """
    ],
    examples: [
      Example("fmadapter render --messages chat.json", "The text, by the base in use"),
      Example(
        "fmadapter render --base model.gguf --messages chat.json --tools tools.json --json",
        "Text and token ids, to compare with another implementation"),
    ],
    options: [
      ModelOptions.base, messages, tools, thinking, noGenerationPrompt, AnswerOptions.chatFormat,
      json,
    ],
    knownElsewhereAs: ["apply-template", "template", "chat-template"],
    optionsKnownElsewhere: KnownElsewhere.base,
    remedyForWords: "give the chat as a file with --messages",
    action: run)

  private struct Report: Encodable {
    let text: String
    let tokens: [Token]
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let path = arguments.value(messages) else {
      throw invocation.conflict("give the chat with --messages FILE")
    }
    var chat = try ChatFile(path: path)
    if let path = arguments.value(tools) { chat.tools = try ChatFile.tools(path: path) }
    let base = try await Library(terminal).basePath(arguments.value(ModelOptions.base))
    let file = try GGUFFile(path: base)
    let style = try AnswerOptions.style(arguments, file)
    let renderer = try ChatRenderer(style, tokenizer: Tokenizer(file))
    if let instructions = style.defaultInstructions { chat.instruct(instructions) }
    var settings = ChatSettings()
    settings.tools = chat.tools
    settings.tellsToolsInInstructions = !chat.tools.isEmpty && renderer.tellsToolsOtherwise
    settings.thinking = arguments.value(thinking).map { $0 == "on" }
    settings.hasGenerationPrompt = !arguments.has(noGenerationPrompt)
    if settings.tellsToolsInInstructions {
      terminal.note(
        "the tools stand in the instructions, as 'run --tool' tells this base of them: its template writes calls in another form than JSON"
      )
    }
    let rendered = try chat.rendered(by: renderer, settings)
    if arguments.has(json) {
      try terminal.printJSONLine(Report(text: rendered.text, tokens: rendered.tokens))
    } else {
      terminal.write(rendered.text + "\n")
    }
    return .done
  }
}

/// A chat in a file of JSON.
struct ChatFile {
  var messages: [JSONValue]
  var tools: [JSONValue]

  /// Reads a list of messages, or an object with `messages` and maybe `tools`; what pads them is not there, as in data sets.
  init(path: String) throws {
    let root = PaddedNulls.removed(from: try InputText.json(path))
    messages = try Self.objects(root.object?["messages"] ?? root, "messages", path)
    tools = try root.object?["tools"].map { try Self.tools($0, path) } ?? []
  }

  /// Reads a list of tools, or one; of those that have a command what `run` tells of them.
  static func tools(path: String) throws -> [JSONValue] {
    try tools(InputText.json(path), path)
  }

  private static func tools(_ value: JSONValue, _ path: String) throws -> [JSONValue] {
    let isOne = value.object?.toolFunction["name"] != nil
    let tools = try isOne ? [value] : objects(value, "tools", path)
    return try tools.map { tool in
      tool.object?["command"] == nil
        ? tool.toolOfTemplates : try ToolProgram(tool, path).tool.definition
    }
  }

  /// The chat by the template; arguments of calls are objects, as when a model runs or learns, unless the template refuses such.
  func rendered(by renderer: ChatRenderer, _ settings: ChatSettings) throws -> RenderedChat {
    if let rendered = try? renderer.render(messages.map(Self.parsingArguments), settings) {
      return rendered
    }
    return try renderer.render(messages, settings)
  }

  /// `message` with arguments of calls that are texts, as OpenAI has them, as the objects that they stand for.
  private static func parsingArguments(_ message: JSONValue) -> JSONValue {
    guard var object = message.object, let calls = object["tool_calls"]?.array else {
      return message
    }
    object["tool_calls"] = .array(
      calls.map { call in
        guard var whole = call.object, var function = whole["function"]?.object,
          let arguments = function.callArguments, arguments.object != nil
        else { return call }
        function["arguments"] = arguments
        whole["function"] = .object(function)
        return .object(whole)
      })
    return .object(object)
  }

  /// Says `instructions` first, unless the chat begins with some.
  mutating func instruct(_ instructions: String) {
    guard let role = messages.first?.object?["role"]?.string,
      !["system", "developer"].contains(role)
    else { return }
    messages.insert(
      .object(["role": .string("system"), "content": .string(instructions)]), at: 0)
  }

  private static func objects(
    _ value: JSONValue, _ name: String, _ path: String
  ) throws -> [JSONValue] {
    guard let list = value.array else {
      throw Failure(.invalid, "\(path): the \(name) are \(value.kind), not a list of objects")
    }
    for (index, item) in list.enumerated() where item.object == nil {
      throw Failure(
        .invalid, "\(path): number \(index + 1) of the \(name) is \(item.kind), not an object")
    }
    return list
  }
}
