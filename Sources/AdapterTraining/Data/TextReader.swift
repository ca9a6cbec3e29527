import SystemFiles

/// Unpacks a compressed file from its start, a piece at a time.
protocol Unpacker: AnyObject {
  /// Whether `start`, of four bytes at most, is that of such a file.
  static func takes(_ start: [UInt8]) -> Bool

  /// - Throws: `FileError.malformed` where there is no memory for it.
  init(_ file: FileReader) throws(FileError)

  /// Bytes of the file that were unpacked.
  var position: Int { get }
  /// Bytes of the text that were made of them.
  var made: Int { get }

  /// The next bytes of the text, no more than `size`; none at its end.
  ///
  /// - Throws: `FileError.malformed` where the file is damaged or cut, and as `FileReader.read`.
  func read(_ size: Int) throws(FileError) -> [UInt8]
}

/// The text of a file from its start, piece by piece: that which it stands for, if it is compressed with gzip or Zstandard.
struct TextReader {
  private let file: FileReader
  private var unpacker: (any Unpacker)?
  /// Bytes of the text that were read.
  private var done = 0

  init(_ file: FileReader) { self.file = file }

  /// Bytes of the file.
  var size: Int { file.size }
  /// Bytes of the file that were read, which are others than those of the text where it is compressed.
  var position: Int { unpacker?.position ?? done }

  /// The next bytes, no more than `size`; none at the end.
  mutating func read(_ size: Int) throws(FileError) -> [UInt8] {
    try start()
    let piece: [UInt8]
    if let unpacker {
      piece = try unpacker.read(size)
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
    guard done == 0 || unpacker.map({ $0.made != done }) ?? false else { return }
    let start = try file.read(0..<min(file.size, 4))
    let kinds: [any Unpacker.Type] = [GzipReader.self, ZstdReader.self]
    guard let kind = kinds.first(where: { $0.takes(start) }) else { return }
    let reader = try kind.init(file)
    while reader.made < done {
      guard try !reader.read(min(Self.skipped, done - reader.made)).isEmpty else {
        throw .changed(path: file.path)
      }
    }
    unpacker = reader
  }

  private static let skipped = 256 << 10
}
