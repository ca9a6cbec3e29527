import AdapterStore
import Adapters
import FoundationEssentials
import LanguageModels
import SystemFiles
import TensorFiles

/// Finds the bases and adapters that a command line names: by path, or in the user's store.
struct Library {
  let terminal: Terminal

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// The user's store; it need not exist yet.
  func store(_ change: (inout NetworkOptions) -> Void = { _ in }) throws -> AdapterStore {
    var network = NetworkOptions(environment: terminal.environment)
    change(&network)
    let root = try StoreLocation.root(
      environment: terminal.environment, directory: FileManager.default.currentDirectoryPath)
    return AdapterStore(root: root, tool: "fmadapter \(programVersion)", network: network)
  }

  /// Whether nothing is installed, and nothing on its way.
  func isEmpty() async throws -> Bool {
    let store = try store()
    let (adapters, bases) = (try store.adapters(), try store.bases())
    let installed = adapters.adapters.count + bases.bases.count
    let problems = adapters.problems.count + bases.problems.count
    return try installed + problems + store.partials().count == 0
  }

  /// That there is no adapter that could be listed, and what to do about it.
  func absence() async throws -> String {
    guard try store().adapters().problems.isEmpty else {
      return "no adapter can be used as it is; 'fmadapter doctor' says why, and what to do"
    }
    let hasBase = try !store().bases().bases.isEmpty
    return "no adapter is installed; "
      + (hasBase ? "install one with 'fmadapter install PATH'" : Bundled.firstSteps)
  }

  /// True for what can only be a path where an adapter is asked for: their names have neither a slash nor a dot.
  static func isPath(_ text: String) -> Bool { text.contains("/") || text.contains(".") }

  /// True for what is a path where a base is asked for: with a slash, or the name of a file here.
  ///
  /// All else is the name of an installed one, which may have dots.
  static func isBasePath(_ text: String) -> Bool { text.contains("/") || isFile(text) }

  /// Path of the package that `text` names: a path as it is, or the place of an installed adapter.
  func packagePath(_ text: String) async throws -> String {
    guard !text.isEmpty else {
      throw Failure(.usage, "the name of an adapter is empty\(remedy: "give one, or a path")")
    }
    // 'ollama run' and the like begin with a model.
    func refuseInstalledBase() async throws {
      guard (try? store().base(named: text)) != nil else { return }
      throw Failure(.notFound, "\(text) is a base, not an adapter\(remedy: Self.baseRemedy)")
    }
    guard !Self.isPath(text) else {
      try Self.refuseForeign(text)
      try Self.refuseBase(text)
      if !text.contains("/"), !Self.exists(text) { try await refuseInstalledBase() }
      return text
    }
    do {
      return try store().adapter(named: text).path
    } catch let error as StoreError where ExitCode(error) == .notFound {
      try await refuseInstalledBase()
      // 'train -o mine' makes mine.fmadapter.
      guard let path = [text + ".fmadapter", "./" + text].first(where: Self.isFolder) else {
        throw error
      }
      throw Failure(
        .notFound,
        "\(error.text.problem)\(remedy: "for the folder of that name here, write '\(path)'")")
    }
  }

  /// Path of the base that `text` names, or of the base in use.
  func basePath(_ text: String?) async throws -> String { try await base(text).path }

  /// Path and name of the base that `text` names, or of the base in use; a file goes by its own name.
  func base(_ text: String?) async throws -> (path: String, name: String) {
    switch try await find(base: text) {
    case .file(let path): (path, AdapterStore.baseName(ofFile: path))
    case .installed(let base): (try checked(base).path, base.name)
    }
  }

  /// The base, if its file still is the one that was installed.
  func checked(_ base: InstalledBase) throws -> InstalledBase {
    try store().checkBase(at: base.path)
    return base
  }

  /// Where a base is.
  enum BasePlace {
    case file(String)
    case installed(InstalledBase)
  }

  /// The base that `text` names, or the base in use.
  ///
  /// - Throws: `Failure` for a folder, and for what is neither a file here nor installed, with the names that are near.
  func find(base text: String?) async throws -> BasePlace {
    guard let text else { return .installed(try store().currentBase()) }
    guard !Self.isBasePath(text) else {
      try Self.refuseFolder(text)
      return .file(text)
    }
    do {
      return .installed(try store().base(named: text))
    } catch let error as StoreError {
      guard error.code == .noBase, text.contains(".") else { throw error }
      try Self.refuseFolder(text)
      var failure = Failure(error)
      failure.text = "there is no file '\(text)' here, and " + failure.text
      throw failure
    }
  }

  /// What people call installed bases, such as `sample (0123456)`, by signature.
  func baseTitles() async throws -> [String: String] {
    let titles = try store().bases().bases.map { ($0.signature, $0.title) }
    return Dictionary(titles) { first, _ in first }
  }

