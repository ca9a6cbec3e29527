import Adapters
import FoundationEssentials
import JSON
import SystemFiles

/// The index of a catalog's folder as it is read, changed and written again; members that are unknown here stay.
struct PublishedIndex: Sendable {
  private var object: JSONObject
  /// The parsed entries, each with its JSON.
  private var entries: [Entry]
  /// The signed index that it was read from; nil where it is not signed.
  private let signed: SignedIndex?
  /// What it said of itself, signed or, as once the signature of an old key was taken away, not any more.
  private var issue: CatalogIssue?

  private struct Entry: Sendable {
    let identifier: AdapterIdentifier
    let version: AdapterVersion
    let files: [CatalogFile]
    var json: JSONValue

    /// Path of its folder in the catalog's; nil where its address is of somebody else's making.
    var folder: String? {
      let url = json.object?["url"]?.string ?? ""
      let version = PublishedFolder.version(identifier, version)
      // As publications had it that gave no folder of its own to what a version has.
      if url == version + "/" { return version }
      guard url.hasPrefix(version + "/"), url.hasSuffix("/"),
        PublishedFolder.isMark(String(url.dropFirst(version.count + 1).dropLast()))
      else { return nil }
      return String(url.dropLast())
    }
  }

  /// Reads the index in `directory`; an empty one where there is none.
  ///
  /// Where it is signed, what `signer` has signed counts: others may have changed what stands beside it.
  ///
  /// - Throws: `StoreError.invalidCatalog` when something else is there, `.signedCatalog`, or `.storage`.
  init(directory: String, signer: PublicKey? = nil) throws(StoreError) {
    signed = try SignedIndex(directory: directory, signer: signer)
    let path = FilePath.join(directory, Catalog.fileName)
    var bytes = signed?.index
    if bytes == nil { bytes = try Self.read(path, limit: Catalog.sizeLimit) }
    guard let bytes else {
      object = ["formatVersion": .number(JSONNumber(1))]
      entries = []
      return
    }
    // The folder may be served from anywhere, and only the publisher knows where.
    let catalog: Catalog
    do throws(StoreError) {
      catalog = try Catalog(parsing: bytes, url: "https://localhost/\(Catalog.fileName)")
    } catch {
      guard error.code == .invalidCatalog, let reason = error.reason else { throw error }
      throw .invalidCatalog(url: path, reason: reason)
    }
    issue = catalog.issue
    object = (try? JSONDocument(parsing: bytes).root.object) ?? [:]
    entries = zip(catalog.adapters, object["adapters"]?.array ?? []).map { adapter, json in
      Entry(
        identifier: adapter.identifier, version: adapter.version,
        files: adapter.files + adapter.laterFiles, json: json)
    }
  }

  /// The addresses of the folders in the index `bytes`, as they stand there.
  static func folders(of bytes: [UInt8]) -> [String] {
    let top = (try? JSONDocument(parsing: bytes).root.object) ?? [:]
    return (top["adapters"]?.array ?? []).map { $0.object?["url"]?.string ?? "" }
  }

  /// The file at `path`; nil where there is none.
  static func read(_ path: String, limit: Int) throws(StoreError) -> [UInt8]? {
    try storing { () throws(FileError) in
      try FileSystem.info(path) == nil ? nil : try FileSystem.read(path, limit: limit)
    }
  }

  /// The files of a version by name; nil when it is not in the index.
  func files(of identifier: AdapterIdentifier, _ version: AdapterVersion) -> [CatalogFile]? {
    entry(identifier, version)?.files.sorted { $0.path < $1.path }
  }

  private func entry(_ identifier: AdapterIdentifier, _ version: AdapterVersion) -> Entry? {
    entries.first { $0.identifier == identifier && $0.version == version }
  }

  /// Path in the catalog's folder for what is published as `candidate`: where its bytes are listed already, else by their digests.
  func folder(for candidate: PackageCandidate) -> String {
    let (identifier, version) = (candidate.identifier, candidate.version)
    // A build behind the version is in the path, and not in what is compared.
    if let entry = entry(identifier, version), let listed = entry.folder,
      entry.version.description == version.description,
      files(of: identifier, version) == candidate.files
    {
      return listed
    }
    return PublishedFolder.path(identifier, version, candidate.files)
  }

  /// Paths in the catalog's folder of all versions whose places publications chose.
  var folders: [(identifier: AdapterIdentifier, version: AdapterVersion, path: String)] {
    entries.compactMap { entry in entry.folder.map { (entry.identifier, entry.version, $0) } }
  }

  /// The index with `candidates` in place of what it had as the same versions.
  func adding(_ candidates: [PackageCandidate]) -> PublishedIndex {
    var index = self
    for candidate in candidates {
      let url = folder(for: candidate) + "/"
      index.entries.removeAll {
        $0.identifier == candidate.identifier && $0.version == candidate.version
      }
      index.entries.append(
        Entry(
          identifier: candidate.identifier, version: candidate.version, files: candidate.files,
          json: candidate.json(url: url)))
    }
    index.entries.sort { left, right in
      let (a, b) = (left.identifier.description, right.identifier.description)
      return a == b ? left.version < right.version : a.utf8.lexicographicallyPrecedes(b.utf8)
    }
    return index
  }

