import Adapters
public import SystemFiles

/// What an installation does only when it is asked to.
public struct InstallPolicy: Sendable, Equatable {
  /// Whether a package may take the place of a newer one, or of other bytes from the same address; and a base that of
  /// another file.
  public var replaces = false
  /// Whether files are refused that nothing vouches for, before their bytes are fetched.
  public var requiresDigest = false
  /// The keys of which one has to have signed an adapter; none where that does not matter.
  public var signers: [PublicKey] = []

  /// None of it.
  public init(replaces: Bool = false, requiresDigest: Bool = false, signers: [PublicKey] = []) {
    (self.replaces, self.requiresDigest, self.signers) = (replaces, requiresDigest, signers)
  }
}

extension InstallPolicy {
  /// Refuses the package at `path`, in an entry of the store, unless one of the signers has signed every file of it.
  func checkSignature(_ path: String) throws(StoreError) {
    guard !signers.isEmpty else { return }
    do throws(AdapterError) {
      let report = try PackageSignature.check(package: path, by: signers, isStored: true)
      guard report.isAccepted else {
        throw AdapterError.refused(CheckReport(package: path, findings: report.errors))
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Refuses to let the package of `new` take the place of that of `old`: an older version in any case, the same version
  /// when it is other bytes from the same address, and other bytes where nothing says which version `old` is.
  func checkPackage(
    _ identifier: AdapterIdentifier, _ old: Occupant, _ new: Receipt
  ) throws(StoreError) {
    guard !replaces, !old.isEmpty, !old.hasFiles(new.files) else { return }
    guard let before = old.version else {
      throw .unknownVersion(identifier.description, path: old.path)
    }
    let after = new.version ?? .unstated
    guard before <= after else {
      throw .olderPackage(
        identifier.description, installed: before.description, offered: after.description)
    }
    guard before == after, new.sources != nil, let old = old.receipt, old.mayBeFromPlace(of: new)
    else { return }
    // A file that is new may be one that an earlier program did not know, and left out.
    for file in old.files.sorted(by: { $0.path < $1.path })
    where file.sha256 != new.digest(of: file.path) {
      throw .changedBytes(
        url: new.source, file: FilePath.name(of: file.path), installed: file.sha256,
        offered: new.digest(of: file.path) ?? "none")
    }
  }

  /// Refuses to let the base of `new` take the place of another file.
  func checkBase(_ old: Occupant, _ new: Receipt) throws(StoreError) {
    if let receipt = old.receipt { return try checkBase(receipt, new) }
    guard !replaces, !old.isEmpty, !old.hasFiles(new.files) else { return }
    throw .otherBase(
      signature: FilePath.name(of: old.path),
      installed: "a file whose receipt cannot be read (\(Receipt.facts(nil, old.files)))",
      offered: new.baseFacts, isClaim: new.base?.isClaim == true)
  }

  /// Refuses to let the base of `new` take the place of another file.
  func checkBase(_ old: Receipt, _ new: Receipt) throws(StoreError) {
    guard !replaces, !old.hasSameContent(as: new.files), let record = old.base else { return }
    let isSame = new.base?.signature == record.signature
    throw .otherBase(
      signature: record.signature, installed: old.baseFacts,
      offered: new.baseFacts + (isSame ? "" : ", with the signature \(new.base?.signature ?? "?")"),
      isClaim: isSame && new.base?.isClaim == true)
  }
}

extension Receipt {
  func digest(of path: String) -> String? { files.first { $0.path == path }?.sha256 }

  /// Name, type, size and digest of a base.
  package var baseFacts: String { "'\(base?.name ?? "?")' (\(Self.facts(base?.type, files)))" }

  /// Type, size and digest of a base.
  static func facts(_ type: String?, _ files: [FileRecord]) -> String {
    let size = files.reduce(0) { $0 + $1.size }
    let parts = [type, Figures.exactSize(size), files.first.map { "SHA-256 \($0.sha256)" }]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension AdapterStore {
  /// Refuses `version` of an adapter of which a newer one is installed.
  func checkVersion(
    _ identifier: AdapterIdentifier, _ version: AdapterVersion, _ policy: InstallPolicy
  ) throws(StoreError) {
    guard !policy.replaces, let present = occupant(of: layout.adapter(identifier))?.version,
      version < present
    else { return }
    throw .olderPackage(
      identifier.description, installed: present.description, offered: version.description)
  }

  /// What the entry at `path` is of by its own word, where its name says something else; nil for one in its place.
  func stranger(at path: String, _ receipt: Receipt) -> String? {
    let name = FilePath.name(of: path)
    if let base = receipt.base { return base.signature == name ? nil : base.signature }
    let package = FilePath.join(path, StoreLayout.package)
    guard let identifier = try? metadata(of: package).adapterIdentifier.description else {
      return nil
    }
    return identifier == name ? nil : identifier
  }
}
