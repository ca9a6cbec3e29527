import CCrypto
import Kernels

/// A digest of a stream of bytes, computed by the system's libcrypto.
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

  /// Appends `bytes`; pages of a mapped file are given back behind it, so that a large file needs little memory.
  mutating func update(_ bytes: TensorBytes) {
    for start in stride(from: 0, to: bytes.count, by: Self.step) {
      let part = bytes.slice(start..<min(start + Self.step, bytes.count))
      unsafe part.withUnsafeBytes { unsafe append($0) }
      part.giveBackPages()
    }
  }

  mutating func update(_ bytes: [UInt8]) { update(bytes, count: bytes.count) }

  /// Appends the first `count` bytes of `buffer`.
  mutating func update(_ buffer: [UInt8], count: Int) {
    unsafe buffer.withUnsafeBytes { unsafe append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    precondition(status == 1, "libcrypto failed to finish a digest")
    return digest
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let status = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(status == 1, "libcrypto failed to digest")
  }
}
