import AdapterStore
import Adapters
import SystemFiles

/// `remove`: takes an adapter out of the store.
enum RemoveCommand {
  private static let adapter = Argument(
    "adapter", "Name or identifier of an installed adapter, or a partial as 'list' names it",
    completion: .adapters)

  private static let json = Flag("--json", "Print what was removed as JSON")

  static let command = Command(
    name: "remove",
    summary: "Remove an installed adapter",
    details: ["Only the copy in the store is removed; the folder that it came from stays."],
    examples: [
      Example("fmadapter remove playwriting", "By name"),
      Example(
        "fmadapter remove fmadapter-playwriting-0123456", "By identifier, where a name fits several"
      ),
    ],
    arguments: [adapter],
    options: [json],
    knownElsewhereAs: ["rm", "delete", "uninstall"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let text = invocation.arguments.required(adapter)
    guard !Library.isPath(text) else {
      throw invocation.conflict("<adapter> is the name of an installed adapter, not a path")
    }
    let store = try Library(invocation.terminal).store()
    if text.hasPrefix("partial-") {
      let partials = try store.removePartials(named: text)
      for partial in partials {
        invocation.terminal.note("removed \(text), the download of \(partial.url)")
      }
      try invocation.report(removed: partials.map(\.name))
    } else {
      let identifier = try store.removeAdapter(text)
      invocation.terminal.note("removed \(identifier)")
      try invocation.report(removed: [identifier.description])
    }
    return .done
  }
}
