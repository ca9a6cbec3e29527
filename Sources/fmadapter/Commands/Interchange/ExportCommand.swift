import AdapterStore
import Adapters
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// `export`: an adapter for other programs.
enum ExportCommand {
  private static let adapter = Argument(
    "adapter",
    "The name of an installed adapter, or a package's path; none for vllm, which takes all of a base",
    arity: .optional, completion: .adapters)
  private static let form = Option(
    "--to", .word("form", ["peft", "gguf", "mlx", "fmadapter", "vllm"]),
    "peft: a folder for Hugging Face's PEFT; gguf: a LoRA for llama.cpp; mlx: a folder for mlx-lm; fmadapter: a package; vllm: all adapters of a base, for vLLM"
  )
  static let output = Option(
    "--output", short: "-o", .file, "The folder or file to write; it appears complete or not at all"
  )
  private static let type = Option(
    "--type", .word("type", ["f16", "f32"]),
    "How gguf stores the factors (default: f32, because llama.cpp rounds what it multiplies with f16)"
  )
  static let baseModel = Option(
    "--base-model", .text("model"),
    "What programs of PEFT load the base by, a repository of the hub or a folder (default: what the base was made of, where that is known)"
  )
  static let locked = Flag(
    "--locked",
    "With --to vllm: the cluster installs exactly the versions that are installed now, by a lock file"
  )
  static let slots = Option(
    "--slots", .integer(1...1024),
    "Adapters that vLLM computes with at once (default: as many as there are, 4 at most)")
  private static let force = Flag("--force", "Replace an earlier export")
  private static let json = Flag("--json", "Print what was written as JSON")

  static let command = Command(
    name: "export",
    summary: "Export an adapter for PEFT, mlx-lm or llama.cpp",
    details: [
      """
      The numbers of the adapter stay the same to the bit, in half precision; names, shapes and \
      the order of rotary rows become those of the other program. The base says which they are: \
      it must be installed, or given with --base. Bases of afm have names in GGUF alone.
      """,
      """
      vllm writes a folder with all installed adapters of --base, or of the base in use, each in \
      the form of PEFT under its name, where vLLM finds them without being told; a script that starts vLLM over it; and \
      manifests for Kubernetes. Run again, it brings the folder up to date: what has changed is \
      replaced by one rename, what is no longer installed is removed, and all else stays.
      """,
    ],
    examples: [
      Example(
        "fmadapter export playwriting --to gguf -o playwriting.gguf",
        "An installed one, also for the base that comes with the program"),
      Example(
        "fmadapter export ./mine.fmadapter --to peft -o mine-peft",
        "For Hugging Face's PEFT, where the base is one of the hub's"),
      Example(
        "fmadapter export ./mine.fmadapter --to mlx -o mine-mlx", "For mlx-lm: --adapter-path"),
      Example(
        "fmadapter export ./mine.fmadapter --to gguf -o mine.gguf",
        "For llama.cpp: llama-cli --lora"),
      Example(
        "fmadapter export --to vllm -o served --base-model Qwen/Qwen3-0.6B",
        "All adapters of the base in use, for vLLM: sh served/serve.sh"),
    ],
    arguments: [adapter],
    options: [
      form, output, ModelOptions.baseOfAdapter, baseModel, slots, locked, type, force, json,
    ],
    knownElsewhereAs: ["save"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let name = try invocation.needed(
      form, "--to peft, --to gguf, --to mlx, --to fmadapter or --to vllm")
    let path = try invocation.needed(output, name == "gguf" ? "-o <file>" : "-o <folder>")
    guard name == "gguf" || arguments.value(type) == nil else {
      throw invocation.conflict("--type is for gguf: the other forms have f16")
    }
    try check(name, invocation)
    if name == "vllm" { return try await VLLMExport(invocation).run(path) }
    guard let form = ForeignForm(rawValue: name) else { return try await copy(path, invocation) }
    let library = Library(terminal)
    let loaded = try await library.adapter(
      arguments.text(adapter) ?? "", base: arguments.value(ModelOptions.baseOfAdapter))
    defer { withExtendedLifetime(loaded.leases) {} }
    var export = try ExportedAdapter(loaded.adapter, for: loaded.base, as: form)
    if form == .peft {
      export.baseModel =
        arguments.value(baseModel) ?? library.origin(ofBase: loaded.basePath)?.model
    }
    try Task.checkCancellation()
    try export.write(
      to: path, replacing: arguments.has(force), storesHalves: arguments.value(type) == "f16")
    terminal.note(
      "\(Figures.count(export.moduleCount, "projection")) of rank \(loaded.adapter.rank), for \(form.title)"
    )
    if form == .gguf, loaded.base.contract.architecture == "afm" {
      terminal.warn("llama.cpp does not run bases of afm; this program takes the file back")
    } else if form == .gguf {
      noteServing(path, over: loaded.basePath, terminal)
    }
    return invocation.report(written: path) {
      [
        "form": .string(form.rawValue),
        "identifier": .string(loaded.adapter.identifier.description),
        "projections": .integer(export.moduleCount), "rank": .integer(loaded.adapter.rank),
        "alpha": .decimal(loaded.adapter.alpha),
      ]
    }
  }
}

extension ExportCommand {
  /// Refuses what the form does not have, and an adapter that is missing or one too many.
  private static func check(_ form: String, _ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let isServed = form == "vllm"
    if arguments.has(locked), !isServed {
      throw invocation.conflict("--locked is for vllm: other forms have one adapter")
    }
    if arguments.has(slots), !isServed {
      throw invocation.conflict("--slots is for vllm: other forms have one adapter")
    }
    if arguments.has(baseModel), !isServed, form != "peft" {
      throw invocation.conflict("--base-model is for peft and vllm: other forms name no base")
    }
    guard (arguments.text(adapter) == nil) == isServed else {
      throw invocation.conflict(
        isServed
          ? "vllm takes all installed adapters of a base\(remedy: "leave the adapter out")"
          : "an adapter is needed\(remedy: "give its name, or the path of a package")")
    }
  }

