import Adapters
import SystemFiles

extension AdapterStore {
  /// A lock file of the installed adapters that `names` names, or of all.
  ///
  /// - Throws: `StoreError.noAdapter`, `.ambiguous`; `.lock` for one whose origin or files nobody knows, or for two of a name from two
  ///   catalogs; `.damaged`, `.storage`.
  package func lock(_ names: [String] = []) throws(StoreError) -> LockFile {
    var adapters = names.isEmpty ? try self.adapters().adapters : []
    for name in names {
      let named = try adapter(named: name)
      if !adapters.contains(where: { $0.identifier == named.identifier }) { adapters.append(named) }
    }
    adapters.sort { $0.identifier.description < $1.identifier.description }
    let locked = try adapters.map { adapter throws(StoreError) in try LockedAdapter(adapter) }
    // Read again, so that what is written can be.
    return try LockFile(parsing: Array(LockFile(adapters: locked).text.utf8), path: root)
  }
}

extension LockedAdapter {
  /// `adapter` as it is installed.
  fileprivate init(_ adapter: InstalledAdapter) throws(StoreError) {
    guard let receipt = adapter.receipt else {
      throw .lock(
        path: adapter.path,
        reason: "nobody knows where it came from: its receipt is missing"
          + "\(remedy: "install it again")")
    }
    let files = receipt.files.map {
      CatalogFile(path: FilePath.name(of: $0.path), size: $0.size, sha256: $0.sha256)
    }
    let entry = CatalogAdapter(
      adapter.metadata, files, url: receipt.folder, version: adapter.version)
    self.init(adapter: entry, catalog: receipt.catalog)
  }
}

extension Receipt {
  /// Where its files are: the folder's address or path, or the address of a registry.
  fileprivate var folder: String {
    // What is found on a hub has addresses of its own, with the commit in them.
    let fetched = sources?.first { FilePath.name(of: $0.path) == PackageFile.metadata }?.url
    let place = hub == nil ? source : fetched.map(CatalogAddress.parent(of:)) ?? source
    let path = CatalogSource(listed: place)?.path ?? place
    guard !RegistryReference.isReference(path), !path.hasSuffix("/") else { return path }
    return path + "/"
  }
}
