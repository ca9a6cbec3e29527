import AdapterStore
import FoundationEssentials
import Interchange
import JSON
import SystemFiles

/// The one file of a model, by its size and digest: it is the same wherever it lies.
struct PinnedFile: Equatable {
  /// Its name on the hub.
  let name: String
  /// The commit of the hub that has it, 40 hexadecimal digits; nil where none is known.
  let revision: String?
  let size: Int
  /// 64 lowercase hexadecimal digits.
  let sha256: String
  /// The package of Python that has it, as pip is asked for it; nil where none is known.
  let package: String?

  /// Where it lies.
  enum Place: Equatable {
    case file(String)
    /// In a zip archive, such as a wheel of Python.
    case packed(archive: String, entry: String)
  }

  init(
    name: String, revision: String? = nil, size: Int, sha256: String, package: String? = nil
  ) {
    (self.name, self.revision, self.size) = (name, revision, size)
    (self.sha256, self.package) = (sha256, package)
  }

  /// Nil unless everything is there.
  init?(_ value: JSONValue) {
    guard let object = value.object, let name = object["name"]?.string,
      let size = object["size"]?.integer, let sha256 = object["sha256"]?.string, isSHA256(sha256)
    else { return nil }
    self.init(
      name: name, revision: object["revision"]?.string, size: size, sha256: sha256,
      package: object["package"]?.string)
  }
}

extension PinnedFile {
  /// Folders below the one that is looked through: as many as an unpacked wheel or a cache has.
  private static let depth = 5

  /// Where `path` has it: the file itself, a wheel with it, or a folder with one of both; nil where it has not.
  ///
  /// - Throws: `FileError` where it cannot be read, `Failure` for a broken archive that was named itself.
  func place(in path: String) throws -> Place? {
    let path = try FileSystem.resolved(path)
    guard FileSystem.isDirectory(following: path) else {
      if try isIt(path) { return .file(path) }
      return Self.isArchive(path) ? try entry(of: path) : nil
    }
    let files = Self.files(below: path, depth: Self.depth)
    if let file = files.first(where: { (try? isIt($0)) == true }) { return .file(file) }
    return files.lazy.filter(Self.isArchive).compactMap { try? entry(of: $0) }.first
  }

  private func isIt(_ path: String) throws(FileError) -> Bool {
    guard try FileSystem.info(path)?.size == size else { return false }
    return try SHA256.hex(ofFile: path) == sha256
  }

  /// What is wrong with the file at `path`, or with one of the right size in the folder there; nil where no such file is another
  /// one, and for archives.
  func damage(in path: String) -> String? {
    guard let place = try? FileSystem.resolved(path) else { return nil }
    guard FileSystem.isDirectory(following: place) else {
      return Self.isArchive(place) ? nil : defect(of: place, as: path)
    }
    return Self.files(below: place, depth: Self.depth).lazy
      .filter { (try? FileSystem.info($0))?.size == size }
      .compactMap { defect(of: $0, as: $0) }.first
  }

  private func defect(of path: String, as name: String) -> String? {
    guard let found = (try? FileSystem.info(path))?.size else { return nil }
    guard found == size else {
      return
        "\(name): the file has \(Figures.bytes(found)), and the one that is meant \(Figures.grouped(size))"
    }
    guard let digest = try? SHA256.hex(ofFile: path), digest != sha256 else { return nil }
    return "\(name): the file has SHA-256 \(digest), and the one that is meant \(sha256)"
  }

  private static func isArchive(_ path: String) -> Bool {
    [".whl", ".zip"].contains(where: path.lowercased().hasSuffix)
  }

  private static func files(below folder: String, depth: Int) -> [String] {
    let entries = (try? FileSystem.list(folder)) ?? []
    func paths(_ kind: FileSystem.Kind) -> [String] {
      entries.filter { $0.kind == kind }.compactMap { try? FilePath.join(folder, $0.name) }
    }
    // Caches of the hub have links to files; those to folders could lead round in a circle.
    let linked = paths(.symbolicLink).compactMap { try? FileSystem.resolved($0) }
    let found = paths(.file) + linked.filter { FileSystem.kind(of: $0) == .file }
    guard depth > 0 else { return found }
    return found + paths(.directory).flatMap { files(below: $0, depth: depth - 1) }
  }

  private func entry(of archive: String) throws -> Place? {
    try Self.reading(archive) { zip in
      zip.names(ofSize: size).first.map { .packed(archive: archive, entry: $0) }
    }
  }

  /// Writes what the `entry` of `archive` has to `path`.
  ///
  /// - Throws: `Failure` where it is another file; else as ``place(in:)``.
  func unpack(_ entry: String, of archive: String, to path: String) throws {
    let bytes = try Self.reading(archive) { try $0.entry(entry) }
    guard let bytes, SHA256.hex(bytes) == sha256 else {
      throw Failure(
        .integrity,
        "\(archive): its \(entry) is not the file that is meant, which has SHA-256 \(sha256)"
          + "\(remedy: "fetch the archive again")")
    }
    var output = try AtomicFile(path: path)
    try output.write(bytes)
    try output.commit()
  }

  private static func reading<R>(
    _ archive: String, _ body: (ZipArchive) throws -> R
  ) throws -> R {
    do {
      let file = try MappedFile(path: archive)
      return try body(ZipArchive(file.bytes, path: archive, inflates: true))
    } catch InterchangeError.archive(let path, let offset, let problem) {
      throw Failure(
        .invalid,
        "\(path): byte \(Figures.grouped(offset)): \(problem)\(remedy: "fetch the archive again")")
    }
  }
}
