import Adapters
import Foundation
import TensorFiles

/// The catalogs as they were last seen, so that asking for the state of an adapter needs no network.
///
/// One file for each catalog in `catalogs.d/`, named after the address; one that cannot be read counts as absent.
struct CatalogCopies: Sendable {
  /// A catalog, and when it was seen.
  struct Copy: Sendable {
    let source: CatalogSource
    let catalog: Catalog
    let seen: Date
  }

  private struct Envelope: Codable {
    let formatVersion: Int
    let address: String
    let url: String
    let seen: Int
    let index: String
  }

  let layout: StoreLayout

  /// Keeps `bytes`, which came from `url` and are a catalog.
  ///
  /// A copy that cannot be written is no error.
  func save(_ bytes: [UInt8], from url: String, of source: CatalogSource, at now: Date) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let envelope = Envelope(
      formatVersion: 1, address: source.address, url: WebAddress.shown(url),
      seen: Int(now.timeIntervalSince1970),
      index: String(decoding: bytes, as: UTF8.self))
    guard let data = try? encoder.encode(envelope) else { return }
    try? FileSystem.createDirectory(layout.catalogCopies)
    try? AtomicFile.write(Array(data), to: path(of: source))
  }

  /// The last copy of `source`, if there is one.
  func copy(of source: CatalogSource) -> Copy? {
    guard let bytes = try? FileSystem.read(path(of: source), limit: 32 << 20),
      let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)),
      envelope.formatVersion == 1, envelope.address == source.address,
      let catalog = try? Catalog(parsing: Array(envelope.index.utf8), url: envelope.url)
    else { return nil }
    return Copy(
      source: source, catalog: catalog, seen: Date(timeIntervalSince1970: Double(envelope.seen)))
  }

  func remove(_ source: CatalogSource) {
    try? FileSystem.removeTree(path(of: source))
  }

  private func path(of source: CatalogSource) -> String {
    FilePath.join(layout.catalogCopies, "\(source.digest).json")
  }
}
