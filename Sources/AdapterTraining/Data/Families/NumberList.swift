import SystemFiles

/// Numbers in their order; where there is a folder for it, no more of them than a piece is in memory, and the rest in a file.
///
/// Copies share the file: only one of them may grow.
struct NumberList: Sendable {
  /// Where the file is made once there are many; nil keeps all in memory.
  let folder: String?
  private var file: ScratchFile?
  private var tail: [UInt64] = []
  private var filed = 0

  private static let room = 32 << 10

  init(in folder: String?) { self.folder = folder }

  var count: Int { filed + tail.count }

  mutating func append(_ value: UInt64) throws(FileError) {
    tail.append(value)
    if tail.count >= Self.room { try spill() }
  }

  mutating func append(_ values: some Sequence<UInt64>) throws(FileError) {
    tail += values
    if tail.count >= Self.room { try spill() }
  }

  private mutating func spill() throws(FileError) {
    guard let folder else { return }
    let file = if let file { file } else { try ScratchFile(in: folder) }
    self.file = file
    try file.write(tail, at: filed)
    filed += tail.count
    tail.removeAll(keepingCapacity: true)
  }

  /// Those at the indices of `range`.
  func read(_ range: Range<Int>) throws(FileError) -> [UInt64] {
    guard range.lowerBound < filed else {
      return Array(tail[range.lowerBound - filed..<range.upperBound - filed])
    }
    guard let file else { return [] }
    let values = try file.read(range.lowerBound..<min(filed, range.upperBound))
    return range.upperBound <= filed ? values : values + tail[..<(range.upperBound - filed)]
  }

  /// Reads a list from an index on.
  struct Reader {
    private let list: NumberList
    private var piece: [UInt64] = []
    private var cursor = 0
    private var filled: Int
    private let end: Int

    init(_ list: NumberList, _ range: Range<Int>) {
      (self.list, filled, end) = (list, range.lowerBound, range.upperBound)
    }

    /// How many numbers of the list stand before the next one.
    var position: Int { filled - (piece.count - cursor) }

    /// The next `count` numbers; fewer at the end.
    mutating func next(_ count: Int) throws(FileError) -> ArraySlice<UInt64> {
      if piece.count - cursor < count {
        let wanted = min(end, filled + max(count, NumberList.pieceSize))
        piece = try piece[cursor...] + list.read(filled..<wanted)
        (cursor, filled) = (0, wanted)
      }
      let stop = min(cursor + count, piece.count)
      defer { cursor = stop }
      return piece[cursor..<stop]
    }

    /// The next number; nil at the end.
    mutating func next() throws(FileError) -> UInt64? {
      if cursor == piece.count { try fill() }
      guard cursor < piece.count else { return nil }
      defer { cursor += 1 }
      return piece[cursor]
    }

    private mutating func fill() throws(FileError) {
      let wanted = min(end, filled + NumberList.pieceSize)
      piece = try list.read(filled..<wanted)
      (cursor, filled) = (0, wanted)
    }
  }

  private static let pieceSize = 8 << 10

  func reader(_ range: Range<Int>? = nil) -> Reader { Reader(self, range ?? 0..<count) }
}
