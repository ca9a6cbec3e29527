import TensorFiles

/// What a `run` line asks for: which adapters, and which prompt.
struct RunRequest {
  /// As typed, in order.
  private(set) var adapters: [String] = []
  /// Nil for a chat.
  private(set) var prompt: String?
  /// True when the adapters only say which base is meant, if there are any.
  let plain: Bool

  /// Sorts the words of the line.
  ///
  /// Where no adapter is named, the base in use answers: to a single text with spaces, to standard input, or in a chat. With `--no-adapter` a
  /// single word is a prompt too, unless it names an adapter, whose base is then meant.
  init(_ invocation: Invocation, _ shelf: Shelf) async throws {
    let arguments = invocation.arguments
    let (first, second) = (arguments.text(RunCommand.adapter), arguments.text(RunCommand.prompt))
    let more = arguments.values(ModelOptions.adapter)
    let isAsked = second == nil && first.map { $0 == "-" || Self.isPrompt($0) } ?? false
    try invocation.exclude(RunCommand.compare, RunCommand.noAdapter)
    try invocation.exclude(ModelOptions.adapter, RunCommand.noAdapter)
    let isList = arguments.value(PromptRun.input) != nil
    plain = arguments.has(RunCommand.noAdapter) || (isAsked || first == nil) && more.isEmpty
    try PromptRun.check(invocation, hasPrompt: isAsked || second != nil)
    if let first {
      if isAsked {
        prompt = first
      } else if plain, !isList, second == nil, try await !Self.isAdapter(first, shelf) {
        prompt = first
      } else {
        adapters = [first]
        prompt = second
      }
    }
    adapters += more
    let isRead = prompt == "-"
    if isRead {
      prompt = try InputText.checked(
        InputText.standardInput(shelf.terminal), named: "standard input")
      try checkPrompt("the prompt on standard input is empty")
    }
    if arguments.has(RunCommand.compare), adapters.isEmpty {
      throw invocation.conflict("--compare needs an adapter: run <adapter> --compare \"...\"")
    }
    if arguments.has(RunCommand.compare), prompt == nil {
      throw invocation.conflict("--compare needs a prompt: run <adapter> --compare \"...\"")
    }
    try checkRaw(invocation)
    if !isRead, let asked = prompt, let more = try InputText.joined(shelf.terminal) {
      prompt = asked + "\n\n" + more
    }
    // A base may begin a text of its own.
    if !arguments.has(RunCommand.raw) { try checkPrompt("the prompt is empty") }
    if plain, isAsked || first == nil && !isList, !arguments.has(RunCommand.noAdapter) {
      shelf.terminal.note("no adapter is named: the base answers alone")
    }
  }

  /// Refuses a prompt of no more than white space, as a variable of a script may be.
  private func checkPrompt(_ problem: String) throws {
    guard let prompt, prompt.allSatisfy(\.isWhitespace) else { return }
    throw Failure(.usage, "\(problem)\(remedy: "give it a text to answer")")
  }

  private func checkRaw(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    guard arguments.has(RunCommand.raw) else { return }
    if prompt == nil {
      throw invocation.conflict("--raw needs a text to continue: run --no-adapter --raw \"...\"")
    }
    try invocation.exclude(RunCommand.raw, AnswerOptions.instructions)
    try invocation.exclude(RunCommand.raw, AnswerOptions.chatFormat)
  }

  /// Whether a text is one to answer: no name has spaces, and no path that leads anywhere is meant as a prompt.
  private static func isPrompt(_ text: String) -> Bool {
    text.contains(where: \.isWhitespace) && !Shelf.exists(text)
  }

  private static func isAdapter(_ text: String, _ shelf: Shelf) async throws -> Bool {
    if Shelf.isPath(text) {
      return (try? FileSystem.info(FilePath.join(text, "metadata.json"))) != nil
    }
    return (try? await shelf.packagePath(text)) != nil
  }
}
