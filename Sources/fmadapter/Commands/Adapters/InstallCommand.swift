import AdapterStore
import Adapters
import FoundationEssentials
import JSON
import SystemFiles

/// `install`: brings packages into the store.
enum InstallCommand {
  private static let package = Argument(
    "adapter",
    "A name in the catalogs or of what comes with the program, as NAME or NAME@VERSION; a package's folder, its address, hf:OWNER/REPO, or oci://HOST/REPO",
    arity: .any, completion: .folders)
  private static let locked = Option(
    "--locked", .file, "Install exactly what this file of 'fmadapter lock' names, or nothing")
  private static let force = Flag(
    "--force", "Take a version also where it is older, or has other bytes than the same one here")
  private static let catalog = Option(
    "--catalog", .catalog, "Take names from this catalog of 'fmadapter catalog list'")
  private static let signed = Option(
    "--require-signed", .file, repeats: true,
    "Refuse what no key of this file signed; given several times, any of the keys will do")
  private static let json = Flag(
    "--json", "Print what was installed as JSON; of several adapters one object per line")

  /// The names of those that come with the program.
  private static var bundled: String {
    let names = Bundled.adapterNames
    return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  static let command = Command(
    name: "install",
    summary: "Check an adapter and install it into the store",
    details: [
      """
      The package is checked, copied, checked again and put in place by one rename: an adapter \
      is installed whole or not at all, and one that is in use stays what it was. Installing the \
      same package again changes nothing. Prints the adapter's identifier.
      """,
      """
      A name is looked up in the catalogs of 'fmadapter catalog list'; the newest release that fits \
      the base in use is taken. An identifier means the adapter for its base, whichever is in use. \
      A name that no catalog has may be one of those that come with the program: \(bundled), \
      for the base in use or for another that is installed; where that is neither, the base that \
      it needs is named. \
      An adapter stays with the catalog that it came from; where several offer a new one, say which.
      """,
      """
      Catalogs have a digest of every file. What comes from an address is compared with \
      SHA256SUMS or .sha256 files beside it, with the package's own metadata, and with what the \
      server says of it. A file that nothing vouches for is marked as unverified, and compared \
      when it is installed again; --require-digest refuses it.
      """,
      """
      An interrupted download goes on where it stopped, also in a later installation. Tokens for \
      servers come from one of three places: lines 'https://host TOKEN' of \
      ~/.config/fmadapter/tokens; the variable FMADAPTER_TOKEN, for the one host that the \
      variable FMADAPTER_TOKEN_HOST names, such as models.my-host.example:8443; or standard \
      input. USER:PASSWORD in place of a token is for servers that ask for a name and a \
      password.
      """,
      """
      hf:OWNER/REPO[@REVISION][/FOLDER] is a package on the Hugging Face Hub: the only one of \
      the repository, or the one in that folder. It is fetched from one commit and compared with \
      the hub's digests. The token comes from HF_TOKEN or from where 'hf auth login' keeps it.
      """,
      """
      oci://HOST/REPO[:TAG][@sha256:DIGEST] is a package in an OCI registry; without a tag, that \
      under 'latest'. Its manifest vouches for every file. Logins come from where 'docker login' \
      and 'podman login' keep them, helpers included. Plain http is spoken with this machine alone.
      """,
      """
      --locked installs all of a lock file: every adapter is fetched from its place, compared with its \
      digests and checked before the first is put in place, also over newer versions; other adapters \
      stay. Where FMADAPTER_MIRROR names copies of the catalogs' folders, by a path or an address, or \
      oci://HOST/REPO, all comes from there and nothing else is asked.
      """,
    ],
    examples: [
      Example(
        "fmadapter install playwriting",
        "The newest version that fits, from the catalogs; else the one that comes with the program"),
      Example("fmadapter install playwriting@1.2.0", "A version of it"),
      Example("fmadapter install adapters/afm-9m/playwriting.fmadapter", "A package in a folder"),
      Example("fmadapter install https://host/path/name.fmadapter/", "Download a package"),
      Example("fmadapter install hf:you/adapters/my.fmadapter", "From the Hugging Face Hub"),
      Example("fmadapter install oci://ghcr.io/you/tagging:1.2.0", "From a registry"),
      Example(
        "fmadapter install playwriting --require-signed author.pub", "Only if its author signed it"),
      Example("fmadapter install --locked fmadapter.lock", "Exactly what an application needs"),
      Example(
        "FMADAPTER_HOME=/srv/adapters fmadapter install my.fmadapter", "Into a store elsewhere"),
    ],
    arguments: [package],
    options: [
      locked, force, catalog, signed, NetworkArguments.requireDigest, NetworkArguments.allowHTTP,
      NetworkArguments.tokenFromInput,
      json,
    ],
    knownElsewhereAs: ["add", "pull", "get"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let texts = invocation.arguments.texts(package)
    if let file = invocation.arguments.value(locked) {
      return try await installLocked(file, invocation)
    }
    guard !texts.isEmpty else {
      throw Failure(
        .usage, "nothing to install\(remedy: "name an adapter, or a lock file with --locked")")
    }
    for text in texts { try checkKind(text, invocation) }
    let store = try await NetworkArguments.store(invocation, texts)
    let display = DownloadDisplay(invocation.terminal)
    let policy = try policy(invocation.arguments)
    let chosen = try invocation.arguments.value(catalog).map {
      try Library(invocation.terminal).catalog($0)
    }
    var code = ExitCode.done
    await withTaskGroup(of: (AdapterInstallation?, Failure?).self) { group in
      for text in texts {
        group.addTask {
          do {
            let name = texts.count > 1 ? label(text) : ""
            let result = try await display.following(name) { control in
              let installation = OfferInstallation(invocation.terminal, control)
              return try await install(text, store, installation, from: chosen, policy)
            }
            return (result, nil)
          } catch {
            return (nil, Failure(error))
          }
        }
      }
      for await (result, failure) in group {
        display.finish()
        do {
          if let result { try report(result, isOnly: texts.count == 1, invocation) }
          if let failure { throw failure }
        } catch {
          let failure = Failure(error)
          // Ctrl-C ends all of them, and is told once.
          if code != .interrupted || failure.code != code {
            tell(failure, invocation.terminal)
          }
          if code == .done { code = failure.code }
        }
      }
    }
    return code
  }

  private static func policy(_ arguments: ParsedArguments) throws -> InstallPolicy {
    InstallPolicy(
      replaces: arguments.has(force), requiresDigest: arguments.has(NetworkArguments.requireDigest),
      signers: try arguments.values(signed).map(PublicKey.init(file:)))
  }

  /// Installs all of the lock file at `path`, or nothing.
  private static func installLocked(
    _ path: String, _ invocation: Invocation
  ) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard arguments.texts(package).isEmpty, !arguments.has(force), !arguments.has(catalog) else {
      throw invocation.conflict(
        "--locked says what is installed and from where"
          + "\(remedy: "leave out names, --force and --catalog")")
    }
    let lock = try LockFile(
      parsing: FileSystem.read(path, limit: LockFile.sizeLimit), path: path)
    let named = (terminal.environment["FMADAPTER_MIRROR"] ?? "").trimmed
    let mirror =
      try named.isEmpty
      ? nil : CatalogSource(named, directory: FileManager.default.currentDirectoryPath)
    let asked = mirror.map { [$0.path ?? $0.address] } ?? lock.adapters.map(\.source)
    let store = try await NetworkArguments.store(invocation, asked.filter { !$0.hasPrefix("/") })
    let (display, policy) = (DownloadDisplay(terminal), try policy(arguments))
    defer { display.finish() }
    let results = try await display.following { control in
      try await store.install(
        lock, mirror: mirror, policy: policy, control: control)
    }
    display.finish()
    for result in results { try report(result, isOnly: results.count == 1, invocation) }
    for adapter in results.map(\.adapter) where adapter.yanked != nil {
      terminal.warn(
        "\(adapter.identifier) \(adapter.version) was withdrawn by its publisher"
          + "\(remedy: "look for another version with 'fmadapter update', and lock that")")
    }
    return .done
  }

  /// What tells the progress of one from that of the others.
  private static func label(_ text: String) -> String {
    NetworkArguments.isAddress(text) ? WebAddress.fileName(text) : FilePath.name(of: text)
  }

  private static func install(
    _ text: String, _ store: AdapterStore, _ installation: OfferInstallation,
    from catalog: CatalogSource?, _ policy: InstallPolicy
  ) async throws -> AdapterInstallation {
    if HubReference.isReference(text) {
      return try await store.installAdapter(
        .hub(HubReference(text)), policy: policy, control: installation.control)
    }
    if RegistryReference.isReference(text) {
      return try await store.installAdapter(
        .registry(RegistryReference(text)), policy: policy, control: installation.control)
    }
    if NetworkArguments.isAddress(text) {
      return try await store.installAdapter(
        .url(text), policy: policy, control: installation.control)
    }
    if let request = OfferInstallation.request(text) {
      do {
        return try await installation.run(request, from: catalog, policy, in: store)
      } catch let error as StoreError where error.code == .notInCatalogs {
        let bases = try store.bases().bases.sorted { $0.isCurrent && !$1.isCurrent }
        guard catalog == nil,
          let package = try Bundled.current?.adapter(request, for: bases.map(\.signature))
        else { throw error }
        installation.terminal.note("\(request.name) comes with the program: \(package.path)")
        return try await store.installAdapter(.path(package.path), policy: policy)
      }
    }
    return try await store.installAdapter(.path(text), policy: policy)
  }

  /// Reports a failure; an interruption is none, and what came is not lost.
  private static func tell(_ failure: Failure, _ terminal: Terminal) {
    if failure.code == .interrupted {
      terminal.note("interrupted; the next install goes on from there")
    } else {
      _ = failure.report(terminal)
    }
  }

  private static func report(
    _ result: AdapterInstallation, isOnly: Bool, _ invocation: Invocation
  ) throws {
    let terminal = invocation.terminal
    terminal.report(result)
    if invocation.arguments.has(json) {
      let object = result.adapter.json(result.outcome, replaced: result.replaced)
      if isOnly { try terminal.printJSON(object) } else { try terminal.printJSONLine(object) }
    } else {
      terminal.print(result.adapter.identifier.description)
    }
  }

  /// Mistakes that deserve a better answer than "not a package", and options that mean nothing for what was named.
  private static func checkKind(_ text: String, _ invocation: Invocation) throws {
    try Library.refuseForeign(text)
    let isModel = text.lowercased() == Bundled.baseName && !Library.exists(text)
    if text.hasSuffix(".gguf") || isModel || SuggestedModel.named(text) != nil {
      throw Failure(
        .invalid,
        "\(WebAddress.shown(text)) is a base, not an adapter"
          + "\(remedy: "use 'fmadapter base install'")"
      )
    }
    let isAddress =
      NetworkArguments.isAddress(text) || HubReference.isReference(text)
      || RegistryReference.isReference(text)
    let isName = !isAddress && OfferInstallation.request(text) != nil
    if !isName, invocation.arguments.value(catalog) != nil {
      throw invocation.conflict("--catalog is for names")
    }
    if !isName, !isAddress, invocation.arguments.has(NetworkArguments.requireDigest) {
      throw invocation.conflict("--require-digest is for names and addresses")
    }
  }
}
