import AdapterStore
import Adapters
import FoundationEssentials
import Interchange
import JSON
import SystemFiles

/// `publish`: makes a folder of packages into a catalog, sends one to a registry, or writes what the hub takes.
enum PublishCommand {
  private static let folder = Argument(
    "target",
    "The catalog's folder, to be served as it is, made when it is not there; or oci://HOST/REPO[:TAG]",
    completion: .folders)
  private static let packages = Argument(
    "package", "A package, a folder of packages, or the name of an installed adapter",
    arity: .several, completion: .adapters)
  private static let version = Option(
    "--package-version", .version, "Version for packages whose metadata states none")
  private static let replace = Flag(
    "--replace", "Replace the bytes of a version that is published already")
  private static let sign = Option(
    "--sign", .file, "Sign the packages and the catalog with the private key in this file")
  private static let source = Option(
    "--source", .text("address"),
    "Where the package is made, as a registry shows it, such as its repository")
  private static let form = Option(
    "--to", .word("form", ["hf-folder"]),
    "hf-folder: a repository of the Hugging Face Hub, with the package, PEFT's files and a model card"
  )
  private static let baseModel = Option(
    "--base-model", .text("model"),
    "With --to hf-folder: the base's repository on the hub (default: what it was made of, where that is known)"
  )
  private static let json = Flag("--json", "Print what was published as JSON")

  static let command = Command(
    name: "publish",
    summary: "Publish packages as a catalog, to a registry, or for the hub",
    details: [
      """
      Every package is checked before anything is written. Versions that are in the folder \
      already stay, and the same packages make the same bytes, whenever and in whatever order. A \
      package states its version in metadata.json as creatorDefined.fmadapter.version.
      """,
      """
      Any web server can serve the folder as static files; with byte ranges, interrupted \
      downloads can go on. The folder of a version's files is named by their digests, so caches \
      may keep them for ever ('Cache-Control: max-age=31536000, immutable'), but neither \
      index.json nor index.signed.json ('Cache-Control: no-cache').
      """,
      """
      With --sign each package is published with a signature, the file model.sig, by a key of \
      'fmadapter sign'; the package itself is not changed. A version that was published without \
      one needs --replace. The signatures that packages have are published with them. The catalog \
      is signed, too, as 'fmadapter catalog sign' says, and from then on needs --sign.
      """,
      """
      oci://HOST/REPO sends one package to an OCI registry: one layer a file, under the \
      package's version and 'latest', or under the TAG that is given. What the registry has \
      already is not sent again, and a tag that is a version keeps its bytes unless --replace. \
      Logins come from where 'docker login' and 'podman login' keep them. Prints the address \
      with the digest, which names these bytes for ever.
      """,
      """
      --to hf-folder writes a folder to upload as a repository, as with 'hf upload OWNER/REPO \
      FOLDER': the package, the same adapter for PEFT, and a model card with its licence, its base \
      and the figures of 'eval'. It needs the base that the adapter is for. 'fmadapter install \
      hf:OWNER/REPO' takes it back.
      """,
    ],
    examples: [
      Example(
        "fmadapter publish /var/www/adapters my.fmadapter", "One package into the served folder"),
      Example("fmadapter publish site adapters/afm-9m", "All packages of a folder"),
      Example("fmadapter publish site my.fmadapter --sign key.pem", "With a signature"),
      Example("fmadapter publish site old.fmadapter --package-version 1.1.0", "With a version"),
      Example(
        "fmadapter publish --to hf-folder upload tagging", "A folder for the Hugging Face Hub"),
      Example("fmadapter publish oci://ghcr.io/you/tagging tagging", "To a registry"),
    ],
    arguments: [folder, packages],
    options: [
      form, version, replace, sign, CatalogSignCommand.validity, source, ModelOptions.baseOfAdapter,
      baseModel, json,
    ],
    knownElsewhereAs: ["push", "upload", "release"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let isForRegistry = RegistryReference.isReference(arguments.required(folder))
    if arguments.has(CatalogSignCommand.validity), !arguments.has(sign) {
      throw invocation.conflict("--valid-for is for a catalog that is signed with --sign")
    }
    if arguments.has(sign), isForRegistry || arguments.has(form) {
      throw invocation.conflict(
        "--sign is for a catalog's folder"
          + "\(remedy: "sign the package with 'fmadapter sign': its signature goes with it")")
    }
    if arguments.has(form) { return try await writeHubFolder(invocation) }
    for option in [ModelOptions.baseOfAdapter, baseModel] as [any OptionDeclaration]
    where arguments.has(option) {
      throw invocation.conflict("\(option.name) is for --to hf-folder")
    }
    if isForRegistry {
      return try await send(to: RegistryReference(arguments.required(folder)), invocation)
    }
    if arguments.has(source) { throw invocation.conflict("--source is for registries") }
    var publisher = CatalogPublisher(directory: arguments.required(folder))
    publisher.defaultVersion = arguments.value(version)
    publisher.replaces = arguments.has(replace)
    publisher.signer = try arguments.value(sign).map(PrivateKey.init(file:))
    if let validity = arguments.value(CatalogSignCommand.validity) {
      publisher.validity = validity.inSeconds
    }
    let prepared = publisher
    let publications = try await Library(terminal).reading(
      arguments.texts(packages), find: { try await path($0, terminal) }
    ) { paths in
      if let given = arguments.value(version) { try check(given, paths, invocation) }
      return try prepared.publish(paths)
    }
    for publication in publications { report(publication, terminal) }
    if arguments.has(json) { try terminal.printJSON(publications.map(\.json)) }
    return .done
  }

  private static func writeHubFolder(_ invocation: Invocation) async throws -> ExitCode {
    let arguments = invocation.arguments
    if arguments.has(version) || arguments.has(source) {
      throw invocation.conflict("--package-version and --source are for catalogs and registries")
    }
    guard arguments.texts(packages).count == 1 else {
      throw invocation.conflict(
        "a repository has one adapter\(remedy: "write each to a folder of its own")")
    }
    let library = Library(invocation.terminal)
    let loaded = try await library.adapter(
      arguments.texts(packages)[0], base: arguments.value(ModelOptions.baseOfAdapter))
    defer { withExtendedLifetime(loaded.leases) {} }
    var export = try ExportedAdapter(loaded.adapter, for: loaded.base, as: .peft)
    export.baseModel =
      arguments.value(baseModel) ?? library.origin(ofBase: loaded.basePath)?.model
    let target = HubFolder(
      export: export, metadata: loaded.adapter.metadata, package: loaded.path)
    let path = arguments.required(folder)
    try target.write(
      to: path, replacing: arguments.has(replace), for: loaded.base.contract)
    if export.baseModel == nil {
      invocation.terminal.warn(
        "the card names no base\(remedy: "give its repository on the hub with --base-model")")
    }
    return invocation.report(written: path) {
      [
        "form": .string("hf-folder"),
        "identifier": .string(loaded.adapter.identifier.description),
      ]
    }
  }

  private static func send(
    to reference: RegistryReference, _ invocation: Invocation
  ) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard reference.digest == nil else {
      throw invocation.conflict(
        "the digest follows from the package\(remedy: "leave out @sha256:…, or give a tag")")
    }
    guard arguments.texts(packages).count == 1 else {
      throw invocation.conflict(
        "a repository has one package under a tag"
          + "\(remedy: "publish each to a repository of its own")")
    }
    var policy = RegistryPolicy()
    policy.defaultVersion = arguments.value(version)
    policy.replaces = arguments.has(replace)
    policy.source = arguments.value(source)
    let store = try await NetworkArguments.store(invocation, [reference.description])
    let (display, prepared) = (DownloadDisplay(terminal), policy)
    let publication = try await Library(terminal).reading(
      arguments.texts(packages), find: { try await path($0, terminal) }
    ) { paths in
      if let given = arguments.value(version) { try check(given, paths, invocation) }
      defer { display.finish() }
      return try await store.publish(paths[0], to: reference, prepared) {
        display.show($0.file, $0)
      }
    }
    report(
      publication.identifier, publication.version, publication.report, publication.outcome,
      "\(Figures.size(publication.size)), of which \(Figures.size(publication.sent)) were sent",
      terminal)
    if arguments.has(json) {
      try terminal.printJSON([publication.json])
    } else {
      terminal.print(publication.reference.description)
    }
    return .done
  }

