import SystemFiles

/// The text of a file from its start, piece by piece: that which it stands for, if it is compressed with gzip.
struct TextReader {
  private let file: FileReader
  private var gzip: GzipReader?
  /// Bytes of the text that were read.
  private var done = 0

  init(_ file: FileReader) { self.file = file }

  /// Bytes of the file.
  var size: Int { file.size }
  /// Bytes of the file that were read, which are others than those of the text where it is compressed.
  var position: Int { gzip?.position ?? done }

  /// The next bytes, no more than `size`; none at the end.
  mutating func read(_ size: Int) throws(FileError) -> [UInt8] {
    try start()
    let piece: [UInt8]
    if let gzip {
      piece = try gzip.read(size)
    } else {
      piece = try file.read(done..<min(file.size, done + size))
    }
    done += piece.count
    return piece
  }

  /// As `FileReader.checkUnchanged`.
  func checkUnchanged() throws(FileError) { try file.checkUnchanged() }

  /// Sees whether the file is compressed; a copy whose stream went on elsewhere unpacks it from the start again.
  private mutating func start() throws(FileError) {
    guard done == 0 || gzip.map({ $0.made != done }) ?? false else { return }
    guard try GzipReader.takes(file.read(0..<min(file.size, GzipReader.startLength))) else {
      return
    }
    let reader = try GzipReader(file)
    while reader.made < done {
      guard try !reader.read(min(Self.skipped, done - reader.made)).isEmpty else {
        throw .changed(path: file.path)
      }
    }
    gzip = reader
  }

  private static let skipped = 256 << 10
}
