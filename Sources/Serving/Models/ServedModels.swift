public import AdapterStore
import Adapters
import FoundationEssentials
public import LanguageModels
import Synchronization

/// The models that a server has: a base, and whatever is installed for it or beside it.
///
/// What is installed, updated or removed meanwhile is there, new or gone with the next request; what answers goes on as it was.
public final class ServedModels: Sendable {
  private struct State {
    var listing: Listing?
    /// What the store looked like then; nil where it might have changed at the same moment.
    var stamp: StoreStamp?
    var adapters: [String: OpenAdapter] = [:]
    var uses = 0
  }

  private struct OpenAdapter {
    /// At the strength that it was trained for; requests that have it share its matrices.
    let applied: AppliedAdapter
    let speculation: Speculation
    let stamp: StoreStamp
    var lastUse: Int
  }

  /// Adapters that stay open when nobody uses them.
  private static let openAdapters = 64
  /// Adapters of one model, at most: each costs time with every token, and others wait for it.
  static let adaptersOfModel = 8
  static let strengths = -10.0...10

  /// The base that answers where none is named.
  let base: ServedBase
  let options: ServingOptions
  private let store: AdapterStore?
  private let prepare: @Sendable (BaseModel) throws -> Void
  private let others: OpenBases
  private let state = Mutex(State())
  /// What clients have loaded beside what is installed, and the strengths that they have set.
  let loaded: LoadedAdapters
  let scales = AdapterScales()

  /// Serves the base at `path`, and what `store` has.
  ///
  /// - Parameters:
  ///   - path: A GGUF file.
  ///   - name: What clients call the base.
  ///   - signature: What adapters for it are known by; computed from the file if nil.
  ///   - store: Where adapters and other bases are; nil for none.
  ///   - options: How models answer.
  ///   - prepare: What is done with a base before it is used; throws where it cannot be.
  /// - Throws: What is wrong with the base.
  public init(
    base path: String, name: String, signature: String?, store: AdapterStore?,
    _ options: ServingOptions, prepare: @escaping @Sendable (BaseModel) throws -> Void
  ) throws {
    (self.store, self.options, self.prepare) = (store, options, prepare)
    others = OpenBases(limit: options.otherBaseBytes)
    loaded = LoadedAdapters(folders: options.adapterFolders)
    base = try ServedBase(path, name: name, signature: signature, options, prepare: prepare)
  }

  /// The name of the base, and how many adapters there are for it.
  public var title: String {
    let adapters = (try? listing().adapters) ?? []
    let count = adapters.count { $0.metadata.baseModelSignature == base.signature }
    return "\(base.name) and \(count == 1 ? "1 adapter" : "\(count) adapters")"
  }

  /// What is installed now.
  ///
  /// - Throws: `.failed` where the store cannot be read.
  func listing() throws(ServingError) -> Listing {
    guard let store else { return Listing(of: base) }
    let (start, stamp) = (Date().timeIntervalSince1970, store.stamp())
    let known = state.withLock { state in
      state.stamp.flatMap { $0 == stamp ? state.listing : nil }
    }
    if let known { return known }
    do throws(StoreError) {
      let listing = Listing(
        of: base, bases: try store.bases().bases, adapters: try store.adapters().adapters)
      state.withLock { state in
        (state.listing, state.stamp) = (listing, stamp.isSettled(at: start) ? stamp : nil)
      }
      return listing
    } catch {
      throw ServingError(.failed, "The store of adapters cannot be read.")
    }
  }

  /// The model that a request names.
  ///
  /// - Throws: `.notFound`, code `model_not_found`, where there is no such model; `.invalidRequest` where several are meant, and where an
  ///   adapter cannot be used.
  func model(named text: String) throws(ServingError) -> ServedModel {
    let listing = try listing()
    return try model(named: text, parts(of: text, listing), listing)
  }

