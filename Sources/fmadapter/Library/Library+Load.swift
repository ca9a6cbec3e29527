import AdapterStore
import Adapters
import LanguageModels
import SystemFiles
import TensorFiles

/// A base with the adapters that were asked for, ready for sessions.
struct LoadedModel {
  let model: BaseModel
  /// What adapters have to fit, where that is known without reading all of the base.
  let contract: BaseContract?
  let adapters: [AppliedAdapter]
  /// What passes cost here, where the first adapter has been compiled.
  var costs: PassCosts?
  /// Keep `prune` away while the model is in use.
  var leases: [StoreLease] = []
}

/// What a command line says about the base and the adapters to load.
struct LoadRequest {
  /// As typed; nil for the base of the first adapter, or the one in use.
  let base: String?
  /// As typed, in order.
  let adapters: [String]
  /// Strength of each adapter that one was given for.
  let scales: [Float]

  init(_ invocation: Invocation, adapters: [String]) throws {
    base = invocation.arguments.value(ModelOptions.base)
    scales = invocation.arguments.values(ModelOptions.scale)
    self.adapters = adapters
    guard scales.count <= adapters.count else {
      let times = scales.count == 1 ? "once" : "\(scales.count) times"
      throw invocation.conflict(
        "--adapter-scale was given \(times) for \(Figures.count(adapters.count, "adapter"))"
          + "\(remedy: "name an adapter for each, or leave it out")")
    }
  }
}

extension Library {
  /// Opens the base and the adapters of `request`; an adapter for another base is refused.
  func load(_ request: LoadRequest) async throws -> LoadedModel {
    var packages: [String] = []
    for adapter in request.adapters { packages.append(try await packagePath(adapter)) }
    let (path, known) = try await base(for: request, packages)
    let model = try BaseModel(path: path)
    try prepare(model)
    let leases = leases(of: [path] + packages)
    return try loaded(packages, request.scales, on: model, known, leases)
  }

  /// Takes what a base was compiled into, where that is there, and refuses one that does not fit into memory.
  func prepare(_ model: BaseModel) throws {
    let isCompiled = useCompiled(for: model)
    guard let memory = MachineMemory.current else { return }
    try MemoryNeed(model, isCompiled: isCompiled).check(memory, terminal)
  }

  private func useCompiled(for model: BaseModel) -> Bool {
    do throws(BaseModelError) {
      return try (try? store())?.useCompiled(for: model) ?? false
    } catch {
      terminal.warn(
        "what the base was compiled into is not used: \(error.inCommand)" as ErrorText)
      return false
    }
  }

  /// The base of `loaded` with another adapter, or alone; an adapter for another base is refused.
  func load(_ adapter: String?, on loaded: LoadedModel) async throws -> LoadedModel {
    var packages: [String] = []
    if let adapter { packages.append(try await packagePath(adapter)) }
    return try self.loaded(
      packages, [], on: loaded.model, loaded.contract,
      leases(of: [loaded.model.file.path] + packages))
  }

  private func loaded(
    _ packages: [String], _ scales: [Float], on model: BaseModel, _ known: BaseContract?,
    _ leases: [StoreLease]
  ) throws -> LoadedModel {
    let contract = try packages.isEmpty ? known : known ?? model.contract()
    let adapters = try packages.enumerated().map { index, package in
      guard let contract else { preconditionFailure("there are packages") }
      try checkSignature(of: package, contract)
      let whole = try opened(package, for: contract)
      let adapter =
        (try? store())?.withCompiledDraft(whole, package: package, for: model) ?? whole
      return AppliedAdapter(adapter, strength: Double(index < scales.count ? scales[index] : 1))
    }
    let costs = packages.first.flatMap { (try? store())?.compiledCosts(package: $0, for: model) }
    return LoadedModel(
      model: model, contract: contract, adapters: adapters, costs: costs, leases: leases)
  }

  /// Opens a package; of a damaged one of the store the error says how to mend it.
  private func opened(_ package: String, for contract: BaseContract) throws -> Adapter {
    let isInstalled = (try? store())?.holds(package: package) ?? false
    do throws(AdapterError) {
      return try Adapter(package: package, for: contract)
    } catch {
      guard isInstalled, case .refused(let report) = error else { throw error }
      throw AdapterError.refused(report.ofInstalled)
    }
  }

  func leases(of paths: [String]) -> [StoreLease] {
    guard let store = try? store() else { return [] }
    return paths.map(store.lease(at:))
  }

  /// Path of the base to open, and what is recorded of it; a stated base goes before the one that the adapter names.
  private func base(
    for request: LoadRequest, _ packages: [String]
  ) async throws -> (path: String, contract: BaseContract?) {
    if request.base == nil, let package = packages.first {
      return try await installedBase(neededBy: package)
    }
    switch try await find(base: request.base) {
    case .file(let path): return (path, nil)
    case .installed(let base): return (try checked(base).path, base.contract)
    }
  }

  func installedBase(
    neededBy package: String
  ) async throws -> (path: String, contract: BaseContract?) {
    let signature = try signature(of: package)
    if let base = try await installedBase(signed: signature) {
      return (try checked(base).path, base.contract)
    }
    try store().checkBase(signed: signature)
    guard let other = try? store().currentBase() else {
      let remedy =
        Bundled.baseRemedy(signed: signature)
        ?? "install that base with 'fmadapter base install PATH', or give its file with --base"
      throw Failure(
        .notFound,
        "\(package) is for the base \(signature), and no base is installed\(remedy: remedy)")
    }
    throw Self.otherBase(package, signature, other.signature)
  }

  func checkSignature(of package: String, _ contract: BaseContract) throws {
    let signature = try signature(of: package)
    if signature != contract.signature {
      throw Self.otherBase(package, signature, contract.signature)
    }
  }

  private static func otherBase(_ package: String, _ needed: String, _ found: String) -> Failure {
    let remedy =
      needed == BaseContract.appleSignature
      ? "it needs Apple's on-device model of OS 26, which only Apple's systems have"
      : "install the base that it was trained on, or use an adapter for this one"
    return Failure(
      .incompatible,
      "\(package) is for the base \(needed), but this base is \(found)\(remedy: remedy)")
  }
}

extension CheckReport {
  /// The report on a package that was accepted once, as it was installed: what is wrong now is damage.
  fileprivate var ofInstalled: CheckReport {
    let findings = findings.map { finding in
      guard finding.severity == .error, finding.category != .compatibility else { return finding }
      return Finding(
        finding.rule, finding.severity, finding.category, at: finding.place, finding.message,
        remedy: "Mend it with 'fmadapter verify --repair', or install it again.")
    }
    return CheckReport(package: package, findings: findings)
  }
}
