import AdapterStore

/// `base use`: chooses the base that commands take when none is named.
enum BaseUseCommand {
  private static let base = Argument(
    "base", "Name of an installed base, or the first 4 or more digits of its signature",
    completion: .bases)

  static let command = Command(
    name: "use",
    summary: "Choose the base that is used when none is named",
    examples: [Example("fmadapter base use 0123456", "By the start of its signature")],
    arguments: [base],
    knownElsewhereAs: ["select", "switch"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let text = invocation.arguments.required(base)
    guard !text.contains("/") else {
      throw invocation.conflict("<base> is the name of an installed base, not a path")
    }
    let chosen = try await Shelf(invocation.terminal).store().useBase(text)
    invocation.terminal.note("\(chosen.name.printable) (\(chosen.signature)) is in use now")
    return .done
  }
}
