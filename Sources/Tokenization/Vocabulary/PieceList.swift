/// Pieces with their tokens, while a tree is made of them.
struct PieceList {
  /// What is sorted: most of what is asked of a piece, so that the rest of memory is left alone.
  struct Piece {
    /// The first eight bytes, zeros behind a shorter piece: most pieces differ there, and compare as one number.
    fileprivate let head: UInt64
    fileprivate let number: Int32
    private let count: UInt16

    fileprivate init(head: UInt64, number: Int, length: Int) {
      (self.head, self.number, count) = (head, Int32(number), UInt16(length))
    }

    var length: Int { Int(count) }

    /// Nothing, for what has none before it.
    static let none = Piece(head: 0, number: 0, length: 0)

    /// Bits of the head that are looked at together, and how often that takes all of them.
    static let digitBits = 11
    static let digits = 6

    /// Some bits of the head, the last ones first.
    @inline(__always)
    func digit(_ place: Int) -> Int {
      Int(truncatingIfNeeded: head >> UInt64(Self.digitBits * place)) & (1 << Self.digitBits - 1)
    }
  }

  /// Bytes that a piece has at most.
  let lengthLimit: Int
  private var bytes: [UInt8]
  private var starts: [Int] = []
  private var tokens: [Token] = []
  private var pieces: [Piece] = []

  /// Makes room for `capacity` pieces, of which some may lie in `bytes`.
  init(capacity: Int, lengthLimit: Int, sharing bytes: [UInt8] = []) {
    (self.lengthLimit, self.bytes) = (lengthLimit, bytes)
    starts.reserveCapacity(capacity)
    tokens.reserveCapacity(capacity)
    pieces.reserveCapacity(capacity)
  }

  var count: Int { pieces.count }

  /// A piece by its place, which is that of its bytes once the list is sorted.
  subscript(place: Int) -> Piece { pieces[place] }

  /// The token of a piece.
  func token(_ piece: Piece) -> Token { tokens[Int(piece.number)] }

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
    pieces.append(Piece(head: head, number: starts.count, length: range.count))
    starts.append(range.lowerBound)
    tokens.append(token)
  }

  /// A byte of a piece.
  func byte(_ piece: Piece, _ place: Int) -> UInt8 {
    place < 8
      ? UInt8(truncatingIfNeeded: piece.head >> UInt64(56 - 8 * place))
      : bytes[start(piece) + place]
  }

  /// Bytes that two pieces begin with.
  func shared(_ one: Piece, _ other: Piece) -> Int {
    let limit = min(one.length, other.length)
    var count = (one.head ^ other.head).leadingZeroBitCount / 8
    guard count == 8 else { return min(count, limit) }
    let (start, otherStart) = (start(one), start(other))
    while count < limit, bytes[start + count] == bytes[otherStart + count] { count += 1 }
    return min(count, limit)
  }

  /// Sorts by bytes; equal pieces keep their order.
  ///
  /// - Complexity: O(n) but for pieces with the same first eight bytes: by 11 bits of the head at a time, last ones first.
  mutating func sort() {
    var ends = [Int32](repeating: 0, count: Piece.digits << Piece.digitBits)
    for piece in pieces {
      for place in 0..<Piece.digits { ends[place << Piece.digitBits | piece.digit(place)] += 1 }
    }
    var other = pieces
    for place in 0..<Piece.digits {
      let digits = place << Piece.digitBits..<(place + 1) << Piece.digitBits
      if ends[digits].contains(Int32(pieces.count)) { continue }
      var start: Int32 = 0
      for digit in digits { (ends[digit], start) = (start, start + ends[digit]) }
      for piece in pieces {
        let digit = digits.lowerBound | piece.digit(place)
        other[Int(ends[digit])] = piece
        ends[digit] += 1
      }
      swap(&pieces, &other)
    }
    sortEqualHeads()
  }

  private mutating func sortEqualHeads() {
    var start = 0
    while start < pieces.count {
      let head = pieces[start].head
      var end = start + 1
      while end < pieces.count, pieces[end].head == head { end += 1 }
      if end - start > Self.few {
        pieces.replaceSubrange(start..<end, with: pieces[start..<end].sorted(by: precedes))
      } else {
        insert(from: start, to: end)
      }
      start = end
    }
  }

  /// Pieces with one head, up to which it is faster to put them in order one by one.
  private static let few = 32

  private mutating func insert(from start: Int, to end: Int) {
    for place in start..<end {
      let piece = pieces[place]
      var hole = place
      while hole > start, precedes(piece, pieces[hole - 1]) {
        pieces[hole] = pieces[hole - 1]
        hole -= 1
      }
      pieces[hole] = piece
    }
  }

  private func precedes(_ one: Piece, _ other: Piece) -> Bool {
    let shared = shared(one, other)
    guard shared < one.length, shared < other.length else { return one.length < other.length }
    return byte(one, shared) < byte(other, shared)
  }

  private func start(_ piece: Piece) -> Int { starts[Int(piece.number)] }
}
