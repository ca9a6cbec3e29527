import SystemFiles

/// The bytes of a compressed file from its start, a piece at a time, as they are unpacked.
struct PackedBytes {
  /// Bytes of the file that were unpacked.
  private(set) var position = 0

  private let file: FileReader
  private var piece: [UInt8] = []
  /// Bytes of the piece that were unpacked.
  private var taken = 0

  private static let pieceSize = 64 << 10

  init(_ file: FileReader) { self.file = file }

  /// Whether there are bytes that were not unpacked, after reading on where they are used up.
  mutating func fill() throws(FileError) -> Bool {
    if taken < piece.count { return true }
    guard position < file.size else { return false }
    piece = try file.read(position..<min(file.size, position + Self.pieceSize))
    taken = 0
    return true
  }

  /// Gives `body` the bytes that were read and not unpacked, none at the end; it says how many of them it has unpacked.
  @unsafe
  mutating func take<Result>(
    _ body: (UnsafeRawBufferPointer) -> (read: Int, result: Result)
  ) -> Result {
    let (read, result) = unsafe piece.withUnsafeBytes { bytes in
      unsafe body(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    }
    taken += read
    position += read
    return result
  }

  /// What is wrong with the file where it is unpacked now.
  func defect(_ defect: some FormatDefect) -> FileError {
    .malformed(.init(defect), path: file.path, offset: position)
  }
}
