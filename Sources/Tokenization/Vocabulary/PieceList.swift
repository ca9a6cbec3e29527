/// Pieces with their tokens, while a tree is made of them.
struct PieceList {
  /// A piece, with its first eight bytes in place of those that most are made of.
  struct Piece {
    fileprivate let head: UInt64
    fileprivate let start: Int
    let length: Int
    let token: Token

    /// Nothing, for what has none before it.
    static let none = Piece(head: 0, start: 0, length: 0, token: 0)
  }

  /// What is sorted: half of a piece, and where the other one is.
  private struct Entry {
    /// The first eight bytes, zeros behind a shorter piece: most pieces differ there, and compare as one number.
    let head: UInt64
    let number: Int32

    /// A byte of the head, the last one first.
    @inline(__always)
    func digit(_ place: Int) -> Int { Int(head >> UInt64(8 * place) & 0xFF) }
  }

  /// Bytes that a piece has at most.
  let lengthLimit: Int
  private var bytes: [UInt8]
  private var places: [(start: Int, length: UInt16, token: Token)] = []
  private var entries: [Entry] = []

  /// Makes room for `capacity` pieces, of which some may lie in `bytes`.
  init(capacity: Int, lengthLimit: Int, sharing bytes: [UInt8] = []) {
    (self.lengthLimit, self.bytes) = (lengthLimit, bytes)
    places.reserveCapacity(capacity)
    entries.reserveCapacity(capacity)
  }

  var count: Int { entries.count }

  /// A piece by its place, which is that of its bytes once the list is sorted.
  subscript(place: Int) -> Piece { piece(entries[place]) }

  private func piece(_ entry: Entry) -> Piece {
    let place = places[Int(entry.number)]
    return Piece(
      head: entry.head, start: place.start, length: Int(place.length), token: place.token)
  }

  /// Adds bytes of its own, unless there are none or too many.
  mutating func append(_ piece: ArraySlice<UInt8>, token: Token) {
    guard !piece.isEmpty, piece.count <= lengthLimit else { return }
    let start = bytes.count
    bytes += piece
    append(start..<bytes.count, token: token)
  }

  /// Adds bytes that are there already, unless there are none or too many.
  mutating func append(_ range: Range<Int>, token: Token) {
    guard !range.isEmpty, range.count <= lengthLimit else { return }
    var head: UInt64 = 0
    for place in range.prefix(8) { head = head << 8 | UInt64(bytes[place]) }
    head <<= UInt64(8 * max(0, 8 - range.count))
    entries.append(Entry(head: head, number: Int32(places.count)))
    places.append((range.lowerBound, UInt16(range.count), token))
  }

  /// A byte of a piece.
  func byte(_ piece: Piece, _ place: Int) -> UInt8 {
    place < 8
      ? UInt8(truncatingIfNeeded: piece.head >> UInt64(56 - 8 * place)) : bytes[piece.start + place]
  }

  /// Bytes that two pieces begin with.
  func shared(_ one: Piece, _ other: Piece) -> Int {
    let limit = min(one.length, other.length)
    var count = (one.head ^ other.head).leadingZeroBitCount / 8
    guard count == 8 else { return min(count, limit) }
    while count < limit, bytes[one.start + count] == bytes[other.start + count] { count += 1 }
    return min(count, limit)
  }

  /// Sorts by bytes; equal pieces keep their order.
  ///
  /// - Complexity: O(n) but for pieces with the same first eight bytes: by each byte of the head, last ones first.
  mutating func sort() {
    var ends = [Int](repeating: 0, count: 8 << 8)
    for entry in entries {
      for place in 0..<8 { ends[place << 8 | entry.digit(place)] += 1 }
    }
    var other = entries
    for place in 0..<8 {
      let digits = place << 8..<(place + 1) << 8
      if ends[digits].contains(entries.count) { continue }
      var start = 0
      for digit in digits { (ends[digit], start) = (start, start + ends[digit]) }
      for entry in entries {
        let digit = place << 8 | entry.digit(place)
        other[ends[digit]] = entry
        ends[digit] += 1
      }
      swap(&entries, &other)
    }
    sortEqualHeads()
  }

  private mutating func sortEqualHeads() {
    var start = 0
    while start < entries.count {
      let head = entries[start].head
      let end = entries[start...].firstIndex { $0.head != head } ?? entries.count
      if end - start > 1 {
        entries.replaceSubrange(start..<end, with: entries[start..<end].sorted(by: precedes))
      }
      start = end
    }
  }

  private func precedes(_ one: Entry, _ other: Entry) -> Bool {
    let (first, second) = (piece(one), piece(other))
    let shared = shared(first, second)
    guard shared < first.length, shared < second.length else {
      return (first.length, one.number) < (second.length, other.number)
    }
    return byte(first, shared) < byte(second, shared)
  }
}
