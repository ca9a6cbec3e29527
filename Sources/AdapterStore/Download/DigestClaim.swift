import FoundationEssentials
import SystemFiles

/// Who can say what the digest of a file is; the raw value is its name in receipts, and in texts but for the user.
enum DigestVoucher: String, Sendable, Codable, CaseIterable {
  /// The user.
  case user = "--sha256"
  /// The catalog that lists the file.
  case catalog = "the catalog"
  /// The lock file that lists the file.
  case lock = "the lock file"
  /// The manifest of a registry that lists the file.
  case manifest = "the manifest"
  /// The hub that lists the file, by its SHA-256.
  case hub = "the hub"
  /// The hub that lists the file, by the name that git gives to its bytes: a SHA-1 behind their number.
  case hubGit = "git on the hub"
  /// A list of digests beside the file.
  case sums = "SHA256SUMS"
  /// A file with the name of this one and `.sha256` behind it.
  case sidecar = "the .sha256 file"
  /// `weightsSHA256` in the metadata of a package, about its weights.
  case metadata = "metadata.json"
  /// Field of RFC 9530, about the whole file.
  case reprDigest = "Repr-Digest"
  /// Field of RFC 9530, about the body of one response.
  case contentDigest = "Content-Digest"
  /// Field of RFC 3230, about the whole file.
  case digest = "Digest"
  /// SHA-256 of a large file on the Hugging Face Hub.
  case linkedTag = "X-Linked-Etag"
  /// Field of Amazon S3 and of servers like it.
  case amazon = "x-amz-checksum-sha256"
  /// Field of Artifactory.
  case artifactory = "X-Checksum-Sha256"
  /// Field of OCI registries.
  case registry = "Docker-Content-Digest"

  /// How much it counts: what was known beforehand, what is published beside the file, what comes with the bytes.
  enum Strength: Int, Comparable {
    case sent, published, promised

    static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }
  }

  /// Its name in a sentence, whoever reads it.
  var words: String { self == .user ? "the given digest" : rawValue }

  var strength: Strength {
    switch self {
    case .user, .catalog, .lock, .manifest, .hub, .hubGit: .promised
    case .sums, .sidecar, .metadata: .published
    default: .sent
    }
  }
}

/// What somebody says the digest of a file is.
struct DigestClaim: Sendable, Hashable, Codable {
  let voucher: DigestVoucher
  /// Lowercase hexadecimal digits: 64 of SHA-256, 128 of SHA-512, or the 40 of a name in git.
  let digest: String

  /// The claim of `voucher`.
  init(_ voucher: DigestVoucher, _ digest: String) {
    (self.voucher, self.digest) = (voucher, digest)
  }

  /// What a user gave as a SHA-256, in capitals or not.
  ///
  /// - Throws: `StoreError.badDigest`.
  init(given text: String) throws(StoreError) {
    self.init(.user, try lowercaseSHA256(text))
  }

  /// Whether it is of SHA-256, as receipts are.
  var isSHA256: Bool { digest.utf8.count == 64 }

  private var algorithm: String {
    switch digest.utf8.count {
    case 64: "SHA-256"
    case 40: "git name"
    default: "SHA-512"
    }
  }

  /// Why the file at `path`, of which `record` tells, is not the one that is meant; nil when it is.
  func mismatch(_ record: FileRecord, at path: String) throws(FileError) -> String? {
    let found =
      switch digest.utf8.count {
      case 64: record.sha256
      case 40: try Self.gitName(path)
      default: try Self.sha512(path)
      }
    guard found != digest else { return nil }
    return "\(record.path) has \(algorithm) \(found) where \(digest) was promised by "
      + voucher.words
  }

  /// The first two of `claims` that cannot both be right, in words; nil when all agree.
  static func conflict(in claims: [DigestClaim]) -> String? {
    for (index, claim) in claims.enumerated() {
      for other in claims.dropFirst(index + 1)
      where other.algorithm == claim.algorithm && other.digest != claim.digest {
        return "\(claim.voucher.words) says that its \(claim.algorithm) is \(claim.digest), and "
          + "\(other.voucher.words) says \(other.digest)"
      }
    }
    return nil
  }

  /// Bytes that git itself keeps: the hub takes ten megabytes.
  static let largestInGit = 64 << 20

