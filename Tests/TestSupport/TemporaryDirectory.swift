import Foundation

/// A fresh directory that is removed, with all that is in it, when the last reference goes.
///
/// Keep the value alive for as long as its files are needed.
package final class TemporaryDirectory: Sendable {
  package let url: URL
  package var path: String { url.path }

  /// One in memory, where the system has such a place, takes no time to sync.
  package init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    url =
      parent
      .appendingPathComponent("fmadapter-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    if (try? FileManager.default.removeItem(at: url)) != nil { return }
    Self.makeWritable(url.path)
    try? FileManager.default.removeItem(at: url)
  }

  /// Path of `name` inside the directory; nothing is created.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes `bytes` to `name`, making folders on the way, and returns the path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  /// Writes `text` as UTF-8 to `name` and returns the path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write([UInt8](text.utf8), to: name)
  }

  /// Writes `new` in the place of `old`, which has to be there, in the text `name` and returns the path.
  @discardableResult
  package func edit(_ name: String, _ old: String, _ new: String) throws -> String {
    let text = try String(contentsOfFile: path(name), encoding: .utf8)
    guard text.contains(old) else { throw Unchanged(text: text) }
    return try write(text.replacing(old, with: new), to: name)
  }

  /// There was nothing to change in a file.
  private struct Unchanged: Error { let text: String }

  /// Copies the file or folder at `source` to `name` and returns the path of the copy.
  @discardableResult
  package func copy(_ source: URL, to name: String) throws -> String {
    let target = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: source, to: target)
    return target.path
  }

  // Read-only folders (installed packages) cannot be emptied by anyone but root.
  private static func makeWritable(_ path: String) {
    let manager = FileManager.default
    for name in (try? manager.subpathsOfDirectory(atPath: path)) ?? [] {
      let item = path + "/" + name
      let type = (try? manager.attributesOfItem(atPath: item))?[.type] as? FileAttributeType
      guard type == .typeDirectory else { continue }
      try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: item)
    }
  }
}
