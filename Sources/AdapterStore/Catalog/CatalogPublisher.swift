package import Adapters
import FoundationEssentials
import LanguageModels
package import SystemFiles

/// Writes packages into a folder that any static web server can serve as a catalog.
///
/// What is written follows from the packages and the index alone: neither the time nor the order of the packages changes a byte.
/// Each version has its files in a folder whose name follows from their digests. Those that others replace stay until
/// the next publication, for readers of the index before. The index comes last and in one rename, so that a reader never finds
/// a version that is not whole. Files get their names once they are whole, and what a publication that was killed leaves is
/// listed nowhere: the next one removes what is hidden or was to replace others. Publications into one folder come one after the other.
package struct CatalogPublisher: Sendable {
  /// Path of the catalog's folder; created with the first package.
  package let directory: String
  /// Version for packages that state none.
  package var defaultVersion: AdapterVersion?
  /// Whether a version that is published already may get other bytes.
  package var replaces = false
  /// Signs every package, whose folder is not changed, and the index; nil publishes the signatures that packages have.
  package var signer: PrivateKey?
  /// Seconds for which a signed index is believed.
  package var validity = 90.0 * 86_400
  /// The time that a signed index is good from.
  var now: @Sendable () -> Date = { Date() }
  /// Seconds for which another publication into the folder is waited for.
  var patience = 10.0

  /// A publisher to `directory`.
  package init(directory: String) {
    self.directory = directory
  }

  /// What became of a package.
  package enum Outcome: String, Sendable, Codable {
    /// The version is new in the catalog.
    case added
    /// The version has other bytes now.
    case replaced
    /// The version was there with these bytes.
    case unchanged
  }

  /// A package in the catalog.
  package struct Publication: Sendable {
    package let identifier: AdapterIdentifier
    package let version: AdapterVersion
    package let outcome: Outcome
    /// Bytes of its files.
    package let size: Int
    /// Path of the folder with its files.
    package let path: String
    /// What the check found; warnings only.
    package let report: CheckReport
  }

  /// Checks all packages, copies them into the folder and writes its `index.json`.
  ///
  /// `packages` are paths of packages, or of folders that hold some. Other versions that the folder has stay.
  /// The answer is by identifier and version. But for `.storage`, errors come before anything is changed.
  package func publish(_ packages: [String]) throws(StoreError) -> [Publication] {
    var candidates = try candidates(packages)
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    // Read under the lock: an older index would take away what others have published since.
    let index = try index()
    for place in candidates.indices { try keepSignature(of: &candidates[place], index) }
    var publications: [Publication] = []
    for candidate in candidates {
      publications.append(try publication(of: candidate, in: index))
    }
    // Without a lock they may be of somebody who is at work.
    if lock != nil { removeLeftovers(index) }
    let changed = index.adding(candidates)
    try adding(candidates.map(index.folder)) { () throws(StoreError) in
      for candidate in candidates { try copy(candidate, to: path(of: candidate, in: index)) }
      try write(changed)
    }
    return publications
  }

  /// Takes the signature that is published already where it is as good, as two by one key are never equal.
  private func keepSignature(
    of candidate: inout PackageCandidate, _ index: PublishedIndex
  ) throws(StoreError) {
    guard let signer, candidate.signature != nil,
      let published = index.files(of: candidate.identifier, candidate.version),
      published.filter(\.isPayload) == candidate.files.filter(\.isPayload),
      let folder = index.folders.first(where: {
        $0.identifier == candidate.identifier && $0.version == candidate.version
      })?.path
    else { return }
    let place = FilePath.join(directory, folder)
    guard
      let report = try? PackageSignature.check(
        package: place, by: [signer.publicKey], isStored: true),
      report.isAccepted
    else { return }
    candidate.sign(
      try storing { () throws(FileError) in
        try FileSystem.read(
          FilePath.join(place, PackageFile.signature), limit: PackageSignature.sizeLimit)
      })
  }

  /// The index of the folder, as this publisher's key signed it where it is signed.
  ///
  /// - Throws: `StoreError.signedCatalog` where another key, or none, is at hand; `.invalidCatalog` or `.storage`.
  func index() throws(StoreError) -> PublishedIndex {
    try PublishedIndex(directory: directory, signer: signer?.publicKey)
  }

  /// Writes `index`, signed where there is a key; what it then says of itself.
  @discardableResult
  func write(_ index: PublishedIndex) throws(StoreError) -> CatalogIssue? {
    guard let signer else {
      try index.write(to: directory)
      return nil
    }
    return try index.write(to: directory, signing: signer, at: now(), for: validity)
  }

  private func path(of candidate: PackageCandidate, in index: PublishedIndex) -> String {
    FilePath.join(directory, index.folder(for: candidate))
  }

  /// Waits for the folder's lock; nil where its file system has none.
  ///
  /// The folder itself is locked: nothing of the lock is served, or left behind.
  func lock() throws(StoreError) -> FileLock? {
    try storing { () throws(FileError) in try FileSystem.createDirectory(directory) }
    return try LockAttempt.wait(forDirectory: directory, seconds: patience)
  }

  private func publication(
    of candidate: PackageCandidate, in index: PublishedIndex
  ) throws(StoreError) -> Publication {
    let published = index.files(of: candidate.identifier, candidate.version)
    let outcome: Outcome =
      published == nil ? .added : published == candidate.files ? .unchanged : .replaced
    guard outcome != .replaced || replaces else {
      throw .otherPublication(
        "\(candidate.identifier) \(candidate.version)", directory: directory)
    }
    return Publication(
      identifier: candidate.identifier, version: candidate.version, outcome: outcome,
      size: candidate.files.reduce(0) { $0 + $1.size }, path: path(of: candidate, in: index),
      report: candidate.report)
  }

  /// The packages at `paths`, checked, in the order of the index.
  private func candidates(_ paths: [String]) throws(StoreError) -> [PackageCandidate] {
    var candidates: [PackageCandidate] = []
    for path in try PackageCandidate.paths(in: paths) {
      candidates.append(try PackageCandidate(path, defaultVersion: defaultVersion, signer: signer))
    }
    candidates.sort { $0.precedes($1) }
    var kept: [PackageCandidate] = []
    for candidate in candidates {
      guard let last = kept.last, !last.precedes(candidate) else {
        kept.append(candidate)
        continue
      }
      // The same files twice, as of a folder and of a package in it, are one package.
      guard last.files == candidate.files else {
        throw .changedVersion(
          "\(candidate.identifier) \(candidate.version)",
          reason: "\(last.path) and \(candidate.path)"
            + "\(remedy: "publish one of them, or give it another version")")
      }
    }
    return kept
  }

  private func copy(_ candidate: PackageCandidate, to folder: String) throws(StoreError) {
    for file in candidate.files {
      let (source, target) = (
        FilePath.join(candidate.path, file.path), FilePath.join(folder, file.path)
      )
      try storing { () throws(FileError) in
        guard try !Self.holds(target, file) else { return }
        try FileSystem.createDirectory(folder)
        if !file.isPayload, let signature = candidate.signature {
          return try AtomicFile.write(signature, to: target)
        }
        try Self.replace(target, by: source, expecting: file)
        try FileSystem.confirm(target)
      }
    }
  }

  private static func holds(_ path: String, _ file: CatalogFile) throws(FileError) -> Bool {
    guard let info = try FileSystem.info(path), info.kind == .file, info.size == file.size else {
      return false
    }
    return try FileRecord(path: file.path, file: path, fromDisk: true).sha256 == file.sha256
  }

  /// Copies `source` beside `target`, looks at the copy, and renames it over the target.
  private static func replace(
    _ target: String, by source: String, expecting file: CatalogFile
  ) throws(FileError) {
    let copy = FilePath.sibling(of: target)
    do throws(FileError) {
      try FileSystem.copyFile(source, to: copy)
      guard try holds(copy, file) else { throw FileError.changed(path: source) }
      try FileSystem.rename(copy, to: target)
    } catch {
      try? FileSystem.removeTree(copy)
      throw error
    }
  }
}

