import AdapterStore
import ChatTemplates
import Chats
import Grammars
import JSON
import SystemFiles

/// Options of tools that a model may call.
enum ToolOptions {
  static let tool = Option(
    "--tool", .file, repeats: true,
    "Let the model call the tool in this file: its description, and the shell command that is run; may be given again"
  )
  static let choice = Option(
    "--tool-choice", .word("choice", ["auto", "required", "none"]),
    "Whether the model calls tools: as it likes, at least once, or not (default: auto)")
  static let maximumRounds = Option(
    "--max-tool-rounds", .integer(1...10_000),
    "Rounds of calls for one prompt; then the model has to answer (default: 8)")
  static let yes = Flag("--yes", short: "-y", "Run tools without asking")

  static let options: [any OptionDeclaration] = [tool, choice, maximumRounds, yes]

  /// Tools of a line, which may be none.
  ///
  /// - Throws: `UsageError` for options without a tool, and where nobody could be asked whether tools may run.
  static func tools(_ invocation: Invocation) throws -> [ToolProgram] {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let paths = arguments.values(tool)
    guard !paths.isEmpty else {
      let ways: [any OptionDeclaration] = [choice, maximumRounds, yes]
      guard let stray = ways.first(where: arguments.has) else { return [] }
      throw invocation.conflict("\(stray.name) is for --tool")
    }
    try invocation.exclude(tool, RunCommand.raw)
    try invocation.exclude(tool, RunCommand.compare)
    guard arguments.has(yes) || terminal.inputIsTerminal && terminal.errorIsTerminal else {
      throw invocation.conflict(
        "there is nobody to ask before a tool runs\(remedy: "say --yes to let the model run its commands")"
      )
    }
    return try paths.map(ToolProgram.init)
  }

  /// Says that a base alone, which has to choose by itself whether to call tools, was not made for that.
  static func tellOfBase(_ loaded: LoadedModel, _ settings: AnswerSettings, _ terminal: Terminal) {
    guard !settings.tools.isEmpty, loaded.adapters.isEmpty,
      settings.form.rounds.calling == .allowed,
      settings.form.renderer?.style.takesTools == false
    else { return }
    terminal.note(
      "This base was not made for tools: its chat template has no place for them, and it may hardly ever call one by itself. "
        + "--tool-choice required makes it call one. An adapter trained on calls, as 'calls' for SmolLM2-135M, or a base for "
        + "tools, which 'fmadapter base list --suggest' names, also knows when to.")
  }

  /// How often the model may call tools for one prompt.
  static func rounds(_ arguments: ParsedArguments) -> ToolRounds {
    let calling: ToolCalling =
      switch arguments.value(choice) {
      case "required": .required
      case "none": .disallowed
      default: .allowed
      }
    return ToolRounds(calling, limit: arguments.value(maximumRounds) ?? ToolRounds.usualLimit)
  }
}

/// A tool whose calls a shell command answers: it gets the arguments as JSON on standard input, and what it prints goes back to
/// the model.
struct ToolProgram: Sendable {
  let tool: ChatTool
  let command: String
  /// Variables that it gets, though they look like credentials.
  let environment: Set<String>

  /// Bytes of an output that a model could read at most.
  private static let outputLimit = 256 << 10

  /// Reads a file: `{"type": "function", "function": {"name", "description", "parameters"}, "command", "environment"}`, or the
  /// members of `function` beside the last two; the schema may stand under MCP's or Anthropic's key, too.
  ///
  /// - Throws: `Failure` for a file that is not so, or arguments that cannot be enforced.
  init(path: String) throws { try self.init(InputText.json(path), path) }

  /// The same of a value in the file at `path`.
  init(_ json: JSONValue, _ path: String) throws {
    guard let object = json.object else {
      throw Failure(.invalid, "\(path): a tool is an object, not \(json.kind)")
    }
    let function = object.toolFunction
    if let (key, near) = object.unknownToolKey(besides: ["command", "environment"]) {
      throw Failure(
        .invalid,
        "\(path): the tool has '\(key)', which no form of tools has"
          + "\(remedy: near.map { "did you mean '\($0)'?" } ?? Self.example)")
    }
    func text(_ key: String, of object: JSONObject) throws -> String {
      guard let text = object[key]?.string, text.contains(where: { !$0.isWhitespace }) else {
        let problem = object[key].map { "is \($0.kind)" } ?? "is missing"
        throw Failure(
          .invalid, "\(path): the tool's \(key) \(problem)\(remedy: Self.example)")
      }
      return text
    }
    let name = try text("name", of: function)
    // MCP has tools without.
    let description =
      function["description"] == nil ? "" : try text("description", of: function)
    command = try text("command", of: object)
    environment = try Self.names(object["environment"], path)
    let none: JSONObject = ["type": .string("object"), "properties": .object([:])]
    let keys = function.toolSchemaKeys
    guard keys.count <= 1 else {
      throw Failure(
        .invalid,
        "\(path): the tool has a schema under \(keys.map { "'\($0)'" }.joined(separator: " and "))"
          + "\(remedy: "keep one")")
    }
    let parameters = keys.first.flatMap { function[$0] } ?? .object(none)
    guard parameters.object?["type"]?.string == "object" else {
      throw Failure(
        .invalid, "\(path): the tool's \(keys.first ?? "parameters") are no schema of an object")
    }
    do throws(GrammarDefect) {
      tool = try ChatTool(name: name, description: description, parameters: parameters)
    } catch {
      throw Failure(.invalid, "\(path): \(error)")
    }
  }

