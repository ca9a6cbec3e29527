public import Foundation
import TensorFiles

extension AdapterStore {
  /// The configured catalogs in the order in which they were added, and what in the list cannot be used.
  ///
  /// A list that cannot be read counts as empty.
  public func catalogs() -> (catalogs: [CatalogSource], problems: [StoreProblem]) {
    let bytes: [UInt8]
    do throws(TensorFileError) {
      guard try FileSystem.info(layout.catalogs) != nil else { return ([], []) }
      bytes = try FileSystem.read(layout.catalogs, limit: 1 << 20)
    } catch {
      return (
        [],
        [
          StoreProblem(
            path: layout.catalogs, message: "The list of catalogs cannot be read: \(error)",
            remedy: "Remove the file, then add the catalogs again.")
        ]
      )
    }
    var sources: [CatalogSource] = []
    var problems: [StoreProblem] = []
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty {
      if let source = CatalogSource(listed: String(decoding: line, as: UTF8.self)) {
        if !sources.contains(source) { sources.append(source) }
      } else {
        problems.append(
          StoreProblem(
            path: layout.catalogs, message: "Line \(index + 1) is not the address of a catalog.",
            remedy: "Remove the line."))
      }
    }
    return (sources, problems)
  }

  /// Puts `source` at the end of the list; false when it was there already.
  ///
  /// - Throws: `StoreError.storage`.
  @discardableResult
  public func addCatalog(_ source: CatalogSource) throws(StoreError) -> Bool {
    let sources = catalogs().catalogs
    guard !sources.contains(source) else { return false }
    try write(sources + [source])
    return true
  }

  /// Takes `source` from the list, and its copy from the store; the adapters that came from it stay.
  ///
  /// - Throws: `StoreError.noCatalog` or `.storage`.
  public func removeCatalog(_ source: CatalogSource) throws(StoreError) {
    let sources = catalogs().catalogs
    guard sources.contains(source) else {
      throw .noCatalog(source.description, known: sources.map(\.description))
    }
    try write(sources.filter { $0 != source })
    CatalogCopies(layout: layout).remove(source)
  }

  /// What `source` had when it was last read, and when that was; nil when it never was.
  public func keptCatalog(_ source: CatalogSource) -> (catalog: Catalog, read: Date)? {
    CatalogCopies(layout: layout).copy(of: source).map { ($0.catalog, $0.seen) }
  }

  private func write(_ sources: [CatalogSource]) throws(StoreError) {
    let text = sources.map { $0.address + "\n" }.joined()
    try storing { () throws(TensorFileError) in
      try FileSystem.createDirectory(root)
      try AtomicFile.write(Array(text.utf8), to: layout.catalogs)
    }
  }
}
