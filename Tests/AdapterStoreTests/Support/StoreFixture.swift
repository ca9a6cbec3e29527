import Adapters
import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// A store in a temporary directory, with packages and bases to put into it.
struct StoreFixture {
  let directory: TemporaryDirectory
  let root: String
  let sources: String

  static let first = "0123456789abcdef0123456789abcdef01234567"
  static let second = "fedcba9876543210fedcba9876543210fedcba98"

  /// What a process is known by that is not this one.
  static let otherProcess = "0ddba11000000000"

  init() throws {
    directory = try TemporaryDirectory()
    root = directory.path("store")
    sources = directory.path("sources")
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
  }

  /// A folder, and its store as this process sees it.
  static func opened() throws -> (StoreFixture, AdapterStore) {
    let fixture = try StoreFixture()
    return (fixture, fixture.store())
  }

  /// A store as this process sees it.
  func store(_ change: (inout ProcessFacts) -> Void = { _ in }) -> AdapterStore {
    var process = ProcessFacts()
    process.now = { Date(timeIntervalSince1970: 1_800_000_000.75) }
    change(&process)
    return AdapterStore(
      root: root, tool: "tests 1", process: process,
      identifyBase: { _ in BaseIdentity(contentSignature: nil, type: "text") },
      readBase: Self.readBase)
  }

  /// A store whose network is `server`, as `process` sees it.
  func store(
    over server: ScriptedServer, _ process: ProcessFacts = ProcessFacts()
  ) -> AdapterStore {
    Self.store(at: root, over: server, process)
  }

  static func store(
    at root: String, over server: ScriptedServer, _ process: ProcessFacts
  ) -> AdapterStore {
    AdapterStore(
      root: root, tool: "tests 1", process: process,
      downloader: Downloader(
        root: root, transport: server, process: process, surroundings: FakeTime().surroundings),
      readBase: readBase)
  }

  /// A base in these tests is a text file with its signature.
  static let readBase: AdapterStore.BaseReader = { path in
    let text = String(decoding: try FileSystem.read(path, limit: 1000), as: UTF8.self)
    let signature = text.split(separator: "\n").first.map(String.init) ?? ""
    guard isSignature(signature) else { throw BadBase() }
    return contract(signature)
  }

  struct BadBase: Error, CustomStringConvertible {
    var description: String { "no signature in the first line" }
  }

  static func contract(_ signature: String) -> BaseContract {
    let shape = MatrixShape(rows: 8, columns: 8)
    return BaseContract(
      signature: signature, architecture: "llama",
      layers: Array(repeating: [.query: shape, .value: shape], count: 2))
  }

  /// Writes a package and returns its path.
  func package(
    _ name: String = "demo", signature: String = first, version: Int = 1,
    stating stated: String? = nil
  ) throws -> String {
    var random = SeededGenerator(seed: UInt64(version))
    let layers = Self.contract(signature).layers.map { layer in
      // In order: that of a dictionary is not the same twice.
      LoRATarget.allCases.reduce(into: [LoRATarget: LowRankPair]()) { pairs, target in
        guard let shape = layer[target] else { return }
        pairs[target] = LowRankPair(
          a: Self.halves(2 * shape.columns, &random), b: Self.halves(2 * shape.rows, &random),
          rank: 2, shape: shape)
      }
    }
    var metadata = try AdapterMetadata(
      name: name, baseModelSignature: signature, loraRank: 2, author: "version \(version)")
    metadata.statedSettings = AdapterSettings(
      alpha: 4, version: stated.flatMap { AdapterVersion($0) }, architecture: "llama")
    return try AdapterWriter.write(
      metadata, layers: layers, to: "\(sources)/\(name)-\(signature.prefix(3))-\(version)",
      replacing: true)
  }

  /// Writes a base and returns its path.
  func base(_ name: String, signature: String = first, weights: String = "") throws -> String {
    try directory.write("\(signature)\n\(weights)", to: "sources/\(name)")
  }

  /// Names of what is under `path` of the store, hidden ones included.
  func names(_ path: String) throws -> [String] {
    let full = "\(root)/\(path)"
    return try FileSystem.info(full) == nil ? [] : FileSystem.list(full).map(\.name.description)
  }

  private static func halves(_ count: Int, _ random: inout SeededGenerator) -> TensorBytes {
    TensorBytes(
      (0..<count).flatMap { _ in
        [UInt8.random(in: 0...255, using: &random), 0x30 | UInt8.random(in: 0...7, using: &random)]
      })
  }
}

extension StoreFixture {
  /// The address of a catalog that is nowhere but in a test's script.
  static func catalogAddress(_ name: String) -> String { "https://\(name).example/index.json" }

