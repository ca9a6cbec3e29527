import Adapters
import AdapterStore

/// `base install`: brings a model into the store.
enum BaseInstallCommand {
  private static let file = Argument("path", "A GGUF file", completion: .files)
  private static let link = Flag(
    "--link", "Give the file a second name instead of copying it; it must then never be changed")
  private static let json = Flag("--json", "Print what was installed as JSON")

  static let command = Command(
    name: "install",
    summary: "Bring a base into the store",
    details: [
      """
      The first base is in use from then on; 'fmadapter base use' chooses another. All \
      quantizations of one source share its signature, and a new one takes the place of the old. \
      Prints the signature.
      """
    ],
    examples: [
      Example(
        "fmadapter base install adapters/base/fmadapter-base.gguf", "Copy a base into the store"),
      Example("fmadapter base install --link model.gguf", "Without a copy of a large file"),
    ],
    arguments: [file],
    options: [link, json],
    knownElsewhereAs: ["add", "pull"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let (base, outcome) = try await Shelf(terminal).store().installBase(
      arguments.required(file), transfer: arguments.has(link) ? .link : .copy)
    let title = "\(base.name) (\(base.contract.architecture), \(Figures.size(base.receipt.size)))"
    switch outcome {
    case .installed: terminal.note("installed \(title)")
    case .replaced: terminal.note("replaced by \(title)")
    case .alreadyInstalled: terminal.note("\(title) is installed already; nothing to do")
    }
    if !base.isCurrent {
      terminal.note(
        "another base is in use; 'fmadapter base use \(base.signature.prefix(7))' changes that")
    }
    if arguments.has(json) {
      try terminal.printJSON(BaseEntry(base, outcome: outcome))
    } else {
      terminal.print(base.signature)
    }
    return .done
  }
}
