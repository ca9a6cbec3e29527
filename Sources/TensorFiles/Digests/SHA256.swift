public import Kernels

/// SHA-256 of a stream of bytes (FIPS 180-4).
public struct SHA256: ~Copyable {
  private var digest = MessageDigest(.sha256)

  /// Starts the digest of an empty stream.
  public init() {}

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: TensorBytes) { digest.update(bytes) }

  /// Appends `bytes` to the stream.
  public mutating func update(_ bytes: [UInt8]) { digest.update(bytes) }

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
}

/// SHA-512 of a stream of bytes (FIPS 180-4).
package struct SHA512: ~Copyable {
  private var digest = MessageDigest(.sha512)

  /// Starts the digest of an empty stream.
  package init() {}

  /// Appends `bytes` to the stream.
  package mutating func update(_ bytes: [UInt8]) { digest.update(bytes) }

  /// The digest of all that was appended as 128 lowercase hexadecimal digits.
  package consuming func finishHex() -> String { hexadecimal(digest.finish()) }
}

/// SHA-1 of a run of bytes (FIPS 180-4): a name for content, no defence against forgery.
public enum SHA1 {
  /// The digest of `bytes` as 40 lowercase hexadecimal digits.
  public static func hex(_ bytes: TensorBytes) -> String {
    var digest = MessageDigest(.sha1)
    digest.update(bytes)
    return hexadecimal(digest.finish())
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
