import TensorFiles

/// The bytes of a file one after the other, and the line that comes next; no more of it is in memory than a piece.
struct ByteCursor {
  /// The line of the next byte, from 1.
  private(set) var line = 1
  private let file: FileReader
  private var piece: [UInt8] = []
  private var index = 0
  private var end = 0

  private static let pieceSize = 256 << 10

  /// Starts behind a byte order mark.
  init(_ file: FileReader) throws(TensorFileError) {
    self.file = file
    if try fill(), piece.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Bytes that have been read.
  var position: Int { end - (piece.count - index) }
  var path: String { file.path }

  /// The next byte, which stays; nil at the end of the file.
  mutating func peek() throws(TensorFileError) -> UInt8? { try fill() ? piece[index] : nil }

  /// The next byte; nil at the end of the file.
  mutating func next() throws(TensorFileError) -> UInt8? {
    guard try fill() else { return nil }
    defer { index += 1 }
    if piece[index] == UInt8(ascii: "\n") { line += 1 }
    return piece[index]
  }

  private mutating func fill() throws(TensorFileError) -> Bool {
    guard index == piece.count else { return true }
    guard end < file.size else {
      try file.checkUnchanged()
      return false
    }
    let next = min(end + Self.pieceSize, file.size)
    piece = try file.read(end..<next)
    (index, end) = (0, next)
    return true
  }
}