  /// SHA-1 of `blob`, the number of bytes, a zero, and the bytes.
  private static func gitName(_ path: String) throws(FileError) -> String {
    let bytes = try FileSystem.read(path, limit: largestInGit)
    return SHA1.hex([TensorBytes(Array("blob \(bytes.count)\0".utf8)), TensorBytes(bytes)])
  }

  private static func sha512(_ path: String) throws(FileError) -> String {
    let reader = try FileReader(path: path)
    var digest = SHA512()
    for start in stride(from: 0, to: reader.size, by: FileRecord.chunkSize) {
      digest.update(try reader.read(start..<min(start + FileRecord.chunkSize, reader.size)))
    }
    return digest.finishHex()
  }
}

extension [DigestClaim] {
  /// Who vouches, the strongest first, each once.
  var vouchers: [DigestVoucher] {
    DigestVoucher.allCases.filter { voucher in contains { $0.voucher == voucher } }
  }
}

extension Downloader {
  /// What files beside `file` say of its digest: `SHA256SUMS` in its folder, and its own `.sha256`.
  ///
  /// `list` is the text of the first, where it has been read already. Each is asked for once, with no second attempt; a
  /// server that has none, or answers with a page, says nothing.
  func publishedDigests(
    of file: RemoteFile, list: String?, _ control: DownloadControl
  ) async -> [DigestClaim] {
    let name = WebAddress.fileName(file.url)
    let own = await text(WebAddress.appending(file.url, ".sha256"), limit: 64 << 10, control)
    return DigestList.digests(of: name, in: list ?? "").map { DigestClaim(.sums, $0) }
      + DigestList.digests(of: name, inOwn: own ?? "").map { DigestClaim(.sidecar, $0) }
  }

  /// The text of `SHA256SUMS` in the folder that the file at `url` is in.
  func digestList(beside url: String, _ control: DownloadControl) async -> String? {
    guard let address = WebAddress.sibling(url, "SHA256SUMS") else { return nil }
    return await text(address, limit: 1 << 20, control)
  }

  private func text(
    _ url: String, limit: Int, _ control: DownloadControl
  ) async -> String? {
    let receiver = BytesReceiver(Expectation(url: url), limit: limit, waits: teller(url))
    let request = TransferRequest(url: url, isSmall: true, limit: limit)
    let isRead = await control.interruptible {
      do throws(TransferFault) {
        try await transport.perform(request, receiver)
        return true
      } catch {
        return false
      }
    }
    return isRead ? String(validating: receiver.bytes, as: UTF8.self) : nil
  }
}

/// Lists of SHA-256 digests, as `sha256sum` writes them: a digest, a space, a space or an asterisk, a name; or, with
/// `--tag`, `SHA256 (name) = digest`.
enum DigestList {
  /// The digests that `text` has for the file `name` of its own folder.
  static func digests(of name: String, in text: String) -> [String] {
    entries(text).filter { $0.name == name || $0.name == "./" + name }.map(\.digest)
  }

  /// The digests that `text`, which stands beside the file `name` alone, has for it.
  ///
  /// A digest without a name will do, and so will a path that ends with the name.
  static func digests(of name: String, inOwn text: String) -> [String] {
    let found = entries(text).filter { FilePath.name(of: $0.name) == name }.map(\.digest)
    let whole = text.trimmed.lowercased()
    return found.isEmpty && isSHA256(whole) ? [whole] : found
  }

  private static func entries(_ text: String) -> [(digest: String, name: String)] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      if line.hasPrefix("SHA256 ("), let end = line.ranges(of: ") = ").last {
        return entry(line[end.upperBound...], line[..<end.lowerBound].dropFirst(8))
      }
      let rest = line.dropFirst(64)
      guard rest.first == " ", let kind = rest.dropFirst().first, " *".contains(kind) else {
        return nil
      }
      return entry(line.prefix(64), rest.dropFirst(2))
    }
  }

  private static func entry(
    _ digest: Substring, _ name: Substring
  ) -> (digest: String, name: String)? {
    let digest = digest.trimmed.lowercased()
    return isSHA256(digest) && !name.isEmpty ? (digest, String(name)) : nil
  }
}
