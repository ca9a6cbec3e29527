import Adapters

/// What has the files of a lock file in place of where they came from: copies of catalogs' folders, or a registry.
struct LockMirror: Sendable {
  private let source: CatalogSource
  private let listed: [CatalogAdapter]

  fileprivate init(_ source: CatalogSource, listed: [CatalogAdapter]) {
    (self.source, self.listed) = (source, listed)
  }

  /// Where the files of `adapter` are asked for.
  ///
  /// That is where the mirror's index lists these very bytes, else where publications put them. A registry has them by their digests.
  func place(of adapter: CatalogAdapter) -> String {
    if source.isInRegistry { return source.address }
    let found = listed.first {
      $0.identifier == adapter.identifier && $0.files == adapter.files
        && $0.version.description == adapter.version.description
    }
    if let found { return found.url }
    let path = PublishedFolder.path(adapter.identifier, adapter.version, adapter.files)
    return "\(CatalogAddress.parent(of: source.address))\(path)/"
  }
}

extension AdapterStore {
  /// The mirror at `source`; several folders may have been copied into one, whose index is then of one of them, or not there.
  ///
  /// - Throws: As ``readCatalog(_:keys:isKept:)``, but for an index that is not there.
  func mirror(_ source: CatalogSource) async throws(StoreError) -> LockMirror {
    guard !source.isInRegistry else { return LockMirror(source, listed: []) }
    do throws(StoreError) {
      let catalog = try await readCatalog(source, isKept: false)
      return LockMirror(source, listed: catalog.adapters)
    } catch {
      guard error.code == .noIndex || error.code == .notOnServer else { throw error }
      return LockMirror(source, listed: [])
    }
  }
}