/// A package on its way into a catalog: checked, and every file digested.
struct PackageCandidate: Sendable {
  let path: String
  let metadata: AdapterMetadata
  let version: AdapterVersion
  private(set) var files: [CatalogFile]
  /// The bundle that was made for the catalog; nil where that of the package is published, if it has one.
  private(set) var signature: [UInt8]?
  let report: CheckReport

  var identifier: AdapterIdentifier { metadata.adapterIdentifier }

  /// - Throws: `StoreError.refused`, `.noSource` or `.storage`.
  init(
    _ path: String, defaultVersion: AdapterVersion?, signer: PrivateKey? = nil
  ) throws(StoreError) {
    do throws(AdapterError) {
      let adapter = try AdapterCheck.run(package: path).openingDraft()
      guard adapter.isAccepted else { throw AdapterError.refused(adapter) }
      report = adapter
      let file = FilePath.join(path, PackageFile.metadata)
      let bytes = try Self.read(file)
      metadata = try AdapterMetadata(parsing: bytes, file: file)
    } catch {
      throw StoreError(error)
    }
    version = metadata.statedSettings?.version ?? defaultVersion ?? .unstated
    self.path = path
    files = try Self.files(path)
    guard let signer else { return }
    do throws(AdapterError) {
      let own = try PackageSignature.check(package: path, by: [signer.publicKey])
      guard !own.isAccepted else { return }
      let isInStore = FilePath.name(of: path) == StoreLayout.package
      sign(
        try PackageSignature.bundle(
          signing: path, named: isInStore ? identifier.name + PackageFile.suffix : nil,
          with: signer))
    } catch {
      throw StoreError(error)
    }
  }

