import SystemFiles

/// Whether a store is at a place, or could be made there with the first thing that is put into it.
struct StorePlace: Sendable {
  let root: String

  /// Why no store can be there; nil where one is, or can come to be.
  ///
  /// A store whose disk is not mounted looks as an empty one does, and is not.
  var defect: ErrorText? {
    if FileSystem.isDirectory(following: root) { return nil }
    do throws(FileError) {
      let place = try Self.existing(root)
      guard FileSystem.isDirectory(following: place) else { return try Self.kindDefect(place) }
      return FileSystem.isWritable(directory: place)
        ? nil : "\(place) cannot be written\(Self.other)"
    } catch {
      return "\(error)\(Self.other)"
    }
  }

  /// - Throws: `StoreError.noStore`.
  func check() throws(StoreError) {
    if let defect { throw .noStore(path: root, reason: defect) }
  }

  /// The nearest place above `path`, or that itself, where something stands.
  static func existing(_ path: String) throws(FileError) -> String {
    var path = path
    while try FileSystem.info(path) == nil, path != "/", path != "." {
      path = FilePath.parent(of: path)
    }
    return path
  }

  private static let other = "\(remedy: "set FMADAPTER_HOME to another place")" as ErrorText

  private static func kindDefect(_ place: String) throws(FileError) -> ErrorText {
    guard try FileSystem.info(place)?.kind == .symbolicLink, !FileSystem.exists(following: place)
    else { return "\(place) is not a folder\(other)" }
    return "the link \(place) leads nowhere"
      + "\(remedy: "mount or make what it leads to, or set FMADAPTER_HOME to another place")"
  }
}
