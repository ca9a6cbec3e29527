import AdapterStore
import LanguageModels
import SystemFiles

/// `run`: text from a base with an adapter, once or as a chat.
enum RunCommand {
  static let adapter = Argument(
    "adapter",
    "Name or identifier of an installed adapter, or the path of a package; without one the base in use answers",
    arity: .optional, completion: .adapters)
  static let prompt = Argument(
    "prompt", "The message to answer, or - to read it from standard input; without it a chat",
    arity: .optional)
  static let noAdapter = Flag("--no-adapter", "Run the base alone")
  static let compare = Flag("--compare", "Answer twice: the base alone, then with the adapter")
  static let raw = Flag(
    "--raw", "Let the base continue the prompt as it is, marks included, without a chat template")
  static let json = Flag("--json", "Print the answer and its figures as JSON")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [noAdapter, compare, raw, RemoteRun.server]
    let last: [any OptionDeclaration] =
      [
        ModelOptions.base, ModelOptions.adapter, ModelOptions.scale, ModelOptions.cache,
        ModelOptions.threads, NetworkArguments.allowHTTP, json,
      ] + PromptRun.options
    return first + AnswerOptions.all + [AnswerOptions.contextPolicy] + ToolOptions.options + last
  }

  static let command = Command(
    name: "run",
    summary: "Answer a prompt with an adapter, or chat",
    details: [
      """
      The answer goes to standard output as it is generated; figures follow on standard error. A \
      word with a slash or a dot is a path, any other word the name of an installed adapter. A \
      text with spaces that stands alone is a prompt for the base in use; with --base, --schema \
      or --tool so is a word that names no adapter. Without a prompt you \
      get a chat; Ctrl-C stops an answer in it, not the program. An adapter never runs on a base \
      that it was not made for.
      """,
      """
      Input from a pipe or a file is added after the prompt. Without a prompt, each line of it \
      is a message of a chat, or a command such as /help; none of these writes a file. With - \
      all of it is the prompt, to the base in use if no adapter is named.
      """,
      """
      With --tool the model may call a command. The command gets the arguments as JSON on \
      standard input, and what it prints goes back to the model. Command and arguments are shown \
      first, and nothing runs before you agree. Variables that look like credentials are not for \
      it, unless the file of the tool names them under environment.
      """,
      """
      With --server a server answers, one of 'fmadapter serve' or any other of OpenAI's interface: \
      the adapter is the name of its model, and without one its first model answers. A key that it \
      wants is taken from the variable FMADAPTER_SERVER_KEY, and goes by https or on this machine.
      """,
    ],
    examples: [
      Example("fmadapter run playwriting \"A scene in a lighthouse\"", "Stream one answer"),
      Example(
        "fmadapter run playwriting --compare \"A scene in a lighthouse\"",
        "Base and adapter, one after the other"),
      Example("fmadapter run tagging", "Chat"),
      Example("fmadapter run", "Chat with the base in use"),
      Example("fmadapter run tagging - < article.txt", "A prompt from a file"),
      Example(
        "fmadapter run \"What is this about?\" < article.txt",
        "A question about a text, to the base in use"),
      Example(
        "fmadapter run playwriting --draft draft.gguf \"A storm\"",
        "The same text sooner, with a small model that guesses"),
      Example("fmadapter run --no-adapter \"Hello\"", "The plain base"),
      Example(
        "fmadapter run --schema person.json \"Ada Byron is 36\"",
        "JSON that fits a schema, from the base in use"),
      Example(
        "fmadapter run --tool weather.json \"Is it raining in Bern?\"",
        "The base in use may look the weather up, if you agree"),
      Example(
        "fmadapter run tagging --input notes.jsonl --output tags.jsonl",
        "An answer to each line of a file, several at once"),
      Example(
        "fmadapter run --no-adapter --raw \"Once upon a time\"",
        "A text that goes on, with a base that knows no chats"),
      Example(
        "fmadapter run playwriting --adapter ./mine.fmadapter --adapter-scale 1 --adapter-scale 0.5 \"A storm\"",
        "Two adapters at once, the second at half strength"),
      Example(
        "fmadapter run --server http://127.0.0.1:8080 tagging \"A scene in a lighthouse\"",
        "An answer of a server"),
    ],
    arguments: [adapter, prompt],
    options: options,
    knownElsewhereAs: ["chat", "generate", "respond", "prompt", "ask"],
    optionsKnownElsewhere: KnownElsewhere.run,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if let url = arguments.value(RemoteRun.server) {
      try await RemoteRun(invocation, url: url).run()
      return .done
    }
    if arguments.has(NetworkArguments.allowHTTP) {
      throw invocation.conflict(
        "\(NetworkArguments.allowHTTP.name) is for \(RemoteRun.server.name)")
    }
    let library = Library(terminal)
    let tools = try ToolOptions.tools(invocation)
    let request = try await RunRequest(invocation, library)
    // What is typed while the base is read waits for the prompt of the chat.
    let isChat = request.prompt == nil && arguments.value(PromptRun.input) == nil
    if isChat, terminal.movesCursor { _ = terminal.takeKeys(.held) }
    defer { TerminalControl.giveKeysBack() }
    let loading = try LoadRequest(invocation, adapters: request.adapters)
    let loaded: LoadedModel
    do {
      loaded = try await load(loading, library, invocation)
    } catch {
      throw await explained(error, request, arguments, library)
    }
    defer { withExtendedLifetime(loaded.leases) {} }
    if arguments.has(compare), let prompt = request.prompt {
      try Comparison(loaded: loaded, arguments: arguments, terminal: terminal)
        .run(prompt, json: arguments.has(json))
      return .done
    }
    let settings = try AnswerSettings(
      loaded.model, adapters: loaded.adapters, costs: loaded.costs, tools: tools, arguments,
      terminal)
    settings.tellStated(loaded.adapters, terminal)
    ToolOptions.tellOfBase(loaded, settings, terminal)
    if let path = arguments.value(PromptRun.input) {
      return try PromptRun(loaded, settings, invocation)
        .answerAll(in: PromptFile(path: path, terminal))
    }
    let conversation = try Conversation(
      loaded.model, adapters: loaded.adapters, settings, arguments, terminal)
    if let prompt = request.prompt {
      try answer(prompt, conversation, invocation)
    } else {
      try await Chat(conversation, loaded, invocation).run()
    }
    return .done
  }

  /// Loads what is asked for; who has no base yet is offered one.
  private static func load(
    _ request: LoadRequest, _ library: Library, _ invocation: Invocation
  ) async throws -> LoadedModel {
    do {
      return try await library.load(request)
    } catch let error as StoreError where error.code == .noBaseInstalled {
      guard try await BaseOffer(invocation: invocation).isTaken() else {
        throw error
      }
      return try await library.load(request)
    }
  }

  /// What went wrong; a single word that names no adapter may have been a prompt.
  private static func explained(
    _ error: any Error, _ request: RunRequest, _ arguments: ParsedArguments, _ library: Library
  ) async -> any Error {
    var failure = Failure(error)
    guard failure.code == .notFound, let word = arguments.text(adapter), !word.contains("/"),
      request.prompt == nil, arguments.value(PromptRun.input) == nil,
      !Library.exists(word), (try? library.store().adapter(named: word)) == nil
    else { return error }
    failure.details.append("A prompt of one word: fmadapter run --no-adapter \(word.shellQuoted)")
    return failure
  }

  /// One answer; Ctrl-C ends the program.
  private static func answer(
    _ prompt: String, _ conversation: Conversation, _ invocation: Invocation
  ) throws {
    let terminal = invocation.terminal
    guard !invocation.arguments.has(json) else {
      let answer = try conversation.answer(prompt) { _ in }
      try terminal.printJSON(answer)
      return try checkWhole(answer, invocation)
    }
    let answer = try conversation.answer(prompt, to: terminal)
    terminal.note(Line(answer.summary, .dim))
    answer.hint(inChat: false).map(terminal.note)
    try checkWhole(answer, invocation)
  }

  /// JSON that was cut fits no schema.
  private static func checkWhole(_ answer: Answer, _ invocation: Invocation) throws {
    guard invocation.arguments.value(AnswerOptions.schema) != nil, answer.finish != .stop else {
      return
    }
    throw Failure.cut(
      "the answer was cut after \(Figures.count(answer.generatedTokens, "token")), before its JSON was whole"
        + "\(remedy: "give it more room with --max-tokens, or bound the texts and lists of the schema")"
    )
  }
}

