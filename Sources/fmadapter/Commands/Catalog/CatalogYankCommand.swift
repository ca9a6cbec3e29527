import AdapterStore
import Adapters
import SystemFiles

/// `catalog yank`: versions that nobody should install any more.
enum CatalogYankCommand {
  private static let versions = Argument(
    "version", "A version in it, as NAME@VERSION or IDENTIFIER@VERSION", arity: .several)
  private static let reason = Option(
    "--reason", .text("text"), "Why, as everybody is told who has it or asks for it")
  private static let undo = Flag("--undo", "Take it back")

  static let command = Command(
    name: "yank",
    summary: "Withdraw versions from a catalog's folder, without removing them",
    details: [
      """
      'install' and 'update' pass over a version that is yanked, 'list' and 'doctor' tell those who \
      have it. Its files stay, so that a lock file that names it can be fulfilled. A catalog that is \
      signed needs --sign with its key. Prints the versions.
      """
    ],
    examples: [
      Example(
        "fmadapter catalog yank site playwriting@1.2.0 --reason 'answers in the wrong language'",
        "Withdraw a version"),
      Example("fmadapter catalog yank site playwriting@1.2.0 --undo", "Take that back"),
    ],
    arguments: [CatalogSignCommand.folder, versions],
    options: [reason, undo, CatalogSignCommand.sign, CatalogSignCommand.validity],
    knownElsewhereAs: ["withdraw", "deprecate", "unpublish"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(undo), arguments.has(reason) {
      throw invocation.conflict("--reason is for a version that is withdrawn, not for --undo")
    }
    let requests = try arguments.texts(versions).map { text in
      guard let request = AdapterRequest(text), request.version != nil else {
        throw Failure(
          .usage,
          "'\(text)' names no version\(remedy: "write NAME@VERSION, such as playwriting@1.2.0")")
      }
      return request
    }
    let publisher = try CatalogSignCommand.publisher(arguments)
    let changed = try publisher.yank(
      requests, for: arguments.has(undo) ? nil : arguments.value(reason) ?? "")
    if changed.isEmpty { terminal.note("nothing was to change") }
    for (identifier, version) in changed { terminal.print("\(identifier)@\(version)") }
    return .done
  }
}
