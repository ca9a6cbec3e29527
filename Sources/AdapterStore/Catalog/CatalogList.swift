package import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// The configured catalogs in the order in which they were added, and what in the list cannot be used.
  ///
  /// A list that cannot be read counts as empty.
  public func catalogs() -> (catalogs: [CatalogSource], problems: [StoreProblem]) {
    CatalogList(layout: layout).read()
  }

  /// Whether the list can be read, or no store has been made yet; an entry that cannot be is no reason why it could not.
  ///
  /// - Throws: `StoreError.noStore` where no store can be, as its disk is not there, and `.storage`.
  package func checkCatalogs() throws(StoreError) {
    try StorePlace(root: root).check()
    try storing { () throws(FileError) in
      if try FileSystem.info(layout.catalogs) != nil { _ = try FileSystem.list(layout.catalogs) }
    }
  }

  /// Puts `source` at the end of the list; false when it was there already.
  ///
  /// - Throws: `StoreError.noStore` or `.storage`.
  @discardableResult
  public func addCatalog(_ source: CatalogSource) throws(StoreError) -> Bool {
    try checkCatalogs()
    guard !catalogs().catalogs.contains(source) else { return false }
    try storing { () throws(FileError) in
      try CatalogList(layout: layout).add(source, at: process.now())
    }
    return true
  }

  /// Takes `source` from the list, and its copy from the store; the adapters that came from it stay.
  ///
  /// Nothing is asked of the catalog: neither it nor its disk need be there.
  ///
  /// - Returns: the catalog as it stood in the list.
  /// - Throws: `StoreError.noCatalog`, `.noStore` or `.storage`.
  @discardableResult
  public func removeCatalog(_ source: CatalogSource) throws(StoreError) -> CatalogSource {
    try checkCatalogs()
    let list = CatalogList(layout: layout)
    let found = list.hasEntry(of: source) ? source : try listed(source)
    try storing { () throws(FileError) in try list.remove(found) }
    CatalogCopies(layout: layout).remove(found)
    return found
  }

  /// The configured catalog that `source` means, in whichever capitals.
  ///
  /// - Throws: `StoreError.noCatalog`.
  func listed(_ source: CatalogSource) throws(StoreError) -> CatalogSource {
    let all = catalogs().catalogs
    let named = TypedName(source.description).matches(all) { [$0.description] }
    guard let found = named.first else {
      throw .noCatalog(source.description, known: all.map(\.description))
    }
    return found
  }

  /// What `source` had when it was last read, and when that was; nil when it never was.
  package func keptCatalog(_ source: CatalogSource) -> (catalog: Catalog, read: Date)? {
    CatalogCopies(layout: layout).copy(of: source).map { ($0.catalog, $0.seen) }
  }
}

/// The configured catalogs: one file for each in `catalogs/`, named after the digest of its address.
///
/// The directory is the list, so that processes that add and remove at the same moment lose nothing of each other's.
/// A file has two lines: the address, and when it was added, in microseconds since 1970.
struct CatalogList: Sendable {
  private struct Item {
    let source: CatalogSource
    let added: Int
  }

  let layout: StoreLayout

  /// The catalogs in the order in which they were added, and what in the list cannot be used.
  func read() -> (catalogs: [CatalogSource], problems: [StoreProblem]) {
    let (items, problems) = self.items()
    return (items.map(\.source), problems)
  }

  /// Puts `source` behind all others; one that is there keeps its place.
  func add(_ source: CatalogSource, at now: Date) throws(FileError) {
    let items = items().items
    guard !items.contains(where: { $0.source == source }) else { return }
    // Clocks are set back: the order of adding is kept all the same.
    let time = max(Int(now.timeIntervalSince1970 * 1e6), (items.last?.added ?? 0) + 1)
    try FileSystem.createDirectory(layout.catalogs)
    try AtomicFile.write(Array("\(source.address)\n\(time)\n".utf8), to: path(of: source))
  }

  /// Whether something stands in the place of `source`, also what cannot be read.
  func hasEntry(of source: CatalogSource) -> Bool { FileSystem.kind(of: path(of: source)) != nil }

  /// Takes `source` from the list.
  func remove(_ source: CatalogSource) throws(FileError) {
    try FileSystem.removeTree(path(of: source))
  }

  private func items() -> (items: [Item], problems: [StoreProblem]) {
    var items: [Item] = []
    var problems: [StoreProblem] = []
    do throws(FileError) {
      guard try FileSystem.info(layout.catalogs) != nil else { return ([], []) }
      for entry in try FileSystem.list(layout.catalogs) where !entry.name.hasPrefix(".") {
        let path = FilePath.join(layout.catalogs, "\(entry.name)")
        if entry.name.text != nil, let item = item(path) {
          items.append(item)
        } else if try FileSystem.info(RawPath(layout.catalogs).appending(entry.name)) != nil {
          problems.append(Self.problem(path, "This is not an entry of the list of catalogs."))
        }
      }
    } catch {
      return ([], [Self.problem(layout.catalogs, "The list of catalogs cannot be read: \(error).")])
    }
    items.sort { ($0.added, $0.source.address) < ($1.added, $1.source.address) }
    return (items, problems)
  }

  private func item(_ path: String) -> Item? {
    guard let bytes = try? FileSystem.read(path, limit: 8192) else { return nil }
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard lines.count == 2, let added = Int(lines[1]), (0..<Int.max / 2).contains(added),
      let source = CatalogSource(listed: lines[0]), self.path(of: source) == path
    else { return nil }
    return Item(source: source, added: added)
  }

  private static func problem(_ path: String, _ message: String) -> StoreProblem {
    StoreProblem(
      rule: "catalogs.unreadable", path: path, message: message,
      remedy: "Remove it, then add the catalog again.")
  }

  private func path(of source: CatalogSource) -> String {
    FilePath.join(layout.catalogs, source.digest)
  }
}

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
    let envelope = Envelope(
      formatVersion: 1, address: source.address, url: WebAddress.shown(url),
      seen: Int(now.timeIntervalSince1970),
      index: String(decoding: bytes, as: UTF8.self))
    try? FileSystem.createDirectory(layout.catalogCopies)
    try? StoredJSON.write(envelope, to: path(of: source))
  }

  /// The last copy of `source`, if there is one.
  func copy(of source: CatalogSource) -> Copy? {
    guard let envelope: Envelope = StoredJSON.read(path(of: source), limit: 32 << 20),
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
