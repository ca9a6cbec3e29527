import AdapterStore
import Adapters

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
    let store = try Shelf(invocation.terminal).store()
    let removed = try await store.removeBase(text)
    invocation.terminal.note("removed \(removed.name.printable) (\(removed.signature))")
    let left = ((try? await store.adapters().adapters) ?? []).count {
      $0.metadata.baseModelSignature == removed.signature
    }
    if left > 0 {
      invocation.terminal.note(
        left == 1
          ? "1 adapter for it is obsolete now; 'fmadapter prune' removes it"
          : "\(left) adapters for it are obsolete now; 'fmadapter prune' removes them")
    }
    return .done
  }
}
