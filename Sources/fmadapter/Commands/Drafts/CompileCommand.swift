import AdapterStore
import Adapters
import LanguageModels
import TensorFiles

/// `compile`: what an adapter carries for guessing, ready for this machine.
enum CompileCommand {
  private static let adapter = Argument(
    "adapter", "Name or identifier of an installed adapter, or the path of a package",
    completion: .adapters)
  private static let json = Flag("--json", "Print what was found as JSON")

  static let command = Command(
    name: "compile",
    summary: "Get an adapter's draft ready for this machine",
    details: [
      """
      Checks the draft model or the suffix store of the package, rounds a model that is not quantized \
      to 8 bits, and measures what passes of 1 to 16 tokens cost here, over the base with the adapter. \
      What came of it is kept in the store for 'run', which proposes as many tokens as that is worth; a second call answers at once, and another \
      processor, draft, base or version is measured anew. Other processes wait for the one that \
      measures. Nothing is kept of what Ctrl-C ends.
      """
    ],
    examples: [
      Example("fmadapter compile playwriting", "An installed adapter"),
      Example(
        "fmadapter compile ./my.fmadapter --base base.gguf --json", "A package, for a script"),
    ],
    arguments: [adapter],
    options: [ModelOptions.base, ModelOptions.threads, json],
    knownElsewhereAs: ["prepare", "warmup"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let shelf = Shelf(terminal)
    let text = arguments.required(adapter)
    let package = try await shelf.packagePath(text)
    let loaded = try await shelf.load(LoadRequest(invocation, adapters: [text]))
    defer { withExtendedLifetime(loaded.leases) {} }
    let bar = ProgressLine("compiling", terminal)
    defer { bar.finish() }
    let compilation = try await shelf.store().compile(
      package: package, for: loaded.model, threads: arguments.value(ModelOptions.threads)
    ) { progress in
      switch progress {
      case .waiting: terminal.note("another process compiles the same; waiting for it ...")
      case .checking: terminal.note("measuring \(loaded.model.path) with \(package) ...")
      case .measuring(let done, let total): bar.update(done: done, total: total)
      }
    }
    bar.finish()
    guard let compilation else {
      terminal.note(
        "\(package) carries neither a draft model nor a suffix store: there is nothing to compile; "
          + "'fmadapter draft build' makes a suffix store")
      if arguments.has(json) { terminal.print(.null) }
      return .done
    }
    if arguments.has(json) {
      try terminal.printJSON(compilation)
    } else {
      compilation.facts.lines(columns: terminal.columns).forEach(terminal.print)
    }
    terminal.note(compilation.summary)
    return .done
  }
}

extension Compilation {
  /// What came of it, in a line.
  var summary: String {
    switch outcome {
    case .kept: "compiled already, in \(path)"
    case .compiled: "compiled, in \(path)"
    case .rebuilt: "what was there was damaged; compiled anew, in \(path)"
    }
  }

  var facts: FactList { facts(margin: "") }

  /// The figures, with `margin` before each name.
  func facts(margin: String) -> FactList {
    var facts = FactList()
    facts.add(margin + "processor", processor)
    facts.add(margin + "base", "\(Figures.fixed(tokensPerSecond, 1)) tokens/s, one a pass")
    let passes = [2, 4, 8].filter { $0 <= passRatios.count }
      .map { "\($0) tokens: \(Figures.fixed(passRatios[$0 - 1], 2))" }
    facts.add(margin + "passes", passes.joined(separator: ", ") + " times as long as one token")
    facts.add(
      margin + "draft", draftRatio > 0 ? "\(Figures.fixed(draftRatio, 3)) of a pass a token" : "")
    for proposals in proposals {
      facts.add(
        margin + "\(Int((proposals.acceptance * 100).rounded())) % right",
        proposals.count == 0
          ? "no proposals: they cost more than they save"
          : "\(Figures.count(proposals.count, "proposal")) a pass, "
            + "\(Figures.fixed(proposals.speedup, 2)) times as fast")
    }
    return facts
  }
}
