import AdapterStore
import LanguageModels
import Serving
import SystemFiles

/// Options of commands that serve models, and the models that they say.
enum ServerOptions {
  static let parallel = Option(
    "--parallel", .integer(1...256), "Requests that are answered at once (default: 16)")
  static let queue = Option(
    "--queue", .integer(0...100_000),
    "Requests that wait, at most; others are refused (default: 256)")
  static let cache = Option(
    "--cache-memory", .integer(16...10_000_000),
    "Megabytes for keys and values (default: a quarter of what is free)")
  static let baseMemory = Option(
    "--base-memory", .integer(0...10_000_000),
    "Megabytes for other bases that requests name, with their keys and values (default: half of what is free)"
  )

  /// The base in use and what is installed, as `invocation` wants them served.
  static func models(
    _ invocation: Invocation, adapterFolders: [String] = []
  ) async throws -> ServedModels {
    let (arguments, library) = (invocation.arguments, Library(invocation.terminal))
    let free = MachineMemory.current?.available ?? 4 << 30
    let cacheBytes = arguments.value(cache).map { $0 * 1_000_000 } ?? max(256 << 20, free / 4)
    var options = ServingOptions(cacheBytes: cacheBytes)
    options.otherBaseBytes = arguments.value(baseMemory).map { $0 * 1_000_000 } ?? free / 2
    options.width = arguments.value(parallel) ?? options.width
    options.queueLength = arguments.value(queue) ?? options.queueLength
    options.threads = arguments.value(ModelOptions.threads)
    options.adapterFolders = adapterFolders
    options.cacheFormat = arguments.value(ModelOptions.cache)
    let terminal = invocation.terminal
    options.tellFault = { _ = Failure($0).report(terminal) }
    let prepare: @Sendable (BaseModel) throws -> Void = { try library.prepare($0) }
    switch try await library.find(base: arguments.value(ModelOptions.base)) {
    case .file(let path):
      return try ServedModels(
        base: path, name: AdapterStore.baseName(ofFile: path), signature: nil,
        store: library.store(), options, prepare: prepare)
    case .installed(let base):
      return try ServedModels(
        base: library.checked(base).path, name: base.name, signature: base.signature,
        store: library.store(), options, prepare: prepare)
    }
  }
}
