package import Adapters

/// A package on a server.
package struct RemotePackage: Sendable, Equatable {
  /// Address that it is known by, for the receipt.
  package var url: String
  /// Who it has to be, where a catalog says so.
  package var identifier: AdapterIdentifier?
  /// Its files; none when only the folder's address is known, where files with the usual names are looked for.
  package var files: [RemoteFile]
  /// Version that a catalog gives it.
  package var version: AdapterVersion?
  /// Address of the catalog that lists it.
  package var catalog: String?
  /// What is published beside files that no catalog lists, by their paths within the entry.
  var digests: [String: [DigestClaim]] = [:]
  /// The text of `SHA256SUMS` in the folder, where there is one.
  var digestList: String?

  package init(
    url: String, identifier: AdapterIdentifier? = nil, files: [RemoteFile] = [],
    version: AdapterVersion? = nil, catalog: String? = nil
  ) {
    self.url = url
    self.identifier = identifier
    self.files = files
    self.version = version
    self.catalog = catalog
  }

  /// The file `name` of the package as it is looked for in the folder at its address.
  func usual(_ name: String) -> RemoteFile {
    RemoteFile(url: WebAddress.join(url, name), path: Self.path(name))
  }

  /// Path within the entry of the file `name` of a package.
  package static func path(_ name: String) -> String { StoreLayout.package + "/" + name }

  /// - Throws: `StoreError.invalidCatalog` when a file is none that a package has, or a digest is no digest.
  func check() throws(StoreError) {
    for file in files {
      guard PackageFile.known.map(Self.path).contains(file.path) else {
        throw .invalidCatalog(
          url: WebAddress.shown(url),
          reason: "it lists '\(file.path)', which is no file of a package")
      }
      guard file.sha256.map(isSHA256) ?? true, file.size ?? 0 >= 0 else {
        throw .invalidCatalog(
          url: WebAddress.shown(url), reason: "size or digest of '\(file.path)' cannot be right")
      }
    }
  }
}
