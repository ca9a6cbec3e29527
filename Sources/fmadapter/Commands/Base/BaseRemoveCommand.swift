import AdapterStore

/// `base remove`: takes a base out of the store.
enum BaseRemoveCommand {
  private static let base = Argument(
    "base", "Name of an installed base, or the first 4 or more digits of its signature",
    completion: .bases)

  static let command = Command(
    name: "remove",
    summary: "Remove an installed base",
    details: ["Its adapters stay; they cannot run until a base with the same signature is back."],
    examples: [Example("fmadapter base remove 0123456", "By the start of its signature")],
    arguments: [base],
    knownElsewhereAs: ["rm", "delete", "uninstall"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let text = invocation.arguments.required(base)
    guard !text.contains("/") else {
      throw invocation.conflict("<base> is the name of an installed base, not a path")
    }
    let removed = try await Shelf(invocation.terminal).store().removeBase(text)
    invocation.terminal.note("removed \(removed.name.printable) (\(removed.signature))")
    return .done
  }
}