/// The same prompt to the base alone and to the base with its adapters, one after the other.
struct Comparison {
  let loaded: LoadedModel
  let arguments: ParsedArguments
  let terminal: Terminal

  private struct Report: Encodable {
    let prompt: String
    let base: Answer
    let adapter: Answer
    let adapters: [String]
  }

  func run(_ prompt: String, json: Bool) throws {
    let names = loaded.adapters.map(\.identifier)
    let base = try section("base alone", adapters: [], prompt, silent: json)
    if !json { terminal.print("") }
    let adapted = try section(
      "base with " + names.joined(separator: ", "), adapters: loaded.adapters, prompt, silent: json)
    guard json else { return }
    try terminal.printJSON(
      Report(prompt: prompt, base: base, adapter: adapted, adapters: names))
  }

  private func section(
    _ title: String, adapters: [AppliedAdapter], _ prompt: String, silent: Bool
  ) throws -> Answer {
    if !silent { terminal.print(Line("== \(title) ==", .bold)) }
    let settings = try AnswerSettings(
      loaded.model, adapters: adapters, costs: nil, arguments, terminal)
    settings.tellStated(adapters, terminal)
    let conversation = try Conversation(
      loaded.model, adapters: adapters, settings, arguments, terminal)
    guard !silent else { return try conversation.answer(prompt) { _ in } }
    let answer = try conversation.answer(prompt, to: terminal)
    terminal.note(Line("-- \(answer.summary)", .dim))
    answer.hint(inChat: false).map(terminal.note)
    return answer
  }
}
