import CFMCrypto

/// SHA-256 of a stream of bytes (FIPS 180-4).
public struct SHA256: ~Copyable {
  private var digest = MessageDigest(.sha256)

  /// Starts the digest of an empty stream.
  public init() {}

  /// Appends `bytes` to the stream; pages of a mapped file are given back behind it, so that a large one needs little
  /// memory.
  public mutating func update(_ bytes: TensorBytes) { digest.update(bytes) }

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: [UInt8]) { unsafe digest.update(bytes.span.bytes) }

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: RawSpan) { digest.update(bytes) }

  /// The 32 bytes of the digest of all that was appended.
  public consuming func finish() -> [UInt8] { digest.finish() }

  /// The digest as 64 lowercase hexadecimal digits.
  public consuming func finishHex() -> String { hexadecimal(digest.finish()) }

  /// The digest of `bytes` as 64 lowercase hexadecimal digits.
  public static func hex(_ bytes: TensorBytes) -> String {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finishHex()
  }

  /// The digest of `bytes` as 64 lowercase hexadecimal digits.
  public static func hex(_ bytes: [UInt8]) -> String {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finishHex()
  }

  /// The digest of the file at `path` as 64 lowercase hexadecimal digits.
  ///
  /// - Throws: `FileError` when it cannot be read or changes meanwhile.
  public static func hex(ofFile path: String) throws(FileError) -> String {
    let file = try FileReader(path: path)
    var digest = SHA256()
    try file.forEachPiece(of: 0..<file.size) { digest.update($0) }
    try file.checkUnchanged()
    return digest.finishHex()
  }
}

/// SHA-512 of a stream of bytes (FIPS 180-4).
package struct SHA512: ~Copyable {
  private var digest = MessageDigest(.sha512)

  /// Starts the digest of an empty stream.
  package init() {}

  /// Appends `bytes` to the stream.
  package mutating func update(_ bytes: [UInt8]) { unsafe digest.update(bytes.span.bytes) }

  /// The digest of all that was appended as 128 lowercase hexadecimal digits.
  package consuming func finishHex() -> String { hexadecimal(digest.finish()) }
}

/// SHA-1 of a run of bytes (FIPS 180-4): a name for content, no defence against forgery.
public enum SHA1 {
  /// The digest of `bytes` as 40 lowercase hexadecimal digits.
  public static func hex(_ bytes: TensorBytes) -> String { hex([bytes]) }

  /// The digest of `parts` behind each other.
  public static func hex(_ parts: [TensorBytes]) -> String {
    var digest = MessageDigest(.sha1)
    for part in parts { digest.update(part) }
    return hexadecimal(digest.finish())
  }
}

/// Two lowercase hexadecimal digits per byte.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Whether `text` is a SHA-256 as it is written here: 64 lowercase hexadecimal digits.
package func isSHA256(_ text: String) -> Bool {
  text.utf8.count == 64
    && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
}

/// A digest of a stream of bytes, computed by the system's libcrypto.
// Not private: optimized builds end the life of a `SHA256` in other modules, and the linker has to find what it holds.
@safe
struct MessageDigest: ~Copyable {
  enum Algorithm {
    case sha1, sha256, sha512
  }

  private let context: OpaquePointer
  private let size: Int

  /// Bytes that are in memory at a time.
  private static let step = 4 << 20

  init(_ algorithm: Algorithm) {
    let type =
      switch algorithm {
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha512: unsafe EVP_sha512()
      }
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, type, nil) == 1
    else { preconditionFailure("libcrypto lacks a digest") }
    unsafe self.context = unsafe context
    size =
      switch algorithm {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  mutating func update(_ bytes: TensorBytes) {
    for start in stride(from: 0, to: bytes.count, by: Self.step) {
      let part = bytes.slice(start..<min(start + Self.step, bytes.count))
      part.withSpan { update($0) }
      part.giveBackPages()
    }
  }

  mutating func update(_ bytes: RawSpan) {
    let status = unsafe bytes.withUnsafeBytes {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    precondition(status == 1, "libcrypto failed to digest")
  }

  consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    precondition(status == 1, "libcrypto failed to finish a digest")
    return digest
  }
}