  /// How llama.cpp's server is started with the file, and what goes wrong without two settings of each request.
  private static func noteServing(_ path: String, over base: String, _ terminal: Terminal) {
    terminal.note("serve it: llama-server -m \(base.shellWord) --lora \(path.shellWord)")
    terminal.warn(
      "llama-server uses all adapters that it was started with at once, and what one of them has read for another"
        + "\(remedy: "send \"lora\": [{\"id\": 0, \"scale\": 1}] and \"cache_prompt\": false with each request")"
    )
  }

  /// Writes the package itself, as installed ones are kept in the store.
  private static func copy(_ path: String, _ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let library = Library(terminal)
    let (written, base) = try await library.reading([arguments.text(adapter) ?? ""]) { packages in
      let base = try await library.contract(
        for: packages[0], stated: arguments.value(ModelOptions.baseOfAdapter))
      let written = try AdapterWriter.copy(
        packages[0], to: path, replacing: arguments.has(force), for: base)
      return (written, base)
    }
    return try invocation.report(written: written) {
      let info = try AdapterInfo(package: written, base: base, depth: .usability)
      return [
        "form": .string("fmadapter"),
        "identifier": .string(info.metadata.adapterIdentifier.description),
        "rank": .integer(info.rank), "alpha": .decimal(info.alpha),
      ]
    }
  }
}

extension Library {
  /// The file of the base that `stated` names, or of the installed one that the package at `package` is for.
  func basePath(_ stated: String?, of package: String) async throws -> String {
    if let stated { return try await basePath(stated) }
    return try await installedBase(neededBy: package).path
  }

  /// An adapter with the base that says what its tensors are.
  struct BasedAdapter {
    let path: String
    let adapter: Adapter
    let base: ExchangeBase
    let basePath: String
    let leases: [StoreLease]
  }

  /// Opens the adapter that `text` names, for the base that `stated` names or the installed one that it is for.
  func adapter(_ text: String, base stated: String?) async throws -> BasedAdapter {
    try await reading([text]) { paths in
      let path = paths[0]
      let model = try BaseModel(path: try await basePath(stated, of: path))
      let base = try ExchangeBase(model)
      try checkSignature(of: path, base.contract)
      return BasedAdapter(
        path: path, adapter: try Adapter(package: path, for: base.contract), base: base,
        basePath: model.path, leases: leases(of: [model.path, path]))
    }
  }
}
