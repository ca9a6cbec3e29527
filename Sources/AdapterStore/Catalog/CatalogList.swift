import Foundation
import TensorFiles

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
  func add(_ source: CatalogSource, at now: Date) throws(TensorFileError) {
    let items = items().items
    guard !items.contains(where: { $0.source == source }) else { return }
    // Clocks are set back: the order of adding is kept all the same.
    let time = max(Int(now.timeIntervalSince1970 * 1e6), (items.last?.added ?? 0) + 1)
    try FileSystem.createDirectory(layout.catalogs)
    try AtomicFile.write(Array("\(source.address)\n\(time)\n".utf8), to: path(of: source))
  }

  /// Takes `source` from the list.
  func remove(_ source: CatalogSource) throws(TensorFileError) {
    try FileSystem.removeTree(path(of: source))
  }

  private func items() -> (items: [Item], problems: [StoreProblem]) {
    var items: [Item] = []
    var problems: [StoreProblem] = []
    do throws(TensorFileError) {
      guard try FileSystem.info(layout.catalogs) != nil else { return ([], []) }
      for entry in try FileSystem.list(layout.catalogs) where !entry.name.hasPrefix(".") {
        let path = FilePath.join(layout.catalogs, entry.name)
        if let item = item(path) {
          items.append(item)
        } else if try FileSystem.info(path) != nil {
          problems.append(Self.problem(path, "This is not an entry of the list of catalogs."))
        }
      }
    } catch {
      return ([], [Self.problem(layout.catalogs, "The list of catalogs cannot be read: \(error)")])
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
      path: path, message: message,
      remedy: "Remove it, then add the catalog again with 'fmadapter catalog add'.")
  }

  private func path(of source: CatalogSource) -> String {
    FilePath.join(layout.catalogs, source.digest)
  }
}
