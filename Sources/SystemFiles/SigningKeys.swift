import CFMCrypto

/// The public half of a key on P-256, P-384 or P-521, with which ECDSA signatures are checked (FIPS 186-5).
public struct PublicKey: Sendable, Hashable {
  /// PEM text of its SubjectPublicKeyInfo (RFC 5480), in lines of 64 characters.
  package let pem: String

  fileprivate init(_ handle: borrowing KeyHandle) { pem = handle.publicText() }

  /// Reads the PEM file at `path`.
  ///
  /// - Throws: `FileError.malformed` with a ``KeyDefect`` for anything but such a key; `.system` or `.tooLarge`.
  public init(file path: String) throws(FileError) {
    let text = try KeyDefect.text(path)
    pem = try KeyDefect.naming(path) { () throws(KeyDefect) in
      try KeyHandle(publicKey: text).publicText()
    }
  }

  /// Reads the PEM `text` of one key.
  ///
  /// - Throws: ``KeyDefect``.
  package init(pem text: String) throws(KeyDefect) {
    pem = try KeyHandle(publicKey: Array(text.utf8)).publicText()
  }

  /// SHA-256 of the PEM text, 64 lowercase hexadecimal digits, by which signatures name it.
  public var fingerprint: String { SHA256.hex(Array(pem.utf8)) }

  /// Whether `signature`, an ECDSA-Sig-Value in DER, was made of `message` with this key's private half.
  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let handle = try? KeyHandle(publicKey: Array(pem.utf8)) else { return false }
    return handle.verifies(signature, message)
  }
}

/// A private key on P-256, P-384 or P-521.
package struct PrivateKey: Sendable {
  private let text: [UInt8]
  /// Its public half.
  package let publicKey: PublicKey

  /// Reads the PEM file at `path`, in PKCS #8 or SEC 1.
  ///
  /// - Throws: As ``PublicKey/init(file:)``; a key with a password is a ``KeyDefect/locked``.
  package init(file path: String) throws(FileError) {
    let text = try KeyDefect.text(path)
    publicKey = try KeyDefect.naming(path) { () throws(KeyDefect) in
      PublicKey(try KeyHandle(privateKey: text))
    }
    self.text = text
  }

  /// The ECDSA signature of `message`, in DER; another one each time.
  package func signature(of message: [UInt8]) -> [UInt8] {
    guard let handle = try? KeyHandle(privateKey: text) else {
      preconditionFailure("a key that was read cannot be read again")
    }
    return handle.signature(message)
  }
}

/// Why a text is no key that signs or checks signatures here.
public enum KeyDefect: FormatDefect {
  /// It is no key in PEM.
  case noKey
  /// It is a private key where a public one belongs.
  case isPrivate
  /// It is a public key where a private one belongs.
  case isPublic
  /// It is a certificate.
  case certificate
  /// It is encrypted with a password.
  case locked
  /// The key is on another curve, or of another kind.
  case otherKind(String)

  /// What is wrong, and what to do.
  public var text: ErrorText {
    switch self {
    case .noKey:
      "it is no key in PEM\(remedy: "make one with 'openssl ecparam -name prime256v1 -genkey -noout -out key.pem'")"
    case .isPrivate:
      "it is a private key where a public one is wanted"
        + "\(remedy: "write its public half with 'openssl pkey -in key.pem -pubout -out pub.pem', and keep this one to yourself")"
    case .isPublic:
      "it is a public key, and only a private key signs\(remedy: "give the file with the private key")"
    case .certificate:
      "it is a certificate, and only bare keys are used here"
        + "\(remedy: "take the key out with 'openssl x509 -in cert.pem -pubkey -noout', if you trust it without its chain")"
    case .locked:
      "the key is encrypted with a password, for which nobody is asked here"
        + "\(remedy: "decrypt it into a file that only you can read, with 'openssl pkey -in key.pem -out open.pem'")"
    case .otherKind(let kind):
      "the key is of the kind \(kind), and signatures are made with keys on P-256, P-384 and P-521"
        + "\(remedy: "make one with 'openssl ecparam -name prime256v1 -genkey -noout -out key.pem'")"
    }
  }