  /// Says of a version that nobody should install it any more, for `reason`; nil takes that back.
  ///
  /// - Returns: whether that is new; false, too, of a version that it has not.
  mutating func yank(
    _ identifier: AdapterIdentifier, _ version: AdapterVersion, for reason: String?
  ) -> Bool {
    guard
      let place = entries.firstIndex(where: {
        $0.identifier == identifier && $0.version == version
      }), var json = entries[place].json.object
    else { return false }
    let old = json["yanked"]
    json["yanked"] = reason.map { $0.isEmpty ? .bool(true) : .string($0) }
    entries[place].json = .object(json)
    return json["yanked"] != old
  }

  /// Every version in the index.
  var versions: [(identifier: AdapterIdentifier, version: AdapterVersion)] {
    entries.map { ($0.identifier, $0.version) }
  }

  /// The file's text: keys sorted, nothing of the time.
  var text: String {
    var object = object
    object["adapters"] = .array(entries.map(\.json))
    return JSONValue.object(object).text + "\n"
  }

  /// Writes the index into `directory`, by one rename and only when it changes.
  func write(to directory: String) throws(StoreError) {
    try Self.write(try bytes(directory), to: FilePath.join(directory, Catalog.fileName))
  }

  /// Writes the index, signed with `key` at `now` to be believed for `seconds`, and what is not signed beside it.
  ///
  /// One that says the same, and will be believed for half of that time, stays.
  @discardableResult
  func write(
    to directory: String, signing key: PrivateKey, at now: Date, for seconds: Double
  ) throws(StoreError) -> CatalogIssue {
    let path = FilePath.join(directory, Catalog.fileName)
    if let signed, signed.index == Array(text.utf8),
      signed.issue.expires > now.addingTimeInterval(seconds / 2)
    {
      // What was killed between the two files is completed here.
      try Self.write(signed.index, to: path)
      return signed.issue
    }
    // Whole seconds, as the file says them.
    let end = (now.timeIntervalSince1970 + seconds).rounded(.down)
    let issue = CatalogIssue(following: issue, until: Date(timeIntervalSince1970: end))
    var index = self
    index.object.set(issue)
    let bytes = try index.bytes(directory)
    try SignedIndex.write(bytes, to: directory, signing: key)
    try Self.write(bytes, to: path)
    return issue
  }

  private func bytes(_ directory: String) throws(StoreError) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count <= Catalog.sizeLimit else {
      throw .invalidCatalog(
        url: FilePath.join(directory, Catalog.fileName),
        reason: "the index would have \(Figures.size(bytes.count))"
          + "\(remedy: "publish to another folder")")
    }
    return bytes
  }

  /// Writes `bytes` to `path` when they are not there.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    try storing { () throws(FileError) in
      let old = try? FileSystem.read(path, limit: bytes.count)
      guard old != bytes else { return }
      try FileSystem.createDirectory(FilePath.parent(of: path))
      try AtomicFile.write(bytes, to: path)
    }
  }
}

/// Where publications put the files of a version, in the catalog's folder.
///
/// The address follows from the bytes, so that none ever gets others, and caches may keep what they have of it for ever.
enum PublishedFolder {
  /// The folder of `files`.
  static func path(
    _ identifier: AdapterIdentifier, _ version: AdapterVersion, _ files: [CatalogFile]
  ) -> String {
    FilePath.join(self.version(identifier, version), mark(files))
  }

  /// What holds the folders of all bytes that are published as a version.
  static func version(_ identifier: AdapterIdentifier, _ version: AdapterVersion) -> String {
    "\(identifier)/\(version)"
  }

  /// Name of the folder for the bytes of `files`, which follows from them.
  static func mark(_ files: [CatalogFile]) -> String {
    let text = files.map { "\($0.path) \($0.sha256)\n" }.sorted().joined()
    return String(SHA256.hex(Array(text.utf8)).prefix(16))
  }

  /// Whether `name` is such a name.
  static func isMark(_ name: String) -> Bool {
    name.utf8.count == 16 && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}

extension PackageCandidate {
  /// Its entry in an index, with the address of its folder.
  fileprivate func json(url: String) -> JSONValue {
    var object: JSONObject = [
      "identifier": .string(identifier.description),
      "name": .string(identifier.name),
      "version": .string(version.description),
      "baseModelSignature": .string(metadata.baseModelSignature),
      "url": .string(url),
      "files": .array(files.map(\.json)),
    ]
    object["description"] = metadata.description.map(JSONValue.string)
    object["license"] = metadata.license.map(JSONValue.string)
    return .object(object)
  }
}

extension CatalogFile {
  /// The file as an index and a lock file have it.
  var json: JSONValue {
    .object([
      "path": .string(path), "size": .number(JSONNumber(size)), "sha256": .string(sha256),
    ])
  }
}
