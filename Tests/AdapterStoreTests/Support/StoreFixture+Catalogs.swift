import Adapters
import TensorFiles

@testable import AdapterStore

extension StoreFixture {
  /// The address of a catalog that is nowhere but in a test's script.
  static func catalogAddress(_ name: String) -> String { "https://\(name).example/index.json" }

  /// The text of a catalog with entries such as `demo 1.0.0`, or `demo 1.0.0 <signature>`.
  ///
  /// The digests follow from `seed`, so that another seed means other bytes.
  static func index(_ entries: [String], seed: Character = "a") -> [UInt8] {
    let adapters = entries.map { entry -> JSONValue in
      let words = entry.split(separator: " ").map(String.init)
      let signature = words.count > 2 ? words[2] : first
      let identifier = "fmadapter-\(words[0])-\(signature.prefix(7))"
      let files = [PackageFile.weights, PackageFile.metadata].map { name in
        JSONValue.object([
          "path": .string(name), "size": .number(JSONNumber(10)),
          "sha256": .string(String(repeating: seed, count: 64)),
        ])
      }
      return .object([
        "identifier": .string(identifier), "name": .string(words[0]),
        "version": .string(words[1]), "baseModelSignature": .string(signature),
        "url": .string("\(identifier)/\(words[1])/"), "files": .array(files),
      ])
    }
    let index: JSONObject = [
      "formatVersion": .number(JSONNumber(1)), "adapters": .array(adapters),
    ]
    return Array(JSONValue.object(index).text.utf8)
  }

  /// Puts the catalog `name` into the list, with these entries as its answer.
  func addCatalog(
    _ name: String, _ entries: [String], to downloads: ScriptedDownloads, seed: Character = "a"
  ) async throws {
    let address = Self.catalogAddress(name)
    downloads.answer(address, .success(Self.index(entries, seed: seed)))
    try await store().addCatalog(CatalogSource(address, directory: "/"))
  }

  /// A package that is installed as if it had come from the catalog `name`.
  func installPackage(
    _ package: String, from catalog: String? = nil, as version: String? = nil
  ) async throws -> InstalledAdapter {
    let adapter = try await store().installAdapter(package).adapter
    guard catalog != nil || version != nil, let receipt = adapter.receipt else { return adapter }
    let changed = Receipt(
      source: receipt.source, installed: receipt.installed, tool: receipt.tool,
      files: receipt.files, base: nil,
      version: version.flatMap { AdapterVersion($0) } ?? receipt.version,
      catalog: catalog.map(Self.catalogAddress))
    let path = "\(root)/adapters/\(adapter.identifier)/receipt.json"
    try FileSystem.makeWritable(path)
    try changed.write(to: path)
    return try await store().adapter(named: adapter.identifier.description)
  }
}
