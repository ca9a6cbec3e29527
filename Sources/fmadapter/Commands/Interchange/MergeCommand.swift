import AdapterStore
import Adapters
import Interchange
import JSON
import LanguageModels
import SystemFiles
import TensorFiles

/// `merge`: several adapters as one, or adapters as a part of a base.
enum MergeCommand {
  private static let adapters = Argument(
    "adapter", "Installed names, or packages' paths, all for one base", arity: .several,
    completion: .adapters)
  private static let weights = Option(
    "--weights", .weights, "How much of each adapter, in their order (default: 1 for each)")
  private static let rank = Option(
    "--rank", .integer(1...4096),
    "Cut the sum to this rank by singular values (default: keep all ranks)")
  private static let output = Option(
    "--output", short: "-o", .file, "The package to write, or a base where it ends in .gguf")
  private static let force = Flag("--force", "Replace what stands there")
  private static let json = Flag("--json", "Print what was written as JSON")

  /// What a package is told about itself, and a base is not.
  private static let words: [any OptionDeclaration] = [
    PackageOptions.name, PackageOptions.author, PackageOptions.description,
    PackageOptions.license, PackageOptions.version,
  ]

  static let command = Command(
    name: "merge",
    summary: "Merge adapters into one, or into the weights of a base",
    details: [
      """
      The result does what the weighted sum of all adapters would do. A package keeps the \
      components of every adapter, so ranks add up. With --rank the smallest components are cut \
      off; the command says what that loses, as a share of the norm of the sum. Author, licence \
      and version stay if all agree on them; the description of one adapter stays, and that of \
      several names them.
      """,
      """
      If the output ends in .gguf, the updates become part of the base's weights. Every tensor \
      keeps its type, so quantized weights are quantized again, and the command says what that \
      loses of the change: over weights of four bits it may be most. The result is another base \
      with a signature of its own; adapters for the old one do not run on it.
      """,
    ],
    examples: [
      Example(
        "fmadapter merge playwriting my.fmadapter --weights 0.7,0.3 -o both.fmadapter",
        "Two adapters as one"),
      Example(
        "fmadapter merge playwriting my.fmadapter -o small.fmadapter --rank 2",
        "Their sum, cut to rank 2"),
      Example("fmadapter merge playwriting -o merged.gguf", "A base that needs no adapter"),
    ],
    arguments: [adapters],
    options: [weights, rank, output, ModelOptions.baseOfAdapter] + words + [force, json],
    knownElsewhereAs: ["fuse", "combine"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let arguments = invocation.arguments
    let path = try invocation.needed(output, "-o <package> or -o <file>.gguf")
    let texts = arguments.texts(adapters)
    let factors = arguments.value(weights) ?? texts.map { _ in 1 }
    guard factors.count == texts.count else {
      throw invocation.conflict(
        "--weights has \(factors.count) for \(Figures.count(texts.count, "adapter"))")
    }
    return path.hasSuffix(".gguf")
      ? try await writeBase(path, texts, factors, invocation)
      : try await writePackage(path, texts, factors, invocation)
  }

  private static func writePackage(
    _ path: String, _ texts: [String], _ factors: [Double], _ invocation: Invocation
  ) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    try PackageName.check(path, replaces: arguments.has(force))
    let library = Library(terminal)
    var parts: [(adapter: Adapter, weight: Double)] = []
    for (text, factor) in zip(texts, factors) {
      let package = try await library.packagePath(text)
      let base = try await library.contract(
        for: package, stated: arguments.value(ModelOptions.baseOfAdapter))
      parts.append((try Adapter(inspecting: package, base: base), factor))
    }
    let name = try PackageName.checked(
      arguments.value(PackageOptions.name) ?? PackageName.of(path),
      parts[0].adapter.metadata.baseModelSignature,
      invocation)
    let progress = ProgressLine("merge", terminal)
    defer { progress.finish() }
    let merger = try AdapterMerger(
      parts, rank: arguments.value(rank),
      progress: { progress.update(done: $0, total: $1, "layer \($0)") },
      isCancelled: { Task.isCancelled })
    progress.finish()
    let sources = parts.map { part in
      JSONValue.object([
        "identifier": .string(part.adapter.identifier.description),
        "weight": .decimal(part.weight), "weightsSHA256": .string(part.adapter.contentHash),
      ])
    }
    let written = try merger.write(
      name: name, author: arguments.value(PackageOptions.author),
      description: arguments.value(PackageOptions.description),
      license: arguments.value(PackageOptions.license),
      version: arguments.value(PackageOptions.version),
      trainedOn: .object(["merged": .array(sources)]), to: path, replacing: arguments.has(force))
    terminal.note("\(Figures.count(parts.count, "adapter")), rank \(merger.rank)")
    if let loss = merger.loss {
      terminal.note(
        "cutting lost \(percent(loss.total)) of the norm, most in \(loss.worstName): \(percent(loss.worst))"
      )
    }
    merger.remarks.forEach(terminal.note)
    return invocation.report(written: written) {
      [
        "rank": .integer(merger.rank), "alpha": .decimal(merger.alpha),
        "lost": merger.loss.map { .decimal($0.total) } ?? .null,
        "mostLost": merger.loss.map { .decimal($0.worst) } ?? .null,
        "remarks": .array(merger.remarks.map(JSONValue.string)),
      ]
    }
  }

