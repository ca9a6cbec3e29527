import SystemFiles

/// Reads a file line by line; no more of it is in memory than a piece and one line.
struct LineReader {
  /// One line of the file.
  struct Line: Sendable, Equatable {
    /// From 1.
    let number: Int
    /// Bytes from the start of the file.
    let offset: Int
    /// Bytes of the line with its end.
    let length: Int
    /// The bytes without line end; empty when there are more than the limit.
    let text: [UInt8]
    /// Whether the line ends with CR and LF.
    let hasCarriageReturn: Bool
    /// Whether the line is longer than the limit.
    let isTooLong: Bool

    /// The line as it stands there, with its end; without its text when there are more than the limit.
    var bytes: [UInt8] {
      hasCarriageReturn ? text + [0x0D, 0x0A] : length > text.count ? text + [0x0A] : text
    }
  }

  /// Longest line that is read, in bytes without its end.
  let limit: Int
  private var source: TextReader
  private var piece: [UInt8] = []
  private var cursor = 0
  private var pieceEnd = 0
  /// Where the piece begins in the file.
  private var pieceStart = 0
  private var number = 0

  private static let pieceSize = 256 << 10

  /// Reads `file` from its start, unpacked where it is compressed.
  init(_ file: FileReader, limit: Int) {
    source = TextReader(file)
    self.limit = limit
  }

  /// Bytes that have been read as lines.
  var position: Int { pieceEnd - (piece.count - cursor) }
  /// Bytes of the file that have been read, about so many where it is compressed.
  var filePosition: Int {
    let unread =
      piece.isEmpty ? 0 : (source.position - pieceStart) * (piece.count - cursor) / piece.count
    return source.position - unread
  }

  /// The next line, or nil at the end of the file; a line end at the very end starts no further line.
  ///
  /// - Throws: `FileError` when the file cannot be read.
  mutating func next() throws(FileError) -> Line? {
    guard try fill() else { return nil }
    let start = position
    var bytes: [UInt8] = []
    var length = 0
    while try fill() {
      let end = piece[cursor...].firstIndex(of: 0x0A)
      let stop = end.map { $0 + 1 } ?? piece.count
      length += stop - cursor
      // Two more than the limit, for the line's end.
      if length <= limit + 2 { bytes += piece[cursor..<stop] }
      cursor = stop
      if end != nil { break }
    }
    number += 1
    return line(bytes, start: start, length: length)
  }

  private func line(_ bytes: [UInt8], start: Int, length: Int) -> Line {
    let hasLineFeed = bytes.last == 0x0A
    let hasReturn = hasLineFeed && bytes.dropLast().last == 0x0D
    let count = bytes.count - (hasReturn ? 2 : hasLineFeed ? 1 : 0)
    let isTooLong = bytes.count < length || count > limit
    return Line(
      number: number, offset: start, length: length, text: isTooLong ? [] : Array(bytes[..<count]),
      hasCarriageReturn: hasReturn, isTooLong: isTooLong)
  }

  /// Whether there is a byte at the cursor, after reading on where the piece is used up.
  private mutating func fill() throws(FileError) -> Bool {
    if cursor < piece.count { return true }
    pieceStart = source.position
    piece = try source.read(Self.pieceSize)
    pieceEnd += piece.count
    cursor = 0
    return !piece.isEmpty
  }
}
