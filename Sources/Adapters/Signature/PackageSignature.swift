import JSON
public import SystemFiles

/// What a bundle of OpenSSF model signing v1 says of a package; whether a key made it is another question.
///
/// Source: the specification of model signing and its reference tool, `model-signing` 1.1.1; DSSE v1 for the signed bytes.
public struct PackageSignature: Sendable, Equatable {
  /// A file that was signed.
  struct Resource: Sendable, Equatable {
    /// Path within the package, with `/` between folders.
    let name: String
    /// SHA-256, 64 lowercase hexadecimal digits.
    let digest: String
  }

  /// The name that the package's folder had when it was signed.
  public let name: String
  /// Fingerprint of the key that the bundle names, which anybody can write there; nil where it names none.
  public let fingerprint: String?
  let resources: [Resource]
  /// Paths that the signer left out.
  let ignored: [String]
  private let envelope: SignedEnvelope

  /// What a bundle is called where files have types.
  package static let mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json"

  /// Bytes that a bundle may have: one of a package of ours has three thousand.
  package static let sizeLimit = 1 << 20

  static let payloadType = "application/vnd.in-toto+json"
  static let predicateType = "https://model_signing/signature/v1.0"

  /// Reads the bundle in `bytes`.
  ///
  /// - Throws: `SignatureDefect`, also for bundles of other kinds than by a bare key.
  public init(parsing bytes: [UInt8]) throws(SignatureDefect) {
    let bundle = try SignedObject(bytes, "the bundle")
    let material = try bundle.object("verificationMaterial")
    try Self.checkMaterial(material)
    fingerprint = material.members["publicKey"]?.object?["hint"]?.string.flatMap {
      $0.isEmpty ? nil : $0
    }
    envelope = try SignedEnvelope(try bundle.object("dsseEnvelope"), of: Self.payloadType)
    let statement = try SignedObject(envelope.payload, "the payload")
    let predicateType = try statement.string("predicateType")
    guard predicateType == Self.predicateType else { throw .otherPredicate(predicateType) }
    let predicate = try statement.object("predicate")
    ignored = try Self.ignored(try predicate.object("serialization"))
    resources = try Self.resources(predicate)
    let subjects = try statement.objects("subject")
    guard subjects.count == 1 else { throw .subjectCount(subjects.count) }
    name = try subjects[0].string("name")
    guard try subjects[0].object("digest").string("sha256") == Self.root(resources) else {
      throw .wrongRoot
    }
  }

  private static func checkMaterial(_ material: SignedObject) throws(SignatureDefect) {
    if material.members["x509CertificateChain"] != nil { throw .certificate }
    if material.members["certificate"] != nil { throw .keyless }
  }

  /// The paths that were left out, where the files were digested in the way that is known here.
  private static func ignored(_ serialization: SignedObject) throws(SignatureDefect) -> [String] {
    let method = try serialization.string("method")
    guard method == "files" else { throw .otherMethod(method) }
    let hash = try serialization.string("hash_type")
    guard hash == "sha256" else { throw .otherDigest(hash) }
    return serialization.members["ignore_paths"]?.array?.compactMap(\.string) ?? []
  }

  private static func resources(_ predicate: SignedObject) throws(SignatureDefect) -> [Resource] {
    var resources: [Resource] = []
    var names: Set<FileName> = []
    for entry in try predicate.objects("resources") {
      let resource = Resource(name: try entry.string("name"), digest: try entry.string("digest"))
      let algorithm = try entry.string("algorithm")
      guard algorithm == "sha256" else { throw .otherDigest(algorithm) }
      guard isSHA256(resource.digest) else { throw .wrongMember("digest of \(resource.name)") }
      guard names.insert(FileName(resource.name)).inserted else { throw .repeated(resource.name) }
      resources.append(resource)
    }
    return resources
  }

  /// SHA-256 of the digests' own bytes behind each other, as the subject has it.
  static func root(_ resources: [Resource]) -> String {
    var digest = SHA256()
    for resource in resources {
      let digits = Array(resource.digest.utf8)
      digest.update(
        stride(from: 0, to: digits.count, by: 2).map { index in
          UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        })
    }
    return digest.finishHex()
  }

  /// Whether the private half of `key` signed exactly the payload that was read.
  public func isMade(by key: PublicKey) -> Bool { envelope.isMade(by: key) }

  /// Whether it is about exactly the files of `digests`, 64 lowercase hexadecimal digits each by the file's name.
  package func covers(_ digests: [String: String]) -> Bool {
    resources.count == digests.count && resources.allSatisfy { digests[$0.name] == $0.digest }
  }
}
