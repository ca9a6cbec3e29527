package import FoundationEssentials
public import SystemFiles

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

  /// Puts `source` at the end of the list; false when it was there already, with these keys.
  ///
  /// With `keys`, only an index that one of them signed is believed from then on. They stay until the catalog is removed.
  ///
  /// - Throws: `StoreError.otherKeys` where it is there with others, `.noStore` or `.storage`.
  @discardableResult
  public func addCatalog(
    _ source: CatalogSource, keys: [PublicKey] = []
  ) throws(StoreError) -> Bool {
    try checkCatalogs()
    let list = CatalogList(layout: layout)
    let isThere = catalogs().catalogs.contains(source)
    let pinned = try list.keys(of: source)
    try checkKeys(keys, of: source)
    if isThere, keys.isEmpty || !pinned.isEmpty { return false }
    try storing { () throws(FileError) in try list.add(source, keys: keys, at: process.now()) }
    return true
  }

  /// Refuses `keys`, where there are any, for a catalog that has others.
  ///
  /// - Throws: `StoreError.otherKeys`, `.untrusted` where it cannot be known which it has.
  package func checkKeys(_ keys: [PublicKey], of source: CatalogSource) throws(StoreError) {
    let pinned = try self.keys(of: source)
    guard !keys.isEmpty, !pinned.isEmpty, Set(keys) != Set(pinned) else { return }
    throw .otherKeys(
      "\(source)", pinned: pinned.map(\.fingerprint), given: keys.map(\.fingerprint))
  }

  /// The keys one of which has to have signed the index of `source`; none where it needs no signature.
  ///
  /// - Throws: `StoreError.untrusted` where its entry in the list cannot be read.
  public func keys(of source: CatalogSource) throws(StoreError) -> [PublicKey] {
    try CatalogList(layout: layout).keys(of: source)
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
    copies.remove(found)
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
    copies.copy(of: source).map { ($0.catalog, $0.seen) }
  }
}

/// The configured catalogs: one file for each in `catalogs/`, named after the digest of its address.
///
/// The directory is the list, so that processes that add and remove at the same moment lose nothing of each other's.
/// A file has two lines, the address, and when it was added, in microseconds since 1970; behind them the keys, in PEM.
struct CatalogList: Sendable {
  private struct Item {
    let source: CatalogSource
    let added: Int
    let keys: [PublicKey]
  }

  let layout: StoreLayout

  /// The catalogs in the order in which they were added, and what in the list cannot be used.
  func read() -> (catalogs: [CatalogSource], problems: [StoreProblem]) {
    let (items, problems) = self.items()
    return (items.map(\.source), problems)
  }

  /// The keys of `source`; none where it is not in the list.
  ///
  /// An entry that is there and cannot be read may have some: nobody is believed without them.
  func keys(of source: CatalogSource) throws(StoreError) -> [PublicKey] {
    let path = path(of: source)
    if let item = item(path) { return item.keys }
    guard FileSystem.kind(of: path) == nil else {
      throw .untrusted("\(source)", .unknownKeys(entry: path))
    }
    return []
  }

  /// Puts `source` behind all others, with `keys`; one that is there keeps its place.
  func add(_ source: CatalogSource, keys: [PublicKey], at now: Date) throws(FileError) {
    let items = items().items
    // Clocks are set back: the order of adding is kept all the same.
    let time =
      items.first { $0.source == source }?.added
      ?? max(Int(now.timeIntervalSince1970 * 1e6), (items.last?.added ?? 0) + 1)
    try FileSystem.createDirectory(layout.catalogs)
    try AtomicFile.write(
      Array("\(source.address)\n\(time)\n\(keys.map(\.pem).joined())".utf8), to: path(of: source))
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
    guard let bytes = try? FileSystem.read(path, limit: 64 << 10) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 2)
    guard lines.count >= 2, let added = Int(lines[1]), (0..<Int.max / 2).contains(added),
      let source = CatalogSource(listed: String(lines[0])), self.path(of: source) == path,
      let keys = Self.keys(lines.count == 2 ? "" : lines[2])
    else { return nil }
    return Item(source: source, added: added, keys: keys)
  }

  /// The keys that `text` has behind each other; nil where any of it is none.
  private static func keys(_ text: Substring) -> [PublicKey]? {
    let end = "-----END PUBLIC KEY-----\n"
    var (keys, rest) = ([PublicKey](), text)
    while !rest.isEmpty {
      guard let range = rest.firstRange(of: end),
        let key = try? PublicKey(pem: String(rest[..<range.upperBound]))
      else { return nil }
      keys.append(key)
      rest = rest[range.upperBound...]
    }
    return keys
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
