import Adapters
import FoundationEssentials
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// `import`: a package from an adapter of another program.
enum ImportCommand {
  private static let source = Argument(
    "path", "A folder of PEFT or mlx-lm, a LoRA in GGUF, or an adapter-final.pt of Apple's toolkit",
    completion: .files)
  private static let output = Option(
    "--output", short: "-o", .folder,
    "The package to write; .fmadapter is added if need be (default: here, by the source's name)"
  )
  private static let force = Flag("--force", "Replace the package when it exists")
  private static let json = Flag("--json", "Print what was written as JSON")

  static let command = Command(
    name: "import",
    summary: "Import an adapter of another program as a package",
    details: [
      """
      The format is recognised by what is there. Ranks and alphas that differ by module, and \
      rsLoRA, become the one rank and scale of a package: a lower rank is filled with zeros, \
      another scale is multiplied into B. A factor that is too small for half precision gets a \
      power of two from the other one, which changes no update. What a package cannot express is \
      refused by name: DoRA, biases, modules that were saved whole, changes of embeddings, the \
      output head or experts. A tensor that the base has no place for is an error.
      """,
      """
      The base says which layers there are: the one in use, or --base. Nothing in the files \
      proves that the adapter was trained on it; only shapes and names must fit. An \
      adapter-final.pt is for Apple's own base unless --base says otherwise.
      """,
    ],
    examples: [
      Example("fmadapter import my-lora", "A folder of PEFT or mlx-lm, as my_lora.fmadapter"),
      Example("fmadapter import lora.gguf -o helper.fmadapter", "A LoRA of llama.cpp"),
      Example(
        "fmadapter import my-lora --base base.gguf -o mine.fmadapter",
        "For another base than the one in use"),
    ],
    arguments: [source],
    options: [
      output, ModelOptions.base, PackageOptions.name, PackageOptions.author,
      PackageOptions.description, PackageOptions.license, PackageOptions.version, force, json,
    ],
    knownElsewhereAs: ["export_fmadapter"],
    optionsKnownElsewhere: [
      "--checkpoint": "its path is a word by itself", "--adapter-name": "--name",
      "--output-dir": "--output",
    ],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = arguments.required(source)
    guard Library.exists(path) else {
      throw Failure(.notFound, "\(path): there is nothing\(remedy: "give the path of an adapter")")
    }
    let form = try ForeignForm(of: path)
    let stated = arguments.value(ModelOptions.base)
    let model =
      form == .toolkit && stated == nil
      ? nil : try BaseModel(path: try await Library(terminal).basePath(stated))
    let base = try model.map(ExchangeBase.init) ?? .apple
    let package = arguments.value(output) ?? PackageName.usual(for: path)
    try PackageName.check(package, replaces: arguments.has(force))
    let name = try PackageName.checked(
      arguments.value(PackageOptions.name) ?? PackageName.of(package), base.contract.signature,
      invocation)
    let adapter = try ImportedAdapter(path: path, for: base)
    try Task.checkCancellation()
    let written = try adapter.write(
      name: name, author: arguments.value(PackageOptions.author) ?? "",
      description: arguments.value(PackageOptions.description) ?? "",
      license: arguments.value(PackageOptions.license) ?? "",
      version: arguments.value(PackageOptions.version), to: package, replacing: arguments.has(force)
    )
    terminal.note("\(form.title), rank \(adapter.rank), alpha \(Figures.short(adapter.alpha))")
    for remark in adapter.remarks { terminal.note(remark) }
    // What the folder has besides is no reason to refuse its adapter.
    if let model, Library.isFolder(path), (try? model.hasOtherTemplate(than: path)) == true {
      terminal.warn(
        "\(path) has another chat template than the base, so that prompts may look otherwise than when it was trained"
          + "\(remedy: "put that template into the model's folder as chat_template.jinja, and convert it again")"
      )
    }
    return invocation.report(written: written) {
      [
        "form": .string(form.rawValue),
        "identifier": .string("fmadapter-\(name)-\(base.contract.signature.prefix(7))"),
        "baseModelSignature": .string(base.contract.signature), "rank": .integer(adapter.rank),
        "alpha": .decimal(adapter.alpha),
        "remarks": .array(adapter.remarks.map(JSONValue.string)),
      ]
    }
  }
}
