import Foundation
internal import SystemFiles

/// What this thread reads, as the system counts it.
package enum ThreadReads: String {
  /// Bytes that calls have read, wherever from.
  case all = "rchar"
  /// Bytes that had to come from a disk.
  case fromDisk = "read_bytes"

  /// Bytes that `body` reads.
  package func count(_ body: () throws -> Void) throws -> Int {
    let before = try current()
    try body()
    return try current() - before
  }

  /// Whether reads of the disk of temporary files are counted: not where that is memory.
  package static var seesDisk: Bool {
    guard let directory = try? TemporaryDirectory(),
      let path = try? directory.write([UInt8](repeating: 7, count: 1 << 20), to: "file"),
      (try? FileSystem.syncFile(path)) != nil
    else { return false }
    let file = open(path, O_RDONLY)
    defer { close(file) }
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    let count = try? fromDisk.count { _ = try FileSystem.read(path, limit: 1 << 20) }
    return (count ?? 0) >= 1 << 20
  }

  private struct Uncounted: Error {}

  private func current() throws -> Int {
    let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(rawValue + ": ") }
    guard let count = line.flatMap({ Int($0.dropFirst(rawValue.count + 2)) }) else {
      throw Uncounted()
    }
    return count
  }
}
