/// A file on a server, and what is known of it beforehand.
package struct RemoteFile: Sendable, Equatable {
  /// Absolute address of its origin; expired redirects are resumed from here.
  package var url: String
  /// Path within the entry, such as `package.fmadapter/adapter_weights.bin`.
  package var path: String
  /// Bytes, where a catalog says so.
  package var size: Int?
  /// What is known of its digest beforehand.
  package var claims: [DigestClaim] = []
  /// Whether it is refused when nothing vouches for it.
  package var needsDigest = false

  /// SHA-256 that it has to have, where it is known beforehand: 64 lowercase hexadecimal digits.
  package var sha256: String? { claims.first(where: \.isSHA256)?.digest }

  package init(
    url: String, path: String, size: Int? = nil, sha256: String? = nil,
    by voucher: DigestVoucher = .catalog
  ) {
    self.url = url
    self.path = path
    self.size = size
    claims = sha256.map { [DigestClaim(voucher, $0)] } ?? []
  }

  /// Its address as it may be kept and shown.
  package var shown: String { WebAddress.shown(url) }
}

/// A file that was brought to disk.
package struct DownloadedFile: Sendable, Equatable {
  /// Size and digests, as read back from the disk.
  package var record: FileRecord
  /// Strong validator of the version that it is.
  package var entityTag: String?
  /// Who said what its digest is, and was right; empty when nothing vouches for it.
  package var vouchers: [DigestVoucher] = []
}

/// How far a download is.
public struct DownloadProgress: Sendable, Equatable {
  /// Path of the file within the entry.
  public var file: String
  /// Bytes that are on the disk, those of earlier runs included.
  public var received: Int
  /// Bytes of the whole file, once known.
  public var total: Int?
  /// Bytes per second over the last seconds; zero while nothing comes.
  public var rate: Double
  /// What it waits for, such as another attempt, in words for people; nil while bytes flow.
  public var waiting: String?

  /// The state of a file before anything is known of it.
  public init(
    file: String, received: Int = 0, total: Int? = nil, rate: Double = 0, waiting: String? = nil
  ) {
    self.file = file
    self.received = received
    self.total = total
    self.rate = rate
    self.waiting = waiting
  }

  /// Seconds until the end at the present rate; nil where that cannot be told.
  public var secondsLeft: Double? {
    guard let total, rate > 0 else { return nil }
    return Double(max(0, total - received)) / rate
  }
}

/// Brings remote files to disk, whole and verified, or says why not.
package protocol Downloading: Sendable {
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
