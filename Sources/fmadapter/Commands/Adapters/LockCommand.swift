import AdapterStore
import Adapters
import SystemFiles

/// `lock`: writes down to the byte what an application needs.
enum LockCommand {
  private static let names = Argument(
    "adapter", "Names or identifiers of installed adapters; without any, all of them", arity: .any,
    completion: .adapters)
  private static let output = Option(
    "--output", short: "-o", .file, "Write the lock file here, not to standard output")

  static let command = Command(
    name: "lock",
    summary: "Write down which versions of adapters an application needs",
    details: [
      """
      A lock file has the version of each adapter, the signature of its base, where it is, the \
      catalog that it belongs to, and the digest of every file. 'fmadapter install --locked FILE' \
      installs exactly that, elsewhere or later, or nothing. The same adapters make the same bytes. \
      Keep the file with the application's sources.
      """
    ],
    examples: [
      Example("fmadapter lock playwriting -o fmadapter.lock", "What one application needs"),
      Example("fmadapter install --locked fmadapter.lock", "The same, on another machine"),
    ],
    arguments: [names],
    options: [output],
    knownElsewhereAs: ["freeze", "pin"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try Library(terminal).store()
    let lock = try store.lock(arguments.texts(names))
    if lock.adapters.isEmpty {
      terminal.note(try await Library(terminal).absence())
    }
    for entry in lock.adapters where entry.source.hasPrefix("/") {
      terminal.warn(
        "\(entry.identifier) came from a folder of this machine, \(entry.source)"
          + "\(remedy: "elsewhere it is found only in a mirror, which FMADAPTER_MIRROR names; or install it from a catalog first")"
      )
    }
    let locked = Set(lock.adapters.map(\.identifier))
    for adapter in try store.adapters().adapters
    where adapter.yanked != nil && locked.contains(adapter.identifier) {
      terminal.warn(
        "\(adapter.identifier) \(adapter.version) was withdrawn by its publisher"
          + "\(remedy: "take another version first")")
    }
    if let path = arguments.value(output) {
      try AtomicFile.write(Array(lock.text.utf8), to: path)
      terminal.note("locked \(Figures.count(lock.adapters.count, "adapter")) in \(path)")
    } else {
      lock.text.split(separator: "\n").forEach { terminal.print(String($0)) }
    }
    return .done
  }
}