  /// Refuses a version that no package would get, as all of them state others.
  private static func check(
    _ version: AdapterVersion, _ paths: [String], _ invocation: Invocation
  ) throws {
    let stated = paths.map { (try? Library.metadata(of: $0))?.statedSettings?.version }
    guard let first = stated.first, let own = first,
      stated.allSatisfy({ $0 != nil && $0 != version })
    else { return }
    throw invocation.conflict(
      "--package-version is for packages that state none, and \(paths[0]) states \(own)"
        + "\(remedy: "leave it out, or change creatorDefined.fmadapter.version in its metadata.json")"
    )
  }

  /// A path that is there wins over the name of an installed adapter.
  private static func path(_ text: String, _ terminal: Terminal) async throws -> String {
    if Library.exists(text) {
      try Library.refuseForeign(text)
      return text
    }
    return try await Library(terminal).packagePath(text)
  }

  private static func report(_ publication: CatalogPublisher.Publication, _ terminal: Terminal) {
    report(
      publication.identifier, publication.version, publication.report, publication.outcome,
      Figures.size(publication.size), terminal)
  }

  private static func report(
    _ identifier: AdapterIdentifier, _ version: AdapterVersion, _ check: CheckReport,
    _ outcome: CatalogPublisher.Outcome, _ size: String, _ terminal: Terminal
  ) {
    let title = "\(identifier) \(version)"
    for finding in check.warnings.map(\.inCommand) {
      terminal.warn("\(title): \(finding.message)", remedy: finding.remedy)
    }
    if version == .unstated {
      terminal.warn(
        "\(title): the package states no version"
          + "\(remedy: "give it one with --package-version, so that later versions are found as updates")"
      )
    }
    switch outcome {
    case .added: terminal.note("added \(title) (\(size))")
    case .replaced: terminal.note("replaced \(title) (\(size))")
    case .unchanged: terminal.note("\(title) is there already")
    }
  }
}

extension CatalogPublisher.Publication {
  /// The published package as `--json` prints it.
  fileprivate var json: JSONValue {
    .object([
      "identifier": .string(identifier.description), "version": .string(version.description),
      "outcome": .string(outcome.rawValue), "size": .integer(size), "path": .string(path),
    ])
  }
}

extension RegistryPublication {
  /// The published package as `--json` prints it.
  fileprivate var json: JSONValue {
    .object([
      "identifier": .string(identifier.description), "version": .string(version.description),
      "outcome": .string(outcome.rawValue), "size": .integer(size), "sent": .integer(sent),
      "tags": .array(tags.map(JSONValue.string)), "reference": .string(reference.description),
    ])
  }
}
