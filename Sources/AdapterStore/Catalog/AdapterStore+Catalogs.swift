public import Foundation
import TensorFiles

extension AdapterStore {
  /// The configured catalogs in the order in which they were added, and what in the list cannot be used.
  ///
  /// A list that cannot be read counts as empty.
  public func catalogs() -> (catalogs: [CatalogSource], problems: [StoreProblem]) {
    CatalogList(layout: layout).read()
  }

  /// Puts `source` at the end of the list; false when it was there already.
  ///
  /// - Throws: `StoreError.storage`.
  @discardableResult
  public func addCatalog(_ source: CatalogSource) throws(StoreError) -> Bool {
    guard !catalogs().catalogs.contains(source) else { return false }
    try storing { () throws(TensorFileError) in
      try CatalogList(layout: layout).add(source, at: process.now())
    }
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
    try storing { () throws(TensorFileError) in try CatalogList(layout: layout).remove(source) }
    CatalogCopies(layout: layout).remove(source)
  }

  /// What `source` had when it was last read, and when that was; nil when it never was.
  public func keptCatalog(_ source: CatalogSource) -> (catalog: Catalog, read: Date)? {
    CatalogCopies(layout: layout).copy(of: source).map { ($0.catalog, $0.seen) }
  }
}
