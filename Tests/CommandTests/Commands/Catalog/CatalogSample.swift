import Adapters
import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

/// A store with a base and, beside it, a catalog in a folder of this machine.
struct CatalogSample {
  let sample: SampleBase
  var store: TemporaryDirectory { sample.folder }
  var site: String { store.path("site") }
  static let identifier = "fmadapter-echo-ccccccc"

  /// The base is installed; the catalog has these versions, and is not added to the store while it has none.
  init(publishing versions: String...) throws {
    sample = try SampleBase()
    try run("base", "install", sample.base).expectSuccess()
    if !versions.isEmpty { try publish(versions) }
  }

  @discardableResult
  func run(_ arguments: String...) throws -> ProcessResult { try run(arguments) }

  @discardableResult
  func run(
    _ arguments: [String], environment: [String: String?] = [:]
  ) throws -> ProcessResult {
    try Tool.run(arguments, store: store, environment: environment)
  }

  /// A copy of the package that states `version`; `note` makes its bytes others.
  func package(_ version: String, note: String = "") throws -> String {
    let path = try store.copy(
      URL(fileURLWithPath: sample.package), to: "packages/\(version)\(note).fmadapter")
    let file = "\(path)/metadata.json"
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var metadata = try AdapterMetadata(parsing: bytes, file: file)
    metadata.statedSettings?.version = AdapterVersion(version)
    metadata.description = "Says it again\(note)"
    metadata.license = "MIT"
    try FileManager.default.removeItem(atPath: file)
    try Data(metadata.text.utf8).write(to: URL(fileURLWithPath: file))
    return path
  }

  /// Publishes these versions, and adds the catalog to the store.
  func publish(_ versions: String...) throws { try publish(versions) }

  /// The folder with the files of the version that the catalog lists first.
  func firstFolder() throws -> String {
    let bytes = try FileSystem.read("\(site)/index.json", limit: 1 << 20)
    let adapters = try JSONDocument(parsing: bytes).root.object?["adapters"]?.array
    return "\(site)/\(try #require(adapters?.first?.object?["url"]?.string))"
  }

  private func publish(_ versions: [String]) throws {
    for version in versions {
      try run("publish", site, package(version), "--replace").expectSuccess()
    }
    try run("catalog", "add", site).expectSuccess()
  }

  /// Starts the catalog over with these versions alone.
  func republish(_ versions: String...) throws {
    try FileManager.default.removeItem(atPath: site)
    for version in versions {
      try run("publish", site, package(version, note: "!")).expectSuccess()
      try FileManager.default.removeItem(atPath: store.path("packages/\(version)!.fmadapter"))
    }
  }

  /// The version that `list --json` shows; nil when nothing is installed.
  func installedVersion() throws -> String? {
    try run("list", "--json").objects().first?["version"] as? String
  }
}