  /// The model of these parts, which `text` stands for.
  func model(
    named text: String, _ parts: [ModelName.Part], _ listing: Listing
  ) throws(ServingError) -> ServedModel {
    var parts = parts[...]
    guard let first = parts.first else { throw Self.missing(text) }
    var named: ServedBase?
    // A base has neither strengths nor versions.
    if first.strength == nil, first.version == nil, let base = try base(named: first.name, listing)
    {
      (named, parts) = (base, parts.dropFirst())
    }
    var found: [(adapter: NamedAdapter, strength: Double)] = []
    guard parts.count <= Self.adaptersOfModel else {
      throw .invalid("model", "a model may have \(Self.adaptersOfModel) adapters.")
    }
    for part in parts {
      guard part.strength.map(Self.strengths.contains) ?? true else {
        throw .invalid("model", "the strength of an adapter has to be from -10 to 10.")
      }
      let adapter = try namedAdapter(part, text, named?.signature, listing)
      guard !found.contains(where: { $0.adapter.key == adapter.key }) else {
        throw .invalid("model", "an adapter is named twice.")
      }
      found.append((adapter, part.strength ?? 1))
    }
    let signature = found.first.map { self.signature(of: $0.adapter) }
    guard found.allSatisfy({ self.signature(of: $0.adapter) == signature }) else {
      throw ServingError(
        .invalidRequest, "model: the adapters are for different bases.", field: "model")
    }
    let base: ServedBase
    if let named {
      base = named
    } else {
      base = try self.base(signed: signature, for: text, listing)
    }
    var (applied, leases): ([AppliedAdapter], [StoreLease]) = ([], [])
    var speculation = Speculation()
    for (adapter, strength) in found {
      let (weights, guesses) = try open(adapter, on: base, &leases)
      applied.append(weights.with(strength: strength))
      if applied.count == 1 { speculation = guesses }
    }
    if applied.count > 1, applied.contains(where: { $0.invocation != nil }) {
      throw .invalid("model", "an activated adapter acts beside no other.")
    }
    return ServedModel(
      name: text, base: base, adapters: applied,
      names: found.map { $0.adapter.name(in: listing) }, speculation: speculation,
      leases: leases)
  }

  static func missing(_ text: String) -> ServingError {
    let shown = String(
      text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(128).map(Character.init))
    return ServingError(
      .notFound, "The model '\(shown)' does not exist; GET /v1/models lists those that do.",
      field: "model", code: "model_not_found")
  }
}

extension ServedModels {
  /// An adapter that a name means.
  private enum NamedAdapter {
    case installed(InstalledAdapter)
    case loaded(LoadedAdapters.Entry)

    /// What tells it from others.
    var key: String {
      switch self {
      case .installed(let adapter): adapter.identifier.description
      case .loaded(let entry): "loaded \(entry.name)"
      }
    }

    /// What lists of models call it.
    func name(in listing: Listing) -> String {
      switch self {
      case .installed(let adapter): listing.name(of: adapter)
      case .loaded(let entry): entry.name
      }
    }
  }

  private func signature(of adapter: NamedAdapter) -> String {
    switch adapter {
    case .installed(let adapter): adapter.metadata.baseModelSignature
    case .loaded: base.signature
    }
  }

  /// The parts of a name; those of a base alone, with the strengths that were set for it.
  private func parts(of text: String, _ listing: Listing) -> [ModelName.Part] {
    let parts = ModelName(text).parts
    guard parts.count == 1, isOwnBase(parts[0].name) else { return parts }
    let present = scales.scales.filter { name, _ in
      loaded[name] != nil
        || listing.adapters.contains {
          [$0.identifier.name, $0.identifier.description].contains(name)
        }
    }
    return parts + ModelName.parts(present)
  }

  /// Whether the base in use is called so.
  func isOwnBase(_ name: String) -> Bool { [base.name, base.signature].contains(name) }

  /// What a client has loaded by a name goes before what is installed, none of which has that name when it is loaded.
  private func namedAdapter(
    _ part: ModelName.Part, _ text: String, _ signature: String?, _ listing: Listing
  ) throws(ServingError) -> NamedAdapter {
    if part.version == nil, signature ?? base.signature == base.signature,
      let entry = loaded[part.name]
    {
      return .loaded(entry)
    }
    return .installed(try adapter(part, text, signature, listing))
  }

  private func open(
    _ adapter: NamedAdapter, on base: ServedBase, _ leases: inout [StoreLease]
  ) throws(ServingError) -> (AppliedAdapter, Speculation) {
    switch adapter {
    case .loaded(let entry): return (entry.applied, entry.speculation)
    case .installed(let adapter):
      let open = try open(adapter, on: base)
      if let store { leases.append(store.lease(adapter)) }
      return (open.applied, open.speculation)
    }
  }

  /// The base that is signed so, where it is open.
  func openBase(signed signature: String) -> ServedBase? {
    signature == base.signature ? base : others[signature]
  }

