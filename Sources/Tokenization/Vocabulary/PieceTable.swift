/// Pieces as bytes, numbered from 0, with a hash table from bytes to number.
///
/// Bytes, never strings: canonically equivalent pieces are different tokens.
struct PieceTable: Sendable {
  /// A piece that can be found; `number` is 1 more than the piece's, so that 0 is a free slot.
  private struct Slot {
    var hash: UInt32 = 0
    var number: UInt32 = 0
    var start: UInt32 = 0
    var length: UInt32 = 0
  }

  /// Bytes that all pieces together may have.
  static let byteLimit = Int(UInt32.max)

  /// All pieces, one behind the other.
  private(set) var bytes: [UInt8] = []
  private var starts: [UInt32] = [0]
  private var slots: [Slot]
  private var used = 0
  /// Differs from one process to the next, so that no file can be made to collide.
  private let seed = UInt64.random(in: 1 ... .max)

  /// Makes room for `count` pieces.
  init(minimumCapacity count: Int) {
    var size = 64
    while size * 2 < count * 3 { size *= 2 }
    slots = [Slot](repeating: Slot(), count: size)
    starts.reserveCapacity(count + 1)
    bytes.reserveCapacity(count * 8)
  }

  /// The number of pieces.
  var count: Int { starts.count - 1 }

  /// Bytes of all pieces.
  var byteCount: Int { bytes.count }

  /// The bytes of piece `number`.
  subscript(number: Int) -> ArraySlice<UInt8> { bytes[range(of: number)] }

  /// Where the bytes of piece `number` stand.
  func range(of number: Int) -> Range<Int> { Int(starts[number])..<Int(starts[number + 1]) }

  /// Adds a piece within the limit; it can be found unless `isHidden` or an equal one was there before.
  mutating func append(_ piece: Span<UInt8>, isHidden: Bool = false) {
    let slot = Slot(
      hash: UInt32(truncatingIfNeeded: hash(piece)), number: UInt32(count + 1),
      start: UInt32(bytes.count), length: UInt32(piece.count))
    for index in piece.indices { bytes.append(piece[index]) }
    starts.append(UInt32(bytes.count))
    if isHidden { return }
    let place = place(of: piece, hash: slot.hash)
    guard slots[place].number == 0 else { return }
    slots[place] = slot
    used += 1
    if used * 3 > slots.count * 2 { grow() }
  }

  /// The number of the piece with these bytes, or nil.
  func find(_ piece: Span<UInt8>) -> Int? {
    let number = slots[place(of: piece, hash: UInt32(truncatingIfNeeded: hash(piece)))].number
    return number == 0 ? nil : Int(number) - 1
  }

  /// The place of the slot of a piece with these bytes, or of a free one.
  @inline(__always)
  private func place(of piece: Span<UInt8>, hash: UInt32) -> Int {
    let mask = slots.count - 1
    var place = Int(hash) & mask
    while slots[place].number != 0 {
      if slots[place].hash == hash, isEqual(slots[place], piece) { return place }
      place = (place + 1) & mask
    }
    return place
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: old.count * 2)
    for slot in old where slot.number != 0 {
      var place = Int(slot.hash) & (slots.count - 1)
      while slots[place].number != 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = slot
    }
  }

  @inline(__always)
  private func isEqual(_ slot: Slot, _ piece: Span<UInt8>) -> Bool {
    guard Int(slot.length) == piece.count else { return false }
    let start = Int(slot.start)
    for index in piece.indices where bytes[start + index] != piece[index] { return false }
    return true
  }

  /// FNV-1a with a seed and a final mix. <http://www.isthe.com/chongo/tech/comp/fnv/>
  @inline(__always)
  private func hash(_ piece: Span<UInt8>) -> UInt64 {
    var hash = seed
    for index in piece.indices { hash = (hash ^ UInt64(piece[index])) &* 0x100_0000_01B3 }
    return mixed(hash)
  }
}

/// Spreads all bits over all bits: the final step of MurmurHash3.
@inline(__always)
func mixed(_ value: UInt64) -> UInt64 {
  var value = value
  value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
  value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
  return value ^ value >> 33
}
