import AdapterStore
import Adapters
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// `export --to vllm`: all installed adapters of a base in a folder where vLLM finds them by name, and what starts it.
struct VLLMExport {
  private let invocation: Invocation
  private let library: Library
  private var terminal: Terminal { invocation.terminal }

  /// An adapter in the folder.
  struct Entry {
    let adapter: InstalledAdapter
    let rank: Int
    let change: AdapterShelf.Change
  }

  init(_ invocation: Invocation) {
    self.invocation = invocation
    library = Library(invocation.terminal)
  }

  func run(_ folder: String) async throws -> ExitCode {
    let found = try await library.base(invocation.arguments.value(ModelOptions.baseOfAdapter))
    let model = try BaseModel(path: found.path)
    let base = try ExchangeBase(model)
    let origin = library.origin(ofBase: model.path)
    let original = try baseModel(origin, found.name)
    let shelf = try shelf(folder)
    let installed = try installed(for: base)
    let (entries, unread, code) = try await put(installed, base, original, on: shelf)
    // What could not be read stays as it was there.
    let removed = try shelf.keep(only: Set(entries.map(\.adapter.identifier.name) + unread))
    for name in removed { terminal.note("removed \(name)") }
    var files = VLLMFiles(
      baseName: found.name, baseModel: original, origin: origin, entries: entries,
      slots: invocation.arguments.value(ExportCommand.slots))
    if invocation.arguments.has(ExportCommand.locked) {
      files.lock = try lock(entries)
    } else {
      files.keys = try keys(of: files.catalogs)
    }
    try write(files, to: folder)
    guard code == .done else { return code }
    return invocation.report(written: folder) { files.json(removed: removed) }
  }

  /// What the cluster is to install, which nothing of this machine can be.
  private func lock(_ entries: [Entry]) throws -> LockFile {
    let lock = try library.store().lock(entries.map { $0.adapter.identifier.description })
    if let own = lock.adapters.first(where: { $0.source.hasPrefix("/") }) {
      throw invocation.conflict(
        "\(own.identifier) came from a folder of this machine, where no cluster finds it"
          + "\(remedy: "publish it to a server or a registry, and install it from there")")
    }
    return lock
  }

  /// The keys that `catalogs` have here, by their addresses.
  private func keys(of catalogs: [String]) throws -> [String: [PublicKey]] {
    let store = try library.store()
    var keys: [String: [PublicKey]] = [:]
    for catalog in catalogs {
      if let source = CatalogSource(listed: catalog) { keys[catalog] = try store.keys(of: source) }
    }
    return keys
  }

  private func baseModel(_ origin: BaseOrigin?, _ name: String) throws -> String {
    guard let model = invocation.arguments.value(ExportCommand.baseModel) ?? origin?.model else {
      throw invocation.conflict(
        "it is not known what \(name) was made of"
          + "\(remedy: "give it with --base-model, to the letter as vLLM gets it with --model")")
    }
    return model
  }

  private func shelf(_ folder: String) throws -> AdapterShelf {
    try Library.checkFolder(FilePath.parent(of: folder), for: "folder")
    if try FileSystem.info(folder) == nil { try FileSystem.createDirectory(folder) }
    let path = FilePath.join(folder, VLLMFiles.adapters)
    guard let shelf = try AdapterShelf(path: path) else {
      throw Failure(.busy, "\(folder): another export writes there\(remedy: "wait for its end")")
    }
    return shelf
  }

  private func installed(for base: ExchangeBase) throws -> [InstalledAdapter] {
    try library.store().adapters().adapters.filter {
      $0.metadata.baseModelSignature == base.contract.signature
    }
  }

  /// Puts all adapters there; the names of those that could not be read, and the code of the first of them.
  private func put(
    _ installed: [InstalledAdapter], _ base: ExchangeBase, _ model: String, on shelf: AdapterShelf
  ) async throws -> (entries: [Entry], unread: [String], code: ExitCode) {
    var entries: [Entry] = []
    var unread: [String] = []
    var code = ExitCode.done
    for adapter in installed {
      try Task.checkCancellation()
      do {
        if let entry = try await put(adapter, base, model, on: shelf) { entries.append(entry) }
      } catch {
        let failure = Failure(error)
        if failure.code == .interrupted { throw error }
        _ = failure.report(terminal)
        unread.append(adapter.identifier.name)
        if code == .done { code = failure.code }
      }
    }
    if entries.isEmpty, code == .done {
      terminal.note("no installed adapter is for this base: none is in the folder")
    }
    return (entries, unread, code)
  }

  private func put(
    _ installed: InstalledAdapter, _ base: ExchangeBase, _ model: String, on shelf: AdapterShelf
  ) async throws -> Entry? {
    let name = installed.identifier.name
    return try await library.reading([installed.identifier.description]) { paths in
      let adapter = try Adapter(package: paths[0], for: base.contract)
      guard adapter.metadata.settings.invocation == nil else {
        return leaveOut(name, "it begins at its invocation, and vLLM would apply it to all tokens")
      }
      var export = try ExportedAdapter(adapter, for: base, as: .peft, isEven: true)
      guard export.rank <= VLLMFiles.ranks[VLLMFiles.ranks.count - 1] else {
        return leaveOut(name, "its rank of \(export.rank) is beyond what vLLM takes")
      }
      export.baseModel = model
      let change = try shelf.put(export, as: name)
      if change != .unchanged { terminal.note("\(change.rawValue) \(name)") }
      return Entry(adapter: installed, rank: export.rank, change: change)
    }
  }

  private func leaveOut(_ name: String, _ reason: String) -> Entry? {
    terminal.warn("\(name) is left out: \(reason)")
    return nil
  }

  /// Writes what starts vLLM, and says what a running one has to be told.
  private func write(_ files: VLLMFiles, to folder: String) throws {
    let script = FilePath.join(folder, VLLMFiles.script)
    let before = try? FileSystem.read(script, limit: 1 << 20)
    for (name, text) in files.texts {
      let path = FilePath.join(folder, name)
      let bytes = Array(text.utf8)
      guard (try? FileSystem.read(path, limit: 1 << 20)) != bytes else { continue }
      try AtomicFile.write(bytes, to: path)
    }
    let isOther = before.map { $0 != Array(files.startScript.utf8) } ?? false
    if isOther || files.entries.contains(where: { $0.change == .replaced }) {
      terminal.note(
        "a vLLM that runs over this folder has to be started again: "
          + (isOther ? "its flags are others now" : "it keeps what it has loaded under a name"))
    } else if before == nil {
      terminal.note("start vLLM with 'sh \(script.shellWord)'")
    }
    for adapter in files.entries.map(\.adapter) where files.installation(of: adapter) == nil {
      terminal.note(
        "\(adapter.identifier.name) came from this machine: publish it, and name its catalog in \(VLLMFiles.deployment)"
      )
    }
  }
}