  /// Gives it `bundle` in the place of a signature that it has.
  mutating func sign(_ bundle: [UInt8]) {
    signature = bundle
    files =
      files.filter(\.isPayload) + [
        CatalogFile(
          path: PackageFile.signature, size: bundle.count, sha256: SHA256.hex(bundle))
      ]
    files.sort { $0.path < $1.path }
  }

  /// The index's order: by identifier, then by version.
  func precedes(_ other: PackageCandidate) -> Bool {
    let (left, right) = (identifier.description, other.identifier.description)
    return left == right ? version < other.version : left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The packages among `paths`: each path itself, or the packages in the folder there.
  ///
  /// - Throws: `StoreError.noPackage` for a path without any.
  static func paths(in paths: [String]) throws(StoreError) -> [String] {
    var found: [String] = []
    for path in paths {
      // Links lead to packages as they do elsewhere.
      let entries = try storing { () throws(FileError) in
        FileSystem.isDirectory(following: path) ? try FileSystem.list(path) : []
      }
      if entries.contains(where: { $0.name.text == PackageFile.metadata }) {
        found.append(path)
        continue
      }
      let named = entries.filter { $0.name.hasSuffix(PackageFile.suffix) }
      let packages = try storing { () throws(FileError) in
        try named.map { entry throws(FileError) in try FilePath.join(path, entry.name) }
      }.filter(FileSystem.isDirectory(following:))
      guard !packages.isEmpty else { throw .noPackage(path: path) }
      found += packages
    }
    return found
  }

  private static func files(_ path: String) throws(StoreError) -> [CatalogFile] {
    try storing { () throws(FileError) in
      var files: [CatalogFile] = []
      let names = try FileSystem.list(path).compactMap(\.name.text)
      for name in names where PackageFile.known.contains(name) {
        let record = try FileRecord(path: name, file: FilePath.join(path, name))
        files.append(CatalogFile(path: record.path, size: record.size, sha256: record.sha256))
      }
      return files
    }
  }

  private static func read(_ file: String) throws(AdapterError) -> [UInt8] {
    do throws(FileError) {
      return try FileSystem.read(file, limit: 8 << 20)
    } catch {
      throw .file(error)
    }
  }
}

extension CatalogFile {
  /// Whether a signature is about it, and not the signature itself.
  fileprivate var isPayload: Bool { path != PackageFile.signature }
}
