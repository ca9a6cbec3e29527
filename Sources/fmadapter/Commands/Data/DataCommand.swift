import AdapterStore
import AdapterTraining
import ChatTemplates
import JSON
import LanguageModels
import SystemFiles
import Tokenization

/// `data`: files of examples to train on.
enum DataCommand {
  static let command = Command(
    name: "data",
    summary: "Check, measure, split and render data sets",
    details: [
      """
      A data set is a file with one JSON value a line: a list of messages as Apple's toolkit has it, \
      an object with messages, with prompt and completion, with prompt, chosen and rejected, or with text.
      """
    ],
    subcommands: [
      CommandGroup(
        title: "Data sets",
        commands: [
          DataCheckCommand.command, DataStatsCommand.command, DataSplitCommand.command,
          DataConvertCommand.command, DataRenderCommand.command,
        ])
    ],
    knownElsewhereAs: ["dataset", "datasets"])
}

/// What the commands on data sets have in common.
enum DataOptions {
  static let files = Argument(
    "file", "A data set, one example per line, or a folder with its parts", arity: .several,
    completion: .files)
  static let file = Argument("file", "A data set, one example per line", completion: .files)

  /// What stands at the paths that were given, each once.
  static func sets(_ invocation: Invocation) throws -> [DataParts] {
    try DataParts.all(invocation.arguments.texts(files))
  }

  /// A base as far as data sets are concerned.
  struct Base {
    let model: BaseModel
    let renderer: ExampleRenderer
    let tokenizer: Tokenizer
    /// Tokens that end an answer.
    let stopTokens: Set<Token>
  }

  /// The base that was named, on the command line or else as `other`, or the one in use.
  static func base(
    _ invocation: Invocation, or other: String? = nil, chatFormat: String? = nil
  ) async throws -> Base {
    let arguments = invocation.arguments
    let path = try await Library(invocation.terminal)
      .basePath(arguments.value(ModelOptions.base) ?? other)
    let model = try BaseModel(path: path)
    let tokenizer = try model.tokenizer()
    let chat = try ChatRenderer(
      AnswerOptions.style(arguments, model.file, or: chatFormat), tokenizer: tokenizer)
    return Base(
      model: model, renderer: ExampleRenderer(chat, tokenizer: tokenizer), tokenizer: tokenizer,
      stopTokens: chat.stopTokens)
  }

  /// As above; nil, after saying so, when none was named and none is in use.
  static func baseIfAny(_ invocation: Invocation) async throws -> Base? {
    do {
      return try await base(invocation)
    } catch let error as StoreError
      where ExitCode(error) == .notFound && invocation.arguments.value(ModelOptions.base) == nil
    {
      invocation.terminal.note(
        "no base is in use, so tokens are not counted; name one with --base")
      return nil
    }
  }
}

/// `data split`: examples to train on and examples held out.
enum DataSplitCommand {
  private static let heldOut = Option(
    "--held-out", .share, "Share of the examples to hold out (default: 10%)")
  private static let seed = Option("--seed", .seed, "Same seed, same split (default: 0)")
  private static let output = Option("--output", short: "-o", .folder, "Folder for the two files")
  private static let force = Flag("--force", "Replace the files when they exist")

  private static let json = Flag("--json", "Print the two files and their examples as JSON")

