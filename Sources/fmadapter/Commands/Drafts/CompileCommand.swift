import AdapterStore
import JSON
import LanguageModels
import SystemFiles

/// `compile`: what an adapter carries for guessing, or a base, ready for this machine.
enum CompileCommand {
  private static let adapter = Argument(
    "adapter",
    "Name or identifier of an installed adapter, or the path of a package; without it, the installed base that --base names",
    arity: .optional, completion: .adapters)
  private static let json = Flag("--json", "Print what was found as JSON")

  static let command = Command(
    name: "compile",
    summary: "Prepare an adapter's guesses, or a base, for this machine",
    details: [
      """
      Checks the draft model or the suffix store of the package, rounds a model that is not \
      quantized to 8 bits, and measures what passes of 1 to 16 tokens cost on this machine, over \
      the base with the adapter. The result is kept in the store: 'run' then proposes as many \
      tokens as are worth it. A second call answers at once; another processor, draft, base or \
      version is measured again. Other processes wait for the one that measures. If Ctrl-C ends \
      it, nothing is kept.
      """,
      """
      Without an adapter, --base names an installed base. Its weights are written in the order \
      in which this processor reads them. Every process would otherwise make that order with its \
      first words, in memory of its own; now all share one file, which takes as much disk space \
      as the base.
      """,
    ],
    examples: [
      Example("fmadapter compile playwriting", "An installed adapter"),
      Example(
        "fmadapter compile ./my.fmadapter --base base.gguf --json", "A package, for a script"),
      Example(
        "fmadapter compile --base 0123456", "An installed base, by the start of its signature"),
    ],
    arguments: [adapter],
    options: [ModelOptions.base, ModelOptions.threads, json],
    knownElsewhereAs: ["prepare", "warmup"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let library = Library(terminal)
    guard let text = arguments.text(adapter) else { return try await runBase(invocation) }
    let package = try await library.packagePath(text)
    let loaded = try await library.load(LoadRequest(invocation, adapters: [text]))
    defer { withExtendedLifetime(loaded.leases) {} }
    let bar = ProgressLine("compiling", terminal)
    defer { bar.finish() }
    let compilation = try await library.store().compile(
      package: package, for: loaded.model, threads: arguments.value(ModelOptions.threads)
    ) { progress in
      if progress == .checking {
        terminal.note("measuring \(loaded.model.path) with \(package) ...")
      }
      bar.show(progress, terminal)
    }
    bar.finish()
    guard let compilation else {
      terminal.note(
        "\(package) carries neither a draft model nor a suffix store: there is nothing to compile; "
          + "'fmadapter draft build' makes a suffix store")
      if arguments.has(json) { terminal.print(.null) }
      return .done
    }
    return try report(
      compilation, compilation.facts, compilation.outcome, compilation.path, invocation)
  }
}

extension CompileCommand {
  private static func runBase(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let name = arguments.value(ModelOptions.base) else {
      throw invocation.conflict("give an adapter, or an installed base with --base")
    }
    let library = Library(terminal)
    guard case .installed(let base) = try await library.find(base: name) else {
      throw invocation.conflict(
        "a base is compiled in the store; install it with 'fmadapter base install' first")
    }
    let store = try library.store()
    let lease = store.lease(base)
    defer { withExtendedLifetime(lease) {} }
    let bar = ProgressLine("compiling", terminal)
    defer { bar.finish() }
    let compilation = try await store.compile(
      base: base, threads: arguments.value(ModelOptions.threads)
    ) { bar.show($0, terminal) }
    bar.finish()
    guard let compilation else {
      terminal.note("this processor reads \(base.name) as it is: there is nothing to compile")
      if arguments.has(json) { terminal.print(.null) }
      return .done
    }
    return try report(
      compilation, compilation.facts, compilation.outcome, compilation.path, invocation)
  }
}

extension CompileCommand {
  private static func report(
    _ compilation: some Encodable, _ facts: FactList, _ outcome: Compilation.Outcome,
    _ path: String, _ invocation: Invocation
  ) throws -> ExitCode {
    let terminal = invocation.terminal
    try invocation.report(compilation) { terminal.print(facts) }
    switch outcome {
    case .kept: terminal.note("compiled already, in \(path)")
    case .compiled: terminal.note("compiled, in \(path)")
    case .rebuilt: terminal.note("what was there was damaged; compiled anew, in \(path)")
    }
    return .done
  }
}

extension ProgressLine {
  /// Draws how far a compilation is; that another process is at it is said.
  fileprivate func show(_ progress: CompilationProgress, _ terminal: Terminal) {
    switch progress {
    case .waiting: terminal.note("another process compiles the same; waiting for it ...")
    case .checking: break
    case .measuring(let done, let total), .writing(let done, let total):
      update(done: done, total: total)
    }
  }
}

extension BaseCompilation {
  /// What it is of, and what it takes.
  var facts: FactList {
    var facts = FactList()
    facts.add("processor", processor)
    facts.add("size", Figures.size(size))
    return facts
  }
}

extension Compilation {
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