  /// What an adapter has to fit: the base that was stated, or the installed one that the package names, or unknown.
  func contract(for package: String, stated base: String? = nil) async throws -> BaseContract? {
    if let base {
      switch try await find(base: base) {
      case .file(let path): return try BaseModel(path: path).contract()
      case .installed(let base): return base.contract
      }
    }
    guard let signature = try? signature(of: package) else { return nil }
    return try? await installedBase(signed: signature)?.contract
  }

  /// The installed base with this signature, if there is one.
  func installedBase(signed signature: String) async throws -> InstalledBase? {
    try store().bases().bases.first { $0.signature == signature }
  }

  /// The base that the package at `path` is for.
  func signature(of path: String) throws -> String {
    guard try FileSystem.info(path) != nil else { throw AdapterError.notFound(path: path) }
    guard Self.isFile(path) || Self.exists(FilePath.join(path, PackageFile.metadata)) else {
      throw Failure(
        .notFound,
        "\(path): there is no \(PackageFile.metadata) in it, so it is no package"
          + "\(remedy: "give the path of a .fmadapter folder")")
    }
    return try Self.metadata(of: path).baseModelSignature
  }

  /// What the package at `path` says of itself.
  static func metadata(of path: String) throws -> AdapterMetadata {
    let file = FilePath.join(path, PackageFile.metadata)
    return try AdapterMetadata(parsing: FileSystem.read(file, limit: 8 << 20), file: file)
  }
}

extension Library {
  /// The catalog that `text` means: an address, or a path from the current directory.
  ///
  /// With `isRead`, a bare word that is no folder here is refused with what it could have been.
  func catalog(_ text: String, isRead: Bool = false) throws -> CatalogSource {
    if isRead, !text.contains("/"), !Self.exists(text) {
      throw Failure(
        .notFound,
        "there is no folder ./\(text) with a catalog"
          + "\(remedy: "give the path of one, such as ./\(text), or an address")"
          + "\(remedy: "without one 'fmadapter catalog show' shows the adapters of all catalogs")")
    }
    return try CatalogSource(text, directory: FileManager.default.currentDirectoryPath)
  }

  /// Refuses an adapter in the form of another program where a package is asked for.
  static func refuseForeign(_ text: String) throws {
    let isLoRA =
      text.hasSuffix(".gguf")
      && (try? GGUFFile(path: text).metadata.string("general.type")) == "adapter"
    let isFolder =
      exists(FilePath.join(text, "adapter_config.json"))
      && !exists(FilePath.join(text, PackageFile.metadata))
    guard isLoRA || isFolder || text.hasSuffix(".pt") && isFile(text) else { return }
    throw Failure(
      .invalid,
      "\(text) is an adapter of another program\(remedy: "'fmadapter import' makes a package of it")"
    )
  }

  private static let baseRemedy = "give it with --base where a command takes one"

  /// Refuses what is a base, or has to be fetched first, where a package is asked for.
  private static func refuseBase(_ text: String) throws {
    if HubReference.isReference(text) || RegistryReference.isReference(text)
      || NetworkArguments.isAddress(text)
    {
      throw Failure(
        .notFound,
        "\(WebAddress.shown(text)) is an address, and packages are used where they lie"
          + "\(remedy: "fetch it with 'fmadapter install', or a base with 'fmadapter base install'")"
      )
    }
    if text.hasSuffix(".gguf"), exists(text), !isFolder(text) {
      throw Failure(.invalid, "\(text) is a base, not an adapter\(remedy: baseRemedy)")
    }
    let (model, package) = (
      FilePath.join(text, "config.json"), FilePath.join(text, PackageFile.metadata)
    )
    if exists(model), !exists(package) {
      throw Failure(
        .invalid,
        "\(text) is a model's folder, not an adapter"
          + "\(remedy: "'fmadapter base install' makes a base of it")")
    }
  }

  /// Refuses a folder where the file of a base is asked for.
  static func refuseFolder(_ text: String) throws {
    guard isFolder(text) else { return }
    throw Failure(
      .invalid,
      "\(text) is a folder, and a base is a file\(remedy: "'fmadapter base install' makes one of a model's folder")"
    )
  }

  /// Whether something stands at the path `text`.
  static func exists(_ text: String) -> Bool { FileSystem.kind(of: text) != nil }

  /// Refuses a `folder` for the `result` of a command that is not there.
  static func checkFolder(_ folder: String, for result: String) throws {
    guard FileSystem.isDirectory(following: folder) else {
      throw Failure(.notFound, "\(folder): there is no such folder to write the \(result) to")
    }
  }

  /// Whether that is a folder, itself or through a link.
  static func isFolder(_ text: String) -> Bool { kind(of: text) == .directory }

  private static func isFile(_ text: String) -> Bool { kind(of: text) == .file }

  private static func kind(of text: String) -> FileSystem.Kind? {
    FileSystem.kind(of: (try? FileSystem.resolved(text)) ?? text)
  }
}
