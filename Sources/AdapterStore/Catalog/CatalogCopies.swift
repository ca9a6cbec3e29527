import FoundationEssentials
import SystemFiles

/// The catalogs as they were last seen, so that asking for the state of an adapter needs no network.
///
/// One file for each catalog in `catalogs.d/`, named after the address; one that cannot be read counts as absent.
struct CatalogCopies: Sendable {
  /// A catalog, and when it was seen.
  struct Copy: Sendable {
    let source: CatalogSource
    let catalog: Catalog
    let seen: Date
    /// The index itself.
    let bytes: [UInt8]
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
  func save(
    _ bytes: [UInt8], from url: String, of source: CatalogSource, at now: Date
  ) throws(FileError) {
    let envelope = Envelope(
      formatVersion: 1, address: source.address, url: WebAddress.shown(url),
      seen: Int(now.timeIntervalSince1970),
      index: String(decoding: bytes, as: UTF8.self))
    try FileSystem.createDirectory(layout.catalogCopies)
    try StoredJSON.write(envelope, to: path(of: source))
  }

  /// Keeps `bytes`, which a key of `source` has signed and which `catalog` was read from, unless something newer is there.
  ///
  /// What was seen is what tells an index of before from a new one: without it nothing is believed.
  ///
  /// - Throws: `StoreError.untrusted` for an index that is older than what was seen, or of another catalog; `.storage`.
  func save(
    signed bytes: [UInt8], _ catalog: Catalog, of source: CatalogSource, at now: Date
  ) throws(StoreError) {
    try storing { () throws(FileError) in try FileSystem.createDirectory(layout.catalogCopies) }
    // Between a look and a write another process may write something newer.
    let lock = try LockAttempt.wait(forDirectory: layout.catalogCopies, seconds: 10)
    defer { withExtendedLifetime(lock) {} }
    try check(signed: bytes, catalog, of: source)
    try storing { () throws(FileError) in try save(bytes, from: catalog.url, of: source, at: now) }
  }

  /// Refuses a signed index that is older than one that was seen of `source`, or is not of the same catalog.
  func check(
    signed bytes: [UInt8], _ catalog: Catalog, of source: CatalogSource
  ) throws(StoreError) {
    guard let issue = catalog.issue, let seen = copy(of: source), let last = seen.catalog.issue
    else { return }
    let fault: CatalogFault? =
      if issue.catalog != last.catalog {
        .otherCatalog
      } else if issue.serial < last.serial {
        .rolledBack(serial: issue.serial, seen: last.serial)
      } else if issue.serial == last.serial, seen.bytes != bytes {
        .twoOfOneSerial(issue.serial)
      } else {
        nil
      }
    if let fault { throw .untrusted("\(source)", fault) }
  }

  /// The last copy of `source`, if there is one.
  func copy(of source: CatalogSource) -> Copy? {
    guard let envelope: Envelope = StoredJSON.read(path(of: source), limit: 32 << 20),
      envelope.formatVersion == 1, envelope.address == source.address,
      let catalog = try? Catalog(parsing: Array(envelope.index.utf8), url: envelope.url)
    else { return nil }
    return Copy(
      source: source, catalog: catalog, seen: Date(timeIntervalSince1970: Double(envelope.seen)),
      bytes: Array(envelope.index.utf8))
  }

  func remove(_ source: CatalogSource) {
    try? FileSystem.removeTree(path(of: source))
  }

  private func path(of source: CatalogSource) -> String {
    FilePath.join(layout.catalogCopies, "\(source.digest).json")
  }
}