  /// A key has some hundred bytes.
  fileprivate static func text(_ path: String) throws(FileError) -> [UInt8] {
    try FileSystem.read(path, limit: 64 << 10)
  }

  fileprivate static func naming<R>(
    _ path: String, _ body: () throws(KeyDefect) -> R
  ) throws(FileError) -> R {
    do throws(KeyDefect) {
      return try body()
    } catch {
      throw .malformed(.init(error), path: path, offset: 0)
    }
  }

  /// What the marks of a PEM `text` say that it is, where that is no key of the wanted half.
  fileprivate init?(_ text: [UInt8], wantsPrivate: Bool) {
    let words = String(decoding: text, as: UTF8.self)
    if words.contains("ENCRYPTED") {
      self = .locked
    } else if words.contains("BEGIN CERTIFICATE") {
      self = .certificate
    } else if !wantsPrivate, words.contains("PRIVATE KEY-----") {
      self = .isPrivate
    } else if wantsPrivate, words.contains("BEGIN PUBLIC KEY") {
      self = .isPublic
    } else {
      return nil
    }
  }
}

/// A key as libcrypto holds it.
@safe
private struct KeyHandle: ~Copyable {
  private let key: OpaquePointer
  private let curve: Curve

  private enum Curve: String {
    case p256 = "prime256v1"
    case p384 = "secp384r1"
    case p521 = "secp521r1"

    /// The digest that goes with it, as the specification of model signatures has it.
    var digest: OpaquePointer? {
      switch self {
      case .p256: unsafe EVP_sha256()
      case .p384: unsafe EVP_sha384()
      case .p521: unsafe EVP_sha512()
      }
    }
  }

  init(publicKey text: [UInt8]) throws(KeyDefect) {
    if let defect = KeyDefect(text, wantsPrivate: false) { throw defect }
    try unsafe self.init(unsafe Self.read(text, isPrivate: false))
  }

  init(privateKey text: [UInt8]) throws(KeyDefect) {
    if let defect = KeyDefect(text, wantsPrivate: true) { throw defect }
    try unsafe self.init(unsafe Self.read(text, isPrivate: true))
  }

  private init(_ key: OpaquePointer?) throws(KeyDefect) {
    guard let key = unsafe key else { throw .noKey }
    var name = [CChar](repeating: 0, count: 80)
    let isNamed =
      unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC
      && EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
    let kind = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard isNamed, let curve = Curve(rawValue: kind) else {
      let type = unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) }
      unsafe EVP_PKEY_free(key)
      throw .otherKind(isNamed ? kind : type ?? "unknown")
    }
    unsafe self.key = unsafe key
    self.curve = curve
  }

  deinit { unsafe EVP_PKEY_free(key) }

  private static func read(_ text: [UInt8], isPrivate: Bool) -> OpaquePointer? {
    unsafe text.withUnsafeBytes { bytes in
      guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
        return nil
      }
      defer {
        unsafe BIO_free(source)
        // What is left of a failure would be taken for one of the next call of this thread.
        ERR_clear_error()
      }
      // Without a closure of our own libcrypto asks the terminal for a password.
      return isPrivate
        ? unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        : unsafe PEM_read_bio_PUBKEY(source, nil, { _, _, _, _ in -1 }, nil)
    }
  }

  func publicText() -> String {
    guard let sink = unsafe BIO_new(BIO_s_mem()), unsafe PEM_write_bio_PUBKEY(sink, key) == 1
    else { preconditionFailure("libcrypto cannot write a public key") }
    defer { unsafe BIO_free(sink) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe BIO_read(sink, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
  }

  func verifies(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    return unsafe EVP_DigestVerifyInit(context, nil, curve.digest, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  func signature(_ message: [UInt8]) -> [UInt8] {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 256)
    var count = signature.count
    let isMade =
      unsafe EVP_DigestSignInit(context, nil, curve.digest, nil, key) == 1
      && EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    precondition(isMade, "libcrypto failed to sign")
    return Array(signature.prefix(count))
  }
}
