import TensorFiles

/// Who can say what the digest of a file is; the raw value is its name in texts and receipts.
public enum DigestVoucher: String, Sendable, Codable, CaseIterable {
  /// The user.
  case user = "--sha256"
  /// The catalog that lists the file.
  case catalog = "the catalog"
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

  var strength: Strength {
    switch self {
    case .user, .catalog: .promised
    case .sums, .sidecar, .metadata: .published
    default: .sent
    }
  }
}

/// What somebody says the digest of a file is.
public struct DigestClaim: Sendable, Hashable, Codable {
  /// Who says it.
  public let voucher: DigestVoucher
  /// Lowercase hexadecimal digits: 64 of SHA-256, or 128 of SHA-512.
  public let digest: String

  /// The claim of `voucher`.
  init(_ voucher: DigestVoucher, _ digest: String) {
    (self.voucher, self.digest) = (voucher, digest)
  }

  /// Whether it is of SHA-256, as receipts are.
  var isSHA256: Bool { digest.utf8.count == 64 }

  private var algorithm: String { isSHA256 ? "SHA-256" : "SHA-512" }

  /// Why the file at `path`, of which `record` tells, is not the one that is meant; nil when it is.
  func mismatch(_ record: FileRecord, at path: String) throws(TensorFileError) -> String? {
    let found = isSHA256 ? record.sha256 : try Self.sha512(path)
    guard found != digest else { return nil }
    return "\(record.path) has \(algorithm) \(found) where \(digest) was promised by "
      + voucher.rawValue
  }

  /// The first two of `claims` that cannot both be right, in words; nil when all agree.
  static func conflict(in claims: [DigestClaim]) -> String? {
    for (index, claim) in claims.enumerated() {
      for other in claims.dropFirst(index + 1)
      where other.isSHA256 == claim.isSHA256 && other.digest != claim.digest {
        return "\(claim.voucher.rawValue) says that its \(claim.algorithm) is \(claim.digest), and "
          + "\(other.voucher.rawValue) says \(other.digest)"
      }
    }
    return nil
  }

  private static func sha512(_ path: String) throws(TensorFileError) -> String {
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