  /// Whether nothing has to be read before the model can answer.
  func isOpen(_ card: ModelCard) -> Bool {
    card.parent == nil
      ? openBase(signed: card.signature) != nil
      : state.withLock { $0.adapters[card.path] != nil }
  }

  /// The base that is called so, opened where it is not yet; nil where none is.
  private func base(named name: String, _ listing: Listing) throws(ServingError) -> ServedBase? {
    if name == base.name || name == base.signature { return base }
    let installed = listing.bases.first { $0.name == name || $0.signature == name }
    return try installed.map { installed throws(ServingError) in try open(installed) }
  }

  private func base(
    signed signature: String?, for text: String, _ listing: Listing
  ) throws(ServingError) -> ServedBase {
    guard let signature, signature != base.signature else { return base }
    guard let installed = listing.bases.first(where: { $0.signature == signature }) else {
      throw ServingError(
        .notFound, "The base of the model '\(text)' is not installed.", field: "model",
        code: "model_not_found")
    }
    return try open(installed)
  }

  private func open(_ installed: InstalledBase) throws(ServingError) -> ServedBase {
    if installed.signature == base.signature { return base }
    let bytes = installed.receipt.files.reduce(0) { $0 + $1.size }
    return try others.base(signed: installed.signature, bytes: bytes) {
      () throws(ServingError) in
      do {
        try store?.checkBase(at: installed.path)
        return try ServedBase(
          installed.path, name: installed.name, signature: installed.signature, options,
          prepare: prepare)
      } catch {
        options.tellFault(error)
        throw .invalid(
          "model", "the base '\(installed.name)' cannot be used; the server has said why.")
      }
    }
  }

  /// The installed adapter that a part of the name `text` means, on the base that is signed so if one is given.
  private func adapter(
    _ part: ModelName.Part, _ text: String, _ signature: String?, _ listing: Listing
  ) throws(ServingError) -> InstalledAdapter {
    let exact = listing.adapters.filter { $0.identifier.description == part.name }
    let named = listing.adapters.filter { $0.identifier.name == part.name }
    var found = (exact.isEmpty ? named : exact).filter { adapter in
      part.version == nil || adapter.version.description == part.version
    }
    if found.count > 1 || signature != nil {
      let wanted = signature ?? base.signature
      let fitting = found.filter { $0.metadata.baseModelSignature == wanted }
      if !fitting.isEmpty || signature != nil { found = fitting }
    }
    guard let first = found.first else { throw Self.missing(text) }
    guard found.count == 1 else {
      let names = found.map(\.identifier.description).joined(separator: ", ")
      throw ServingError(
        .invalidRequest, "model: '\(part.name)' could be \(names); name one of them.",
        field: "model")
    }
    return first
  }

  private func open(
    _ installed: InstalledAdapter, on base: ServedBase
  ) throws(ServingError) -> OpenAdapter {
    let stamp = store.map { StoreStamp(of: $0.paths(of: installed)) } ?? StoreStamp(of: [])
    let known = state.withLock { state -> OpenAdapter? in
      state.uses += 1
      guard let open = state.adapters[installed.path], open.stamp == stamp else { return nil }
      state.adapters[installed.path]?.lastUse = state.uses
      return open
    }
    if let known { return known }
    let opened: OpenAdapter
    do {
      let whole = try Adapter(package: installed.path, for: base.model.contract())
      let adapter =
        store?.withCompiledDraft(whole, package: installed.path, for: base.model) ?? whole
      let costs = store?.compiledCosts(package: installed.path, for: base.model)
      let applied = AppliedAdapter(adapter)
      let speculation = try Speculation([applied], for: base.model, costs: costs)
      opened = OpenAdapter(applied: applied, speculation: speculation, stamp: stamp, lastUse: 0)
    } catch {
      options.tellFault(error)
      throw .invalid(
        "model",
        "the adapter \(installed.identifier) cannot be used on this base; a check of its package says why."
      )
    }
    keep(opened, at: installed.path)
    return opened
  }

  private func keep(_ opened: OpenAdapter, at path: String) {
    let left = state.withLock { state -> OpenAdapter? in
      var opened = opened
      opened.lastUse = state.uses
      var left = state.adapters.updateValue(opened, forKey: path)
      if state.adapters.count > Self.openAdapters,
        let oldest = state.adapters.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        left = state.adapters.removeValue(forKey: oldest.key)
      }
      return left
    }
    withExtendedLifetime(left) {}
  }
}
