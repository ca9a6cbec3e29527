import CCrypto
public import Kernels

/// SHA-256 of a stream of bytes (FIPS 180-4), computed by the system's libcrypto.
@safe
public struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// Starts the digest of an empty stream.
  public init() {
    guard let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    else { preconditionFailure("libcrypto has no SHA-256") }
    unsafe self.context = unsafe context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: TensorBytes) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// The 32 bytes of the digest of all that was appended.
  public consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    precondition(status == 1, "libcrypto failed to finish SHA-256")
    return digest
  }

  /// The digest as 64 lowercase hexadecimal digits.
  public consuming func finishHex() -> String {
    hexadecimal(finish())
  }

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

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let status = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(status == 1, "libcrypto failed to digest")
  }
}

/// Two lowercase hexadecimal digits per byte.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}
