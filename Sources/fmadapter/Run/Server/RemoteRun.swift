import SystemFiles

/// `run --server`: a prompt or a chat with a model of a server.
struct RemoteRun {
  static let server = Option(
    "--server", .text("url"),
    "Ask a server of OpenAI's interface, such as http://127.0.0.1:8080; the adapter is its model's name"
  )

  /// What is about a base on this machine.
  private static let localOptions: [any OptionDeclaration] =
    [
      RunCommand.noAdapter, RunCommand.compare, RunCommand.raw, ModelOptions.base,
      ModelOptions.adapter, ModelOptions.scale, ModelOptions.cache, ModelOptions.threads,
      AnswerOptions.allowLoops, AnswerOptions.noThink, AnswerOptions.chatFormat,
      AnswerOptions.draft, AnswerOptions.contextPolicy,
    ] + PromptRun.options

  private let connection: ServerConnection
  private let invocation: Invocation
  private var terminal: Terminal { invocation.terminal }
  private var isJSON: Bool { invocation.arguments.has(RunCommand.json) }
  /// Nil for the first one that the server has.
  private let model: String?
  /// Nil for a chat.
  private let prompt: String?

  /// - Throws: `UsageError` for options that a server knows nothing of, and `Failure` for an address that is none.
  init(_ invocation: Invocation, url: String) throws {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    self.invocation = invocation
    if let stray = Self.localOptions.first(where: arguments.has) {
      throw invocation.conflict("\(stray.name) is for a base on this machine, not for a server")
    }
    connection = try ServerConnection(
      url, allowsHTTP: arguments.has(NetworkArguments.allowHTTP), terminal.environment)
    let (first, second) = (arguments.text(RunCommand.adapter), arguments.text(RunCommand.prompt))
    let isPrompt =
      second == nil && first.map { $0 == "-" || $0.contains(where: \.isWhitespace) } ?? false
    model = isPrompt ? nil : first
    guard let asked = isPrompt ? first : second else {
      prompt = nil
      return
    }
    if asked == "-" {
      prompt = try InputText.checked(InputText.standardInput(terminal), named: "standard input")
    } else {
      prompt = try InputText.joined(terminal).map { asked + "\n\n" + $0 } ?? asked
    }
    guard prompt?.allSatisfy(\.isWhitespace) == false else {
      throw Failure(.usage, "the prompt is empty\(remedy: "give it a text to answer")")
    }
  }

  func run() async throws {
    let tools = try ToolOptions.tools(invocation)
    let talk = try ServerTalk(
      connection, model: try await name(), invocation.arguments, tools: tools, terminal)
    guard let prompt else { return try await RemoteChat(talk, connection, invocation).run() }
    let answer = try await reply(talk, prompt)
    if isJSON {
      try terminal.printJSON(answer)
    } else {
      terminal.note(Line(answer.summary, .dim))
    }
    if invocation.arguments.has(AnswerOptions.schema), answer.finish == "length" {
      throw Failure.cut(
        "the answer was cut before its JSON was whole"
          + "\(remedy: "give it more room with --max-tokens, or bound the texts and lists of the schema")"
      )
    }
  }

  /// The model that is asked.
  private func name() async throws -> String {
    if let model { return model }
    guard let first = try await connection.models().first else {
      throw Failure(
        .notFound, "\(connection.origin) names no model\(remedy: "give a name before the prompt")")
    }
    terminal.note("no model is named: \(first) answers, the first one of \(connection.origin)")
    return first
  }

  private func reply(_ talk: ServerTalk, _ prompt: String) async throws -> ServerAnswer {
    do {
      guard !isJSON else { return try await talk.answer(prompt) { _ in } }
      return try await talk.answer(prompt, to: terminal)
    } catch let failure as Failure where failure.code == .notFound {
      throw await explained(failure)
    }
  }

  /// The failure, with the models that there are.
  private func explained(_ failure: Failure) async -> Failure {
    var failure = failure
    let names = (try? await connection.models()) ?? []
    guard !names.isEmpty else { return failure }
    let shown = names.prefix(10).joined(separator: ", ")
    failure.details.append(
      "It has \(shown)\(names.count > 10 ? " and \(names.count - 10) more" : "").")
    return failure
  }
}

/// A chat of `run --server`.
final class RemoteChat {
  private let talk: ServerTalk
  private let connection: ServerConnection
  private let invocation: Invocation
  private var terminal: Terminal { invocation.terminal }

  init(_ talk: ServerTalk, _ connection: ServerConnection, _ invocation: Invocation) {
    (self.talk, self.connection, self.invocation) = (talk, connection, invocation)
  }

  /// Answers until the person leaves; Ctrl-C ends an answer only.
  func run() async throws {
    let commands = [
      ChatCommand(name: "/reset", help: "forget the conversation") { [self] _ in
        talk.reset()
        terminal.note("The conversation is forgotten.")
      },
      ChatCommand(name: "/retry", help: "answer the last message again") { [self] _ in
        guard let message = talk.takeBack() else {
          return terminal.reply("There is nothing to answer again.")
        }
        try await answer(message)
      },
    ]
    try await ChatLoop(terminal: terminal, commands: commands, answer: answer).run()
  }

  private func answer(_ message: String) async throws {
    let stopped = StopFlag()
    let stop: @Sendable () -> Void = { [connection] in
      stopped.raise()
      connection.stop()
    }
    let asJSON = invocation.arguments.has(RunCommand.json)
    let answer = try await Interruption.shared.handling(stop) {
      asJSON
        ? try await talk.answer(message, isStopped: { stopped.isRaised }) { _ in }
        : try await talk.answer(message, to: terminal, isStopped: { stopped.isRaised })
    }
    if asJSON { return try terminal.printJSONLine(answer) }
    if answer.finish != "stop" { terminal.note(Line("(\(answer.summary))", .dim)) }
  }
}

extension ServerTalk {
  /// Answers `message` on standard output, on lines of its own whatever comes of it; thoughts are said beside it.
  func answer(
    _ message: String, to terminal: Terminal, isStopped: () -> Bool = { false }
  ) async throws -> ServerAnswer {
    var lines = AnswerLines(terminal)
    defer { lines.pause() }
    let answer = try await answer(
      message, isStopped: isStopped, pause: { lines.pause() }
    ) {
      switch $0 {
      case .thought(let part): lines.append(thought: part)
      case .text(let part): lines.append(part)
      }
    }
    lines.end()
    return answer
  }
}
