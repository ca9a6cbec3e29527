import AdapterStore
import JSON
import SystemFiles

/// `catalog push`: a catalog's folder in a registry.
enum CatalogPushCommand {
  private static let target = Argument("reference", "Where to: oci://HOST/REPO[:TAG]")
  private static let json = Flag("--json", "Print what was sent as JSON")

  static let command = Command(
    name: "push",
    summary: "Send a catalog's folder to an OCI registry",
    details: [
      """
      Sends every file that the registry has not, then one manifest that names all of them by their \
      paths, under the TAG, else 'latest': readers find the catalog as it was, or as it is. 'fmadapter \
      catalog add oci://HOST/REPO' reads it there, its signature included, and installs from it; 'oras \
      pull' gives the folder back. Logins come from where 'docker login' and 'podman login' keep them. \
      Prints the address with the digest.
      """
    ],
    examples: [
      Example("fmadapter catalog push site oci://ghcr.io/you/adapters", "A folder of 'publish'")
    ],
    arguments: [CatalogSignCommand.folder, target],
    options: [json],
    knownElsewhereAs: ["upload", "deploy"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let reference = try RegistryReference(arguments.required(target))
    guard reference.digest == nil else {
      throw invocation.conflict(
        "the digest follows from the catalog\(remedy: "leave out @sha256:…, or give a tag")")
    }
    let store = try await NetworkArguments.store(invocation, [reference.description])
    let display = DownloadDisplay(terminal)
    defer { display.finish() }
    let push = try await store.push(
      catalog: arguments.required(CatalogSignCommand.folder), to: reference
    ) { display.show($0.file, $0) }
    display.finish()
    terminal.note(
      "\(Figures.count(push.versions, "version")), \(Figures.size(push.size)), of which "
        + "\(Figures.size(push.sent)) were sent")
    try invocation.report(
      JSONValue.object([
        "reference": .string(push.reference.description), "versions": .integer(push.versions),
        "size": .integer(push.size), "sent": .integer(push.sent),
      ])
    ) { terminal.print(push.reference.description) }
    return .done
  }
}
