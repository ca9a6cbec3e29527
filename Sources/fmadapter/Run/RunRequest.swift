import AdapterStore
import Adapters
import SystemFiles

/// What a `run` line asks for: which adapters, and which prompt.
struct RunRequest {
  /// As typed, in order.
  private(set) var adapters: [String] = []
  /// Nil for a chat.
  private(set) var prompt: String?

  /// Sorts the words of the line.
  ///
  /// Where no adapter is named, the base in use answers: to a single text with spaces, to standard input, or in a chat. Where the line
  /// says who or how to answer, a single word that names no adapter is a prompt too.
  init(_ invocation: Invocation, _ library: Library) async throws {
    let arguments = invocation.arguments
    let (first, second) = (arguments.text(RunCommand.adapter), arguments.text(RunCommand.prompt))
    let more = arguments.values(ModelOptions.adapter)
    let isList = arguments.value(PromptRun.input) != nil
    let isText = second == nil && first.map { $0 == "-" || Self.isPrompt($0) } ?? false
    var isAsked = isText
    if let first, second == nil, !isText, !isList {
      isAsked = try await Self.isAsked(word: first, arguments, library)
    }
    try invocation.exclude(RunCommand.compare, RunCommand.noAdapter)
    try invocation.exclude(ModelOptions.adapter, RunCommand.noAdapter)
    if let first, !isAsked, arguments.has(RunCommand.noAdapter) {
      throw invocation.conflict(
        "the adapter '\(first)' and --no-adapter exclude each other"
          + "\(remedy: "leave one of them out")")
    }
    try PromptRun.check(invocation, hasPrompt: isAsked || second != nil)
    if let first {
      adapters = isAsked ? [] : [first]
      prompt = isAsked ? first : second
    }
    adapters += more
    let isRead = prompt == "-"
    if isRead {
      prompt = try InputText.checked(
        InputText.standardInput(library.terminal), named: "standard input")
      try checkPrompt("the prompt on standard input is empty")
    }
    if arguments.has(RunCommand.compare), adapters.isEmpty {
      throw invocation.conflict("--compare needs an adapter: run <adapter> --compare \"...\"")
    }
    if arguments.has(RunCommand.compare), prompt == nil {
      throw invocation.conflict("--compare needs a prompt: run <adapter> --compare \"...\"")
    }
    try checkRaw(invocation)
    if !isRead, let asked = prompt, let more = try InputText.joined(library.terminal) {
      prompt = asked + "\n\n" + more
    }
    // A base may begin a text of its own.
    if !arguments.has(RunCommand.raw) { try checkPrompt("the prompt is empty") }
    let saysWho: [any OptionDeclaration] = [RunCommand.noAdapter, ModelOptions.base]
    if adapters.isEmpty, isAsked || first == nil && !isList,
      !saysWho.contains(where: arguments.has)
    {
      library.terminal.note("no adapter is named: the base answers alone")
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
    text.contains(where: \.isWhitespace) && !Library.exists(text)
  }

  /// Whether a single word is to be answered, on a line that says who or how to answer: nothing goes by that name.
  private static func isAsked(
    word: String, _ arguments: ParsedArguments, _ library: Library
  ) async throws -> Bool {
    if arguments.has(RunCommand.noAdapter) { return await !isAdapter(word, library) }
    let saying: [any OptionDeclaration] = [
      ModelOptions.base, AnswerOptions.schema, ToolOptions.tool,
    ]
    let isPath =
      word.contains("/") || [PackageFile.suffix, ".gguf"].contains(where: word.hasSuffix)
      || Library.exists(word + PackageFile.suffix)
    guard saying.contains(where: arguments.has), !isPath, !isPackage(word) else { return false }
    do {
      _ = try library.store().adapter(named: word)
      return false
    } catch let error as StoreError where error.code == .noAdapter {
      guard (try? library.store().base(named: word)) == nil else { return false }
      let names = error.choices.compactMap { try? AdapterIdentifier($0).name }
      if let near = Suggestion.nearest(to: word, among: names) {
        library.terminal.note(
          "'\(word)' names no adapter, so it is the prompt; did you mean '\(near)'?")
      }
      return true
    } catch is StoreError {
      return false
    }
  }

  private static func isAdapter(_ text: String, _ library: Library) async -> Bool {
    if Library.isPath(text) { return isPackage(text) }
    return (try? await library.packagePath(text)) != nil
  }

  private static func isPackage(_ text: String) -> Bool {
    Library.exists(FilePath.join(text, PackageFile.metadata))
  }
}
