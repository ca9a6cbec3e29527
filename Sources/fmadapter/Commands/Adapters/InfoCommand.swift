import AdapterStore
import Adapters
import JSON
import SystemFiles

/// `info`: what an adapter is, before it is trusted.
enum InfoCommand {
  private static let package = Argument(
    "package", "The name of an installed adapter, or a package's path", completion: .adapters)
  private static let json = Flag("--json", "Print everything as JSON")

  static let command = Command(
    name: "info",
    summary: "Preview an adapter: base, shapes, norms, digests, author",
    examples: [
      Example("fmadapter info playwriting", "An installed adapter"),
      Example("fmadapter info ~/Downloads/my.fmadapter --json", "A package, for a script"),
    ],
    arguments: [package],
    options: [json],
    knownElsewhereAs: ["show", "inspect", "preview"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let library = Library(terminal)
    let text = arguments.required(package)
    let path = try await library.packagePath(text)
    let store = try? library.store()
    let installed = Library.isPath(text) ? nil : try store?.adapter(named: text)
    let unverified = installed?.receipt?.unverified ?? []
    let compilation = installed.flatMap { store?.compilation(of: $0) }
    let info = try AdapterInfo(package: path, base: try await library.contract(for: path))
    if arguments.has(json) {
      try terminal.printJSON(
        InstalledInfo(
          info: info, unverified: unverified.map(\.path), compilation: compilation))
    } else {
      info.lines(columns: terminal.columns, unicode: terminal.showsUnicode)
        .forEach(terminal.print)
      if let compilation {
        terminal.print("")
        terminal.print(Line("Compiled for this machine", .bold))
        terminal.print(compilation.facts(margin: "  "))
      }
      if !unverified.isEmpty {
        terminal.print("")
        terminal.print(Line("Unverified", .bold))
      }
      for file in unverified {
        terminal.print("  \(file.path): nothing vouched for it when it was fetched")
      }
    }
    return .done
  }
}

/// The preview of an adapter, what of it nothing vouches for, and what was measured of it here.
private struct InstalledInfo: Encodable {
  let info: AdapterInfo
  let unverified: [String]
  let compilation: Compilation?

  private enum Key: CodingKey { case unverified, compilation }

  func encode(to encoder: any Encoder) throws {
    try info.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(unverified, forKey: .unverified)
    try container.encodeIfPresent(compilation, forKey: .compilation)
  }
}

extension AdapterInfo {
  /// The preview of an adapter: what it is, how much it changes where, and what its author says.
  func lines(columns: Int, unicode: Bool) -> [Line] {
    var lines = facts.lines(columns: columns)
    lines += ["", Line("Norm of the change, one bar per layer", .bold)]
    lines += chart(columns: columns, unicode: unicode)
    lines += ["", Line("Files", .bold)] + fileLines(columns: columns)
    let creator = creatorFacts.lines(columns: columns)
    if !creator.isEmpty { lines += ["", Line("The author says", .bold)] + creator }
    return lines
  }

  private var facts: FactList {
    var facts = FactList()
    facts.add("name", metadata.adapterIdentifier.name)
    facts.add("identifier", metadata.adapterIdentifier.description)
    facts.add("base", metadata.baseModelSignature)
    facts.add("needs", needs)
    let factor = Figures.fixed(alpha / Double(rank), 3)
    facts.add("rank", "\(rank), alpha \(Figures.short(alpha)), so changes count \(factor) times")
    facts.add("targets", targets.map(\.rawValue).joined(separator: ", "))
    if let invocation = metadata.settings.invocation {
      let tokens = invocation.map(String.init).joined(separator: ", ")
      facts.add("begins", "at the last invocation in a prompt: tokens \(tokens)")
    }
    facts.add("layers", "\(layerCount)")
    facts.add("parameters", Figures.grouped(parameterCount))
    facts.add("size", Figures.size(size))
    facts.add("draft", draftText)
    facts.add("suffixes", suffixText)
    facts.add("signed", signatureText)
    facts.add("author", metadata.author)
    facts.add("description", metadata.description)
    facts.add("licence", metadata.license)
    return facts
  }

