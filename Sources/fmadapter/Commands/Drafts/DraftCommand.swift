import AdapterTraining
import Adapters
import ChatTemplates
import LanguageModels
import SystemFiles

/// `draft`: what an adapter carries for guessing.
enum DraftCommand {
  static let command = Command(
    name: "draft",
    summary: "Make the guesses that an adapter carries, for faster answers",
    subcommands: [CommandGroup(title: "Drafts", commands: [DraftBuildCommand.command])])
}

/// `draft build`: a suffix store of the answers in data sets.
enum DraftBuildCommand {
  private static let adapter = Argument(
    "adapter", "The path of a package, or the name of an installed adapter", completion: .adapters)
  private static let data = Option(
    "--data", .file, "A data set whose answers are put in; may be given several times")
  private static let output = Option(
    "--output", short: "-o", .folder,
    "The package to write, in the place of a change to the given one")
  private static let limit = Option(
    "--limit", .integer(1...SuffixTexts.tokenLimit),
    "Tokens at most, the most frequent answers first (default: 131,072)")
  private static let force = Flag(
    "--force", "Replace the suffix store that the package has, or what stands at --output")
  private static let json = Flag("--json", "Print what was put in as JSON")

  static let command = Command(
    name: "build",
    summary: "Put the answers of data sets into a package, to guess from",
    details: [
      """
      The package gets a suffix store, draft_suffixes.bin: the answers in tokens of its base. \
      'run' looks up the last words there and proposes what followed on them. Answers that are \
      like those of the training come faster, and no answer changes. Whoever has the package can \
      read the stored answers.
      """
    ],
    examples: [
      Example("fmadapter draft build mine.fmadapter --data train.jsonl", "Into the package itself"),
      Example(
        "fmadapter draft build tagging --data train.jsonl -o tagging.fmadapter",
        "A new package, of an installed adapter"),
    ],
    arguments: [adapter],
    options: [data, output, limit, force, ModelOptions.base, AnswerOptions.chatFormat, json],
    knownElsewhereAs: ["suffixes", "ngram", "lookup"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let paths = arguments.values(data)
    guard !paths.isEmpty else { throw invocation.conflict("--data is needed: --data <file>") }
    let text = arguments.required(adapter)
    guard Library.isPath(text) || arguments.value(output) != nil else {
      throw invocation.conflict(
        "an installed adapter is never changed\(remedy: "give a package to write: -o <folder>")")
    }
    let library = Library(terminal)
    let package = try await library.packagePath(text)
    try check(package, arguments.value(output), replaces: arguments.has(force))
    let loaded = try await library.load(LoadRequest(invocation, adapters: [text]))
    defer { withExtendedLifetime(loaded.leases) {} }
    let suffixes = try SuffixTexts(
      examples(paths, arguments, loaded.model), for: loaded.model,
      tokenLimit: arguments.value(limit))
    let path = try write(suffixes, package, loaded.model, arguments)
    let report = Report(
      path: path, texts: suffixes.texts.count, tokens: suffixes.tokenCount,
      longest: suffixes.longest, size: suffixes.bytes.count)
    terminal.note(report.summary)
    try invocation.report(report) { terminal.print(path) }
    return .done
  }

  /// Refuses to replace what was not said to go, before any work is done for it.
  private static func check(_ package: String, _ output: String?, replaces: Bool) throws {
    if let output { return try PackageName.check(output, replaces: replaces) }
    let path = FilePath.join(package, PackageFile.suffixes)
    guard !replaces, try FileSystem.info(path) != nil else { return }
    throw Failure(
      .usage, "\(path): exists already\(remedy: "--force replaces it, -o writes another package")")
  }

  private static func examples(
    _ paths: [String], _ arguments: ParsedArguments, _ model: BaseModel
  ) throws -> [TokenizedExample] {
    let tokenizer = try model.tokenizer()
    let chat = try ChatRenderer(AnswerOptions.style(arguments, model.file), tokenizer: tokenizer)
    let renderer = ExampleRenderer(chat, tokenizer: tokenizer)
    var examples: [TokenizedExample] = []
    for path in paths {
      for example in try DataSet(path: path).examples {
        try Task.checkCancellation()
        examples.append(try renderer.render(example))
      }
    }
    return examples
  }

  private static func write(
    _ suffixes: SuffixTexts, _ package: String, _ model: BaseModel, _ arguments: ParsedArguments
  ) throws -> String {
    if let path = arguments.value(output) {
      return try AdapterWriter.write(
        suffixes: suffixes, into: package, as: path, replacing: arguments.has(force),
        for: model.contract())
    }
    try AtomicFile.write(suffixes.bytes, to: FilePath.join(package, PackageFile.suffixes))
    return package
  }

  /// What was put in.
  private struct Report: Encodable {
    let path: String
    let texts: Int
    let tokens: Int
    let longest: Int
    let size: Int

    var summary: String {
      "\(Figures.count(texts, "text")), \(Figures.count(tokens, "token")), \(Figures.size(size))"
    }
  }
}
