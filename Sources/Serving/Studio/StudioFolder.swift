import JSON
import SystemFiles

/// The folder in which the page's files lie: what is dropped on it, and what its commands make.
///
/// Names have folders in them, and never lead out of it.
struct StudioFolder: Sendable {
  let path: String

  struct File: Sendable {
    let name: String
    let size: Int
    let modified: Double

    var json: JSONValue {
      .object([
        "name": .string(name), "size": .integer(size), "modified": .number(JSONNumber(modified)),
      ])
    }
  }

  /// Bytes of a file that is read as a whole, at most.
  private static let readLimit = 256 << 20
  /// Folders within folders, and files of a list, at most.
  private static let (depth, listLimit) = (6, 10_000)

  /// Makes the folder where it is not there.
  func make() throws(ServingError) {
    try done("The folder of the studio cannot be made.") { () throws(FileError) in
      try FileSystem.createDirectory(path, lasts: false)
    }
  }

  /// All files in it, by name.
  func files() throws(ServingError) -> [File] {
    guard FileSystem.kind(of: path) == .directory else { return [] }
    var files: [File] = []
    try done("The folder of the studio cannot be read.") { () throws(FileError) in
      try add(to: &files, "", depth: 0)
    }
    return files.sorted { $0.name < $1.name }
  }

  private func add(
    to files: inout [File], _ folder: String, depth: Int
  ) throws(FileError) {
    for entry in try FileSystem.list(folder.isEmpty ? path : "\(path)/\(folder)") {
      guard files.count < Self.listLimit, let text = entry.name.text, Self.isName(text) else {
        continue
      }
      let name = folder.isEmpty ? text : "\(folder)/\(text)"
      switch entry.kind {
      case .file:
        guard let info = try FileSystem.info("\(path)/\(name)") else { continue }
        files.append(File(name: name, size: info.size, modified: info.modified))
      case .directory where depth < Self.depth: try add(to: &files, name, depth: depth + 1)
      default: continue
      }
    }
  }

  /// Letters, digits and a few signs that neither a shell nor the program takes for anything else.
  static func isName(_ text: String) -> Bool {
    text.isName(of: 1...128, with: "-._") && text.utf8.first != 0x2D && text.utf8.first != 0x2E
  }

  /// Where the file of this name lies.
  ///
  /// - Throws: `.invalidRequest` for what is no name.
  private func place(_ name: String) throws(ServingError) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...Self.depth).contains(parts.count), parts.allSatisfy({ Self.isName(String($0)) })
    else {
      throw ServingError(
        .invalidRequest,
        "The name of a file has letters, digits, dots, hyphens and underscores, and slashes between folders; no part begins with a dot or a hyphen."
      )
    }
    var place = path
    for part in parts.dropLast() {
      place += "/\(part)"
      if let kind = FileSystem.kind(of: place), kind != .directory {
        throw ServingError(.invalidRequest, "'\(name)' would lie in something that is no folder.")
      }
    }
    return "\(place)/\(parts.last ?? "")"
  }

  /// What the file of this name has.
  func read(_ name: String) throws(ServingError) -> [UInt8] {
    let place = try place(name)
    guard FileSystem.kind(of: place) == .file else { throw Self.missing(name) }
    var bytes: [UInt8] = []
    try done("'\(name)' cannot be read.") { () throws(FileError) in
      bytes = try FileSystem.read(place, limit: Self.readLimit)
    }
    return bytes
  }

  /// Writes `bytes` behind the first `offset` ones of the file of this name; nothing stays behind them.
  func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(ServingError) {
    let place = try place(name)
    let size = (try? FileSystem.info(place))??.size ?? 0
    guard FileSystem.kind(of: place) ?? .file == .file, (0...size).contains(offset) else {
      throw ServingError(
        .invalidRequest, "'\(name)' has \(size) bytes, and cannot be written from \(offset) on.")
    }
    try done("'\(name)' cannot be written.") { () throws(FileError) in
      try FileSystem.createDirectory(FilePath.parent(of: place), lasts: false)
      let file = try WritableFile(path: place)
      try file.cut(to: offset)
      try file.write(bytes, at: offset)
    }
  }

  /// Removes the file or folder of this name.
  func remove(_ name: String) throws(ServingError) {
    let place = try place(name)
    guard FileSystem.kind(of: place) != nil else { throw Self.missing(name) }
    try done("'\(name)' cannot be removed.") { () throws(FileError) in
      try FileSystem.removeTree(place)
    }
  }

  private static func missing(_ name: String) -> ServingError {
    ServingError(.notFound, "There is no file '\(name)' in the folder of the studio.")
  }

  /// Does `body`, and says `problem` where the system refuses.
  private func done(
    _ problem: String, _ body: () throws(FileError) -> Void
  ) throws(ServingError) {
    do throws(FileError) { try body() } catch { throw ServingError(.failed, problem) }
  }
}