  private var draftText: String {
    switch draft {
    case .none: return "none"
    case .apple: return "apple"
    case .gguf: break
    }
    guard let draftModel else { return "gguf" }
    let (count, all) = (draftModel.tokenCount, draftModel.vocabularySize)
    return
      "gguf, \(draftModel.architecture), \(Figures.count(draftModel.parameterCount, "parameter")) in "
      + draftModel.type
      + (count == all
        ? "" : ", proposes \(Figures.grouped(count)) of \(Figures.grouped(all)) tokens")
  }

  /// Empty, and so left out, where there is none.
  private var signatureText: String {
    guard let signature else { return "" }
    let key = signature.key.map { "with the key \($0)" } ?? "with a key that it does not name"
    return "as \(signature.name), by its own word \(key)"
  }

  /// Empty, and so left out, where there are none.
  private var suffixText: String {
    guard let suffixes else { return "" }
    return
      "\(Figures.count(suffixes.textCount, "text")), \(Figures.count(suffixes.tokenCount, "token")), "
      + "the longest \(Figures.grouped(suffixes.longest)), \(Figures.size(suffixes.size))"
  }

  /// One row of bars per target, all to one scale, and a last one for the whole layer.
  private func chart(columns: Int, unicode: Bool) -> [Line] {
    let highest = pairs.compactMap(\.norm).max() ?? 0
    let rows = targets.map { ($0.rawValue, norms(of: $0), highest) }
    let whole = ("whole layer", layerNorms, layerNorms.max() ?? 0)
    let chart = (rows + [whole]).map { name, norms, scale in
      // A layer without this projection has no norm, not a norm of zero.
      let known = norms.filter { $0 > 0 }
      let (low, high) = (known.min() ?? 0, known.max() ?? 0)
      let range = "\(Figures.fixed(low, 3)) to \(Figures.fixed(high, 3))"
      return BarChart.Row(name: name, values: norms, scale: scale, range: range)
    }
    return BarChart.lines(chart, columns: columns, unicode: unicode)
  }

  /// A norm per layer; zero where the layer has no such projection.
  private func norms(of target: LoRATarget) -> [Double] {
    pairs.filter { $0.target == target }.reduce(into: Array(repeating: 0, count: layerCount)) {
      $0[$1.layer] = $1.norm ?? 0
    }
  }

  private func fileLines(columns: Int) -> [Line] {
    files.flatMap { file -> [Line] in
      let head: Line = "  \(file.name)  \(Figures.bytes(file.size))"
      return columns < 80
        ? [head, "    SHA-256", "    \(file.sha256.prefix(32))", "    \(file.sha256.suffix(32))"]
        : [head, "    SHA-256 \(file.sha256)"]
    }
  }

  private var creatorFacts: FactList {
    var facts = FactList()
    for (path, value) in JSONValue.object(metadata.creatorDefined ?? [:]).leaves {
      facts.add("  " + path, value)
    }
    return facts
  }
}

extension JSONValue {
  /// Every scalar with the path of keys that leads to it; a list of scalars counts as one.
  var leaves: [(path: String, text: String)] {
    switch self {
    case .object(let object):
      return object.members.flatMap { member in
        member.value.leaves.map { leaf in
          (leaf.path.isEmpty ? member.key : member.key + "." + leaf.path, leaf.text)
        }
      }
    case .array(let values):
      let texts = values.map(\.leaves)
      guard texts.contains(where: { $0.count != 1 || !$0[0].path.isEmpty }) else {
        return [("", texts.map { $0[0].text }.joined(separator: ", "))]
      }
      return values.enumerated().flatMap { index, value in
        value.leaves.map { ("\(index)" + ($0.path.isEmpty ? "" : ".") + $0.path, $0.text) }
      }
    case .string(let text): return [("", text)]
    default: return [("", text)]
    }
  }
}
