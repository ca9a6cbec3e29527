package import Adapters
import SystemFiles

// What changes the index alone.
extension CatalogPublisher {
  /// Says of `requests`, each of a name or identifier and a version, that nobody should install them any more, for `reason`,
  /// which may be empty; nil takes that back.
  ///
  /// Their files stay, for those who have them locked.
  ///
  /// - Returns: the versions that it was not said of before.
  /// - Throws: `StoreError.notInCatalogs` for what the folder has not, `.signedCatalog`, `.invalidCatalog`, `.storage`.
  package func yank(
    _ requests: [AdapterRequest], for reason: String?
  ) throws(StoreError) -> [(identifier: AdapterIdentifier, version: AdapterVersion)] {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    var index = try index()
    var changed: [(identifier: AdapterIdentifier, version: AdapterVersion)] = []
    for request in requests {
      let named = request.matches(index.versions) { $0.identifier }
      let wanted = named.filter { $0.version == request.version }
      guard !wanted.isEmpty else {
        throw .notInCatalogs(
          request.text,
          known: (named.isEmpty ? index.versions : named).map { "\($0.identifier)@\($0.version)" })
      }
      for found in wanted where index.yank(found.identifier, found.version, for: reason) {
        changed.append(found)
      }
    }
    try write(index)
    return changed
  }

  /// Signs the index as it is, with the next serial number, unless it is signed and good for half of its time.
  ///
  /// - Throws: `StoreError.noIndex` where there is none, `.signedCatalog`, `.invalidCatalog`, `.storage`.
  package func signIndex() throws(StoreError) -> CatalogIssue? {
    precondition(signer != nil, "a publisher without a key signs nothing")
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let path = FilePath.join(directory, Catalog.fileName)
    guard try storing({ () throws(FileError) in try FileSystem.info(path) }) != nil else {
      throw .noIndex(path: path)
    }
    return try write(try index())
  }
}
