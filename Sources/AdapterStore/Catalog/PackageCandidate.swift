import Adapters
import TensorFiles

/// A package on its way into a catalog: checked, and every file digested.
struct PackageCandidate: Sendable {
  let path: String
  let metadata: AdapterMetadata
  let version: AdapterVersion
  let files: [CatalogFile]
  let report: CheckReport

  var identifier: AdapterIdentifier { metadata.adapterIdentifier }

  /// - Throws: `StoreError.refused`, `.noSource` or `.storage`.
  init(_ path: String, defaultVersion: AdapterVersion?) throws(StoreError) {
    do throws(AdapterError) {
      let adapter = try AdapterCheck.run(package: path)
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
  }

  /// Path of its files in the catalog at `directory`.
  func folder(in directory: String) -> String {
    FilePath.join(FilePath.join(directory, identifier.description), version.description)
  }

  /// The index's order: by identifier, then by version.
  func precedes(_ other: PackageCandidate) -> Bool {
    let (left, right) = (identifier.description, other.identifier.description)
    return left == right ? version < other.version : left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The packages among `paths`: each path itself, or the packages in the folder there.
  ///
  /// - Throws: `StoreError.noSource` for a path without any.
  static func paths(in paths: [String]) throws(StoreError) -> [String] {
    var found: [String] = []
    for path in paths {
      let entries = try storing { () throws(TensorFileError) in
        try FileSystem.info(path)?.kind == .directory ? try FileSystem.list(path) : []
      }
      if entries.contains(where: { $0.name == PackageFile.metadata }) {
        found.append(path)
        continue
      }
      let packages = entries.filter {
        $0.kind == .directory && $0.name.hasSuffix(PackageFile.suffix)
      }
      guard !packages.isEmpty else { throw .noSource(path: path) }
      found += packages.map { FilePath.join(path, $0.name) }
    }
    return found
  }

  private static func files(_ path: String) throws(StoreError) -> [CatalogFile] {
    try storing { () throws(TensorFileError) in
      var files: [CatalogFile] = []
      for entry in try FileSystem.list(path) where PackageFile.known.contains(entry.name) {
        let record = try FileRecord(path: entry.name, file: FilePath.join(path, entry.name))
        files.append(CatalogFile(path: record.path, size: record.size, sha256: record.sha256))
      }
      return files
    }
  }

  private static func read(_ file: String) throws(AdapterError) -> [UInt8] {
    do throws(TensorFileError) {
      return try FileSystem.read(file, limit: 8 << 20)
    } catch {
      throw .file(error)
    }
  }
}