  /// The text of a catalog with entries such as `demo 1.0.0`, `demo 1.0.0 <signature>`, or `demo 1.0.0!` of what is withdrawn.
  ///
  /// The digests follow from `seed`, so that another seed means other bytes.
  static func index(
    _ entries: [String], seed: Character = "a", as digests: [String: (Int, String)] = [:]
  ) -> [UInt8] {
    let adapters = entries.map { entry -> JSONValue in
      let words = entry.split(separator: " ").map(String.init)
      let signature = words.count > 2 ? words[2] : first
      let identifier = "fmadapter-\(words[0])-\(signature.prefix(7))"
      let files = [PackageFile.weights, PackageFile.metadata].map { name in
        JSONValue.object([
          "path": .string(name), "size": .number(JSONNumber(digests[name]?.0 ?? 10)),
          "sha256": .string(digests[name]?.1 ?? String(repeating: seed, count: 64)),
        ])
      }
      let version = words[1].hasSuffix("!") ? String(words[1].dropLast()) : words[1]
      var object: JSONObject = [
        "identifier": .string(identifier), "name": .string(words[0]),
        "version": .string(version), "baseModelSignature": .string(signature),
        "url": .string("\(identifier)/\(version)/"), "files": .array(files),
      ]
      if version != words[1] { object["yanked"] = .string("wrong") }
      return .object(object)
    }
    let index: JSONObject = [
      "formatVersion": .number(JSONNumber(1)), "adapters": .array(adapters),
    ]
    return Array(JSONValue.object(index).text.utf8)
  }

  /// The folder with the files of a version, such as `demo 1.0.0`, in the catalog's folder at `site`.
  static func folder(of entry: String, in site: String) throws -> String {
    let bytes = try FileSystem.read("\(site)/index.json", limit: 1 << 20)
    let adapter = try Catalog(parsing: bytes, url: "https://a.example/index.json").adapters.first {
      "\($0.name) \($0.version)" == entry
    }
    return String(try #require(adapter).url.dropFirst("https://a.example/".count).dropLast())
  }

  /// Puts the catalog `name` into the list, with these entries as its answer.
  func addCatalog(
    _ name: String, _ entries: [String], to downloads: ScriptedDownloads, seed: Character = "a",
    as digests: [String: (Int, String)] = [:]
  ) async throws {
    let address = Self.catalogAddress(name)
    downloads.answer(address, .success(Self.index(entries, seed: seed, as: digests)))
    try store().addCatalog(CatalogSource(address, directory: "/"))
  }

  /// A package that is installed as if it had come from the catalog `name`.
  func installPackage(
    _ package: String, from catalog: String? = nil, as version: String? = nil
  ) async throws -> InstalledAdapter {
    let adapter = try await store().installAdapter(.path(package)).adapter
    guard catalog != nil || version != nil, let receipt = adapter.receipt else { return adapter }
    let changed = Receipt(
      source: receipt.source, installed: receipt.installed, tool: receipt.tool,
      files: receipt.files, base: nil,
      version: version.flatMap { AdapterVersion($0) } ?? receipt.version,
      catalog: catalog.map(Self.catalogAddress))
    let path = "\(root)/adapters/\(adapter.identifier)/receipt.json"
    try FileSystem.makeWritable(path)
    try changed.write(to: path)
    return try store().adapter(named: adapter.identifier.description)
  }
}

extension StoreFixture {
  /// Puts an adapter into the store whose weights are `weights`, whatever they mean, and returns its entry.
  @discardableResult
  func plant(
    _ name: String = "large", signature: String = first, weights: [UInt8], source: String = "/gone"
  ) throws -> StoreEntry {
    let metadata = try AdapterMetadata(name: name, baseModelSignature: signature, loraRank: 2)
    let identifier = metadata.adapterIdentifier.description
    let entry = "store/adapters/\(identifier)"
    let package = "\(entry)/\(StoreLayout.package)"
    try directory.write(weights, to: "\(package)/adapter_weights.bin")
    try directory.write(metadata.text, to: "\(package)/metadata.json")
    let path = directory.path(entry)
    let records = try ["metadata.json", "adapter_weights.bin"].map { file in
      let inner = "\(StoreLayout.package)/\(file)"
      return try FileRecord(path: inner, file: "\(path)/\(inner)")
    }
    let receipt = Receipt(
      source: source, installed: Date(timeIntervalSince1970: 1_800_000_000), tool: "tests 1",
      files: records, base: nil)
    try receipt.write(to: "\(path)/\(StoreLayout.receipt)")
    return StoreEntry(kind: .adapter, name: identifier, path: path)
  }

  /// Random bytes, the same for the same seed.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    // Of a length that fits into no power of two, so that no part of 8 MiB is like another.
    let block = random.bytes(min(count, 65_537))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
  }

  /// Changes the file at `path` of the store in place, as a bad disk does.
  func damage(_ path: String, _ change: (FileHandle) throws -> Void) throws {
    let file = URL(fileURLWithPath: "\(root)/\(path)")
    try FileSystem.makeWritable(file.path)
    let handle = try FileHandle(forUpdating: file)
    try change(handle)
    try handle.close()
  }

  /// Makes the receipt of the entry at `path` of the store one that a newer program wrote.
  func makeNewer(_ path: String) throws {
    try change("\(path)/receipt.json", "\"formatVersion\" : 1", to: "\"formatVersion\" : 2")
  }

  /// Writes `new` in the place of `old` in the file at `path` of the store.
  func change(_ path: String, _ old: String, to new: String) throws {
    try FileSystem.makeWritable("\(root)/\(path)")
    try directory.edit("store/\(path)", old, new)
  }

  /// Flips one bit of the file at `path` of the store.
  func flipBit(_ path: String, at offset: Int) throws {
    try damage(path) { handle in
      try handle.seek(toOffset: UInt64(offset))
      let byte = try handle.read(upToCount: 1)?.first ?? 0
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([byte ^ 0x10]))
    }
  }
}