  private static func percent(_ share: Double) -> String { Figures.fixed(100 * share, 2) + " %" }

  private static func writeBase(
    _ path: String, _ texts: [String], _ factors: [Double], _ invocation: Invocation
  ) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard arguments.value(rank) == nil else {
      throw invocation.conflict("--rank is for packages: a base takes the whole sum")
    }
    if let word = words.first(where: { arguments.options[$0.name] != nil }) {
      throw invocation.conflict("\(word.name) is for packages: a base keeps what it says of itself")
    }
    if !arguments.has(force), try FileSystem.info(path) != nil {
      throw Failure(
        .usage, "\(path): exists already\(remedy: "give another path, or --force to replace it")")
    }
    let library = Library(terminal)
    var (parts, leases): ([(adapter: Adapter, weight: Double)], [StoreLease]) = ([], [])
    let place = try await library.basePath(
      arguments.value(ModelOptions.baseOfAdapter), of: library.packagePath(texts[0]))
    let model = try BaseModel(path: place)
    let contract = try model.contract()
    for (text, factor) in zip(texts, factors) {
      let package = try await library.packagePath(text)
      try library.checkSignature(of: package, contract)
      parts.append((try Adapter(package: package, for: contract), factor))
      leases += library.leases(of: [package])
    }
    leases += library.leases(of: [place])
    defer { withExtendedLifetime(leases) {} }
    let merged = try MergedBase(parts, into: model)
    let progress = ProgressLine("merge", terminal)
    defer { progress.finish() }
    let lost = try merged.write(
      to: path, progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
      isCancelled: { Task.isCancelled })
    progress.finish()
    if !merged.types.allSatisfy({ ["F32", "F16", "BF16"].contains($0) }) {
      terminal.warn(
        "the changed weights were quantized again, to \(merged.types.joined(separator: ", ")), which lost \(percent(lost)) of the norm of the change\(remedy: "merge into a base of finer weights, or keep the adapter beside it, where that is too much")"
      )
    }
    let file = try GGUFFile(path: path)
    terminal.note("wrote \(path) (\(Figures.size(file.size)))")
    return invocation.report(written: path) {
      [
        "signature": .string(BaseSignature.compute(file)),
        "types": .array(merged.types.map(JSONValue.string)), "lost": .decimal(lost),
      ]
    }
  }
}

extension ValueType where Value == [Double] {
  /// Numbers separated by commas.
  fileprivate static var weights: Self {
    Self(placeholder: "numbers", expectation: "numbers separated by commas, such as 0.7,0.3") {
      let texts = $0.split(separator: ",", omittingEmptySubsequences: false)
      let values = texts.compactMap { Double($0.filter { $0 != " " }) }
      return values.count == texts.count && values.allSatisfy { $0.isFinite && abs($0) <= 100 }
        ? values : nil
    }
  }
}
