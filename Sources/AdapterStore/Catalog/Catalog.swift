public import Adapters

/// A list of adapters for download: the file `index.json` in a folder of static files.
///
/// ```
/// index.json                                             formatVersion 1, and adapters
/// index.signed.json                                      the same with its signature, where it has one
/// <identifier>/<version>/<digest>/metadata.json          the files of a package, where the adapter's url says
/// <identifier>/<version>/<digest>/adapter_weights.bin
/// ```
package struct Catalog: Sendable, Equatable {
  /// Where it was read from, after redirects; what relative addresses in it are relative to.
  package let url: String
  /// The adapters in file order; no two have the same identifier and version.
  package let adapters: [CatalogAdapter]
  /// What it says of itself where it is signed.
  package let issue: CatalogIssue?

  /// Name of the file in a catalog's folder.
  static let fileName = "index.json"
  /// Bytes that the file may have.
  static let sizeLimit = 8 << 20
}

/// One version of an adapter in a catalog.
public struct CatalogAdapter: Sendable, Equatable {
  /// Its name in a store.
  public let identifier: AdapterIdentifier
  /// Its version.
  public let version: AdapterVersion
  /// 40 lowercase hexadecimal digits; the first 7 are in the identifier.
  public let baseModelSignature: String
  /// What it does; nil when the catalog does not say.
  public let description: String?
  /// The licence of the weights; nil when the catalog does not say.
  public let license: String?
  /// Why its publisher withdrew it, so that nobody should install it any more: empty when that is not said, nil when it is not
  /// withdrawn.
  public let yanked: String?
  /// Absolute address of the folder with its files, with a slash at its end.
  let url: String
  /// The package's files, `metadata.json` and `adapter_weights.bin` among them.
  let files: [CatalogFile]
  /// Files that only later programs know, which are neither fetched nor installed, as those of a folder are not.
  let laterFiles: [CatalogFile]

  /// A package with `metadata`, as a catalog would have it whose `files` are at `url`; `version` is the one that it came as.
  init(
    _ metadata: AdapterMetadata, _ files: [CatalogFile], url: String,
    version: AdapterVersion? = nil
  ) {
    identifier = metadata.adapterIdentifier
    self.version = version ?? metadata.version
    baseModelSignature = metadata.baseModelSignature
    (description, license, yanked) = (nil, nil, nil)
    self.url = url
    self.files = files.sorted { $0.path < $1.path }
    laterFiles = []
  }

  /// Name without prefix and signature, as users type it.
  package var name: String { identifier.name }
  /// Bytes of all files.
  public var size: Int { files.reduce(0) { $0 + $1.size } }
}

/// A file of a package in a catalog.
struct CatalogFile: Sendable, Equatable {
  /// Its name in the package, one of the format's.
  let path: String
  /// Bytes; all files of an adapter together stay below 2^40.
  let size: Int
  /// 64 lowercase hexadecimal digits.
  let sha256: String
}