  /// The variables that a tool names.
  private static func names(_ value: JSONValue?, _ path: String) throws -> Set<String> {
    guard let value else { return [] }
    guard let names = value.array?.map(\.string), !names.contains(nil) else {
      throw Failure(
        .invalid,
        "\(path): the tool's environment is no list of names"
          + "\(remedy: #"write "environment": ["NAME", ...]"#)")
    }
    return Set(names.compactMap(\.self))
  }

  private static let example =
    #"write {"name": ..., "description": ..., "parameters": {...}, "command": "..."}"#

  /// The person left the question whether a tool may run.
  struct NotRun: Error {}

  /// What a call came to.
  struct Run: Encodable {
    let name: String
    let arguments: JSONValue
    let output: String
    /// The command's exit status; nil where it did not run.
    let status: Int32?
  }

  /// Runs the command, if a person agrees or need not be asked; the call is shown before, unless it is `isSilent`.
  ///
  /// - Throws: `CancellationError` once `isStopped` is true, `NotRun` when it is so before a person agreed, or a `Failure` when no
  ///   command can be started.
  func run(
    _ call: ChatToolCall, asks: Bool, isSilent: Bool = false, _ terminal: Terminal,
    isStopped: () -> Bool
  ) throws -> Run {
    let arguments = call.arguments.line
    let shown = Line("tool \(call.name) \(arguments)", .dim)
    // Whoever is asked has to see what for.
    if asks { terminal.reply(shown) } else if !isSilent { terminal.note(shown) }
    if asks, try !isAllowed(terminal, isStopped) {
      return Run(
        name: call.name, arguments: call.arguments,
        output: "The call was refused: the person does not want it.", status: nil)
    }
    let withheld = terminal.environment.filter { isWithheld($0.key, $0.value) }
    let end = TerminalControl.runShell(
      command, input: Array(arguments.utf8),
      environment: terminal.environment.filter { withheld[$0.key] == nil },
      limit: Self.outputLimit, isStopped: isStopped)
    switch end {
    case .tooMuch:
      let limit = Figures.size(Self.outputLimit)
      throw Failure(
        .invalid,
        "the command of '\(call.name)' printed more than \(limit), and was ended"
          + "\(remedy: "let it print less")")
    case .failed(let number):
      throw Failure(
        .unexpected,
        "the command of '\(call.name)' cannot be run: \(TerminalControl.message(number))")
    case .stopped: throw CancellationError()
    case .ended(let bytes, let status):
      var output = String(decoding: bytes, as: UTF8.self)
      while output.last?.isNewline ?? false { output.removeLast() }
      if status != 0 {
        if !isSilent { note(status, withheld.keys.sorted(), terminal) }
        output += (output.isEmpty ? "" : "\n") + "The command failed with status \(status)."
      }
      return Run(name: call.name, arguments: call.arguments, output: output, status: status)
    }
  }

  /// Whether the command does not get a variable: it looks like a credential, and the tool does not name it.
  private func isWithheld(_ name: String, _ value: String) -> Bool {
    !environment.contains(name) && WebAddress.isCredential(variable: name, value)
  }

  /// Says that the command has failed, perhaps as it did not get what it needs.
  private func note(_ status: Int32, _ withheld: [String], _ terminal: Terminal) {
    terminal.note(Line("tool \(tool.name) ended with status \(status)", .dim))
    guard !withheld.isEmpty else { return }
    let names = withheld.joined(separator: ", ")
    terminal.note(
      Line("it did not get \(names); what it needs, its file names under \"environment\"", .dim))
  }

  private func isAllowed(_ terminal: Terminal, _ isStopped: () -> Bool) throws -> Bool {
    let given = environment.sorted().joined(separator: ", ")
    let question = Question(
      text: "run '\(command)'\(given.isEmpty ? "" : " with \(given)")? [y/N]", terminal: terminal)
    do {
      return try question.isAgreed(isStopped: isStopped)
    } catch {
      throw NotRun()
    }
  }
}

extension [ToolProgram] {
  /// Runs what a model has called, one after the other.
  ///
  /// - Throws: As `ToolProgram.run`.
  func run(
    _ calls: [ChatToolCall], asks: Bool, isSilent: Bool = false, _ terminal: Terminal,
    isStopped: () -> Bool
  ) throws -> [ToolProgram.Run] {
    try calls.map { call in
      guard let program = first(where: { $0.tool.name == call.name }) else {
        preconditionFailure("the grammar of calls has no other names")
      }
      return try program.run(
        call, asks: asks, isSilent: isSilent, terminal, isStopped: isStopped)
    }
  }
}