  static let command = Command(
    name: "split",
    summary: "Split a data set into examples to train on and to hold out",
    details: [
      """
      Writes train.jsonl and valid.jsonl, with the lines of the file byte for byte and in their \
      order. Several files, or those of a folder by their names, are parts of one set. Seed and \
      content decide where an example goes, so sorting the file changes nothing. A file with \
      errors is refused with all of them.
      """,
      """
      Examples that ask nearly the same, or fill the same template with other words or numbers, \
      are one family and stay together. So what is held out has other wordings than what is \
      learnt. Where answers are names of classes, some of each class are held out, if it has two \
      families. The command says what it found; a family that is nearly all of the file has to \
      be divided, and then it says so.
      """,
    ],
    examples: [
      Example("fmadapter data split all.jsonl -o data", "One in ten held out"),
      Example("fmadapter data split all.jsonl --held-out 20% --seed 7 -o data", "Another choice"),
      Example(
        "fmadapter data split parts -o data", "A set in several files, which are in a folder"),
    ],
    arguments: [DataOptions.files],
    options: [heldOut, seed, output, force, json],
    knownElsewhereAs: ["divide", "partition"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let folder = try invocation.needed(output, "-o <folder>")
    let sets = try DataOptions.sets(invocation)
    if sets.contains(where: { $0.isFolder(folder) }) {
      throw invocation.conflict(
        "\(folder): what is written there would be parts of the set\(remedy: "give another folder with -o")"
      )
    }
    var split = DataSplit(
      share: arguments.value(heldOut) ?? 0.1, seed: arguments.value(seed) ?? 0)
    split.replaces = arguments.has(force)
    let result = try split.write(
      sets.flatMap(\.paths), into: folder, isCancelled: { Task.isCancelled })
    terminal.note(
      "\(Figures.count(result.trainingCount, "example")) to train on, "
        + "\(Figures.grouped(result.heldOutCount)) held out")
    tell(result, terminal)
    let absent = result.families.absent
    terminal.noteAbsent(absent, in: absent.flatMap { result.parts.path(of: $0.example) })
    guard !arguments.has(json) else {
      terminal.print(
        .object([
          "training": Self.part(result.training, result.trainingCount),
          "heldOut": Self.part(result.heldOut, result.heldOutCount),
          "families": result.families.json(result.parts),
        ]))
      return .done
    }
    terminal.print(result.training)
    terminal.print(result.heldOut)
    return .done
  }

  private static func tell(_ result: DataSplit.Result, _ terminal: Terminal) {
    let families = result.families
    guard let such = places(result) else {
      return terminal.note("no two examples are made alike")
    }
    let largest = "the largest has \(Figures.grouped(families.largest)), such as \(such)"
    guard families.isDivided else {
      return terminal.note(
        "\(Self.count(families.count)) of like examples, each on one side; \(largest)")
    }
    terminal.warn(
      "\(Self.count(families.count)) of like examples, too few for whole ones to be held out; \(largest): "
        + "some stand on both sides, so that what is held out is made like what is learnt, and measures less than it seems"
    )
  }

  /// Two lines of the largest family, and of which parts they are; nil where no family has two.
  private static func places(_ result: DataSplit.Result) -> String? {
    guard let lines = result.families.lines, let examples = result.families.examples else {
      return nil
    }
    let parts = examples.compactMap(result.parts.path)
    guard !parts.isEmpty else {
      return "lines \(lines.map(Figures.grouped).joined(separator: " and "))"
    }
    return zip(lines, parts).map { "line \(Figures.grouped($0)) of \($1)" }
      .joined(separator: " and ")
  }

  private static func count(_ families: Int) -> String {
    families == 1 ? "1 family" : "\(Figures.grouped(families)) families"
  }

  private static func part(_ path: String, _ examples: Int) -> JSONValue {
    .object(["path": .string(path), "examples": .integer(examples)])
  }
}

extension ExampleFamilies.Summary {
  fileprivate func json(_ parts: PartStarts) -> JSONValue {
    var object: JSONObject = [
      "count": .integer(count), "largest": .integer(largest), "isDivided": .bool(isDivided),
    ]
    object["absent"] = absent.map { absent in
      var answers: JSONObject = [
        "answers": .integer(absent.count), "of": .integer(absent.total),
        "line": .integer(absent.line),
      ]
      answers["file"] = parts.path(of: absent.example).map(JSONValue.string)
      return .object(answers)
    }
    return .object(object)
  }
}
