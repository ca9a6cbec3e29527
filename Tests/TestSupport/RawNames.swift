import Foundation

/// What stands under names that are no texts, which nothing of Foundation can make.
extension TemporaryDirectory {
  /// Writes `text` to a file in `folder`, which is there, whose name is `name`.
  package func write(_ text: String, to name: [UInt8], in folder: String = "") throws {
    let file = open(rawPath(name, in: folder), O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    try FileHandle(fileDescriptor: file).write(contentsOf: Data(text.utf8))
  }

  /// Makes a folder in `folder`, which is there, whose name is `name`.
  package func makeFolder(_ name: [UInt8], in folder: String = "") throws {
    guard mkdir(rawPath(name, in: folder), 0o755) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  private func rawPath(_ name: [UInt8], in folder: String) -> [CChar] {
    let folder = folder.isEmpty ? path : path(folder)
    return (Array(folder.utf8) + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
  }
}
