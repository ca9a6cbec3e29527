import Foundation
internal import SystemFiles

/// The files and folders below a folder, with all bytes.
package struct FileTree: Hashable, Sendable {
  package enum Contents: Hashable, Sendable {
    case folder
    case file([UInt8])
  }

  package struct Item: Hashable, Sendable {
    package var contents: Contents
    /// Whether its owner may change it.
    package var isWritable = true
  }

  /// By paths that begin below the folder.
  package var items: [String: Item] = [:]

  package init() {}

  /// What is below `folder`; nothing where that is missing.
  package init(reading folder: String) throws {
    try read(folder, as: "")
  }

  private mutating func read(_ folder: String, as prefix: String) throws {
    guard try FileSystem.info(folder) != nil else { return }
    for entry in try FileSystem.list(folder) {
      let (path, name) = (try FilePath.join(folder, entry.name), prefix + "\(entry.name)")
      let isWritable = (try FileSystem.info(path)?.mode ?? 0) & 0o200 != 0
      if entry.kind == .directory {
        items[name] = Item(contents: .folder, isWritable: isWritable)
        try read(path, as: name + "/")
      } else {
        let bytes = try FileSystem.read(path, limit: 1 << 24)
        items[name] = Item(contents: .file(bytes), isWritable: isWritable)
      }
    }
  }

  /// Puts it into the new folder `folder`.
  package func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let paths = items.keys.sorted()
    for path in paths {
      let place = FilePath.join(folder, path)
      switch items[path]?.contents {
      case .file(let bytes): try Data(bytes).write(to: URL(fileURLWithPath: place))
      case .folder, nil:
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      }
    }
    for path in paths.reversed() where items[path]?.isWritable == false {
      chmod(FilePath.join(folder, path), items[path]?.contents == .folder ? 0o555 : 0o444)
    }
  }

  /// The bytes of the file at `path`; nil where there is none.
  package func bytes(_ path: String) -> [UInt8]? {
    if case .file(let bytes)? = items[path]?.contents { bytes } else { nil }
  }
}
