import Adapters
import SystemFiles

/// A file on a server, and what is known of it beforehand.
struct RemoteFile: Sendable, Equatable {
  /// Absolute address of its origin; expired redirects are resumed from here.
  var url: String
  /// Path within the entry, such as `package.fmadapter/adapter_weights.bin`.
  var path: String
  /// Bytes, where a catalog says so.
  var size: Int?
  /// What is known of its digest beforehand.
  var claims: [DigestClaim] = []
  /// Whether it is refused when nothing vouches for it.
  var needsDigest = false
  /// What a hub is asked for, where it is one's.
  var hub: HubRequest?

  /// SHA-256 that it has to have, where it is known beforehand: 64 lowercase hexadecimal digits.
  var sha256: String? { claims.first(where: \.isSHA256)?.digest }

  init(
    url: String, path: String, size: Int? = nil, sha256: String? = nil,
    by voucher: DigestVoucher = .catalog
  ) {
    self.url = url
    self.path = path
    self.size = size
    claims = sha256.map { [DigestClaim(voucher, $0)] } ?? []
  }

  /// Its address as it may be kept and shown.
  var shown: String { WebAddress.shown(url) }
}

/// A file that was brought to disk.
struct DownloadedFile: Sendable, Equatable {
  /// Size and digests, as read back from the disk.
  var record: FileRecord
  /// Strong validator of the version that it is.
  var entityTag: String?
  /// Who said what its digest is, and was right; empty when nothing vouches for it.
  var vouchers: [DigestVoucher] = []
}

/// Brings remote files to disk, whole and verified, or says why not.
protocol Downloading: Sendable {
  /// Downloads `file` to `target`, which must not exist and is complete, verified and synced when this returns.
  ///
  /// Partial bytes of earlier attempts, also of other processes that died, are taken up again. `progress` is called
  /// on any thread.
  /// - Throws: `StoreError.network`, `.corrupted`, `.storage`, `.cancelled`.
  @concurrent func download(
    _ file: RemoteFile, to target: String, control: DownloadControl,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> DownloadedFile

  /// Reads a catalog into memory; at most `limit` bytes.
  @concurrent func document(_ url: String, limit: Int) async throws(StoreError) -> (
    bytes: [UInt8], url: String
  )

  /// Reads just `range` of `file`, of the version that is there now; for the repair of one chunk.
  @concurrent func part(of file: RemoteFile, range: Range<Int>) async throws(StoreError) -> [UInt8]
}

/// A package on a server.
struct RemotePackage: Sendable, Equatable {
  /// Address that it is known by, for the receipt.
  var url: String
  /// Who it has to be, where a catalog says so.
  var identifier: AdapterIdentifier?
  /// Its files; none when only the folder's address is known, where files with the usual names are looked for.
  var files: [RemoteFile]
  /// Version that a catalog gives it.
  var version: AdapterVersion?
  /// Address of the catalog that lists it.
  var catalog: String?
  /// What is published beside files that no catalog lists, by their paths within the entry.
  var digests: [String: [DigestClaim]] = [:]
  /// The text of `SHA256SUMS` in the folder, where there is one.
  var digestList: String?
  /// Where on a hub it is.
  var hub: HubOrigin?

  init(
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
  static func path(_ name: String) -> String { StoreLayout.package + "/" + name }

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
