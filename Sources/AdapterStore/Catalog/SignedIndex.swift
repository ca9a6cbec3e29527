import Adapters
import FoundationEssentials
import JSON
import SystemFiles

/// A catalog's index with its signature in one file beside it, so that no reader meets one without the other.
///
/// It is a DSSE envelope whose payload is the index, byte for byte.
struct SignedIndex: Sendable {
  /// The bytes of the index.
  let index: [UInt8]
  /// What it says of itself.
  let issue: CatalogIssue

  /// What is signed, as the envelope names it.
  static let type = "application/vnd.fmadapter.catalog+json"
  /// Bytes that the file may have: four characters for three bytes, and what stands around them.
  static let sizeLimit = (Catalog.sizeLimit / 3 + 1) * 4 + 4096

  /// Name of the file in a catalog's folder.
  static let fileName = place(of: Catalog.fileName)

  /// Where the signed index of the catalog with the index `path` is, also in an address.
  static func place(of path: String) -> String {
    let stem = path.hasSuffix(".json") ? path.dropLast(".json".count) : path[...]
    return stem + ".signed.json"
  }

  /// Reads that of the catalog in `directory`, which `signer` has to have signed; nil where there is none.
  ///
  /// - Throws: `StoreError.signedCatalog` where another key, or none, is given, `.invalidCatalog` or `.storage`.
  init?(directory: String, signer: PublicKey?) throws(StoreError) {
    let path = Self.place(of: FilePath.join(directory, Catalog.fileName))
    guard let bytes = try PublishedIndex.read(path, limit: Self.sizeLimit) else { return nil }
    let envelope = try Self.envelope(bytes, at: path)
    guard let signer, envelope.isMade(by: signer) else {
      throw .signedCatalog(
        directory, by: envelope.keyName.isEmpty ? nil : envelope.keyName,
        given: signer?.fingerprint)
    }
    let catalog = try Catalog(parsing: envelope.payload, url: "https://localhost/")
    guard let issue = catalog.issue else {
      throw .invalidCatalog(url: path, reason: "the signed index has no serial number")
    }
    (index, self.issue) = (envelope.payload, issue)
  }

  /// Signs `index` with `key` and writes both into `directory`.
  static func write(
    _ index: [UInt8], to directory: String, signing key: PrivateKey
  ) throws(StoreError) {
    let envelope = SignedEnvelope(
      signing: index, of: type, with: key, keyName: key.publicKey.fingerprint)
    try PublishedIndex.write(
      Array((envelope.json.line + "\n").utf8),
      to: place(of: FilePath.join(directory, Catalog.fileName)))
  }

  /// - Throws: `StoreError.invalidCatalog`.
  static func envelope(_ bytes: [UInt8], at url: String) throws(StoreError) -> SignedEnvelope {
    do throws(SignatureDefect) {
      return try SignedEnvelope(parsing: bytes, of: type, limit: sizeLimit)
    } catch {
      throw .invalidCatalog(url: url, reason: "its signature cannot be read: \(error.text.problem)")
    }
  }
}

extension Catalog {
  /// Reads the signed index in `bytes`, which came from `url`, and believes it only if one of `keys` signed it and it is good
  /// at `now`.
  ///
  /// - Throws: `StoreError.untrusted`, `.invalidCatalog`.
  static func signed(
    _ bytes: [UInt8], url: String, of source: CatalogSource, by keys: [PublicKey], at now: Date
  ) throws(StoreError) -> (index: [UInt8], catalog: Catalog) {
    let envelope = try SignedIndex.envelope(bytes, at: url)
    guard keys.contains(where: envelope.isMade) else {
      let pinned = keys.map(\.fingerprint)
      throw .untrusted(
        "\(source)",
        pinned.contains(envelope.keyName)
          ? .forged(key: envelope.keyName)
          : .otherKey(named: envelope.keyName, pinned: pinned))
    }
    let catalog = try Catalog(parsing: envelope.payload, url: url)
    guard let issue = catalog.issue else { throw .untrusted("\(source)", .noSerial) }
    guard issue.expires > now else {
      throw .untrusted("\(source)", .expired(issue.expires, now: now))
    }
    return (envelope.payload, catalog)
  }
}
