/// Pieces as bytes, numbered from 0, with a hash table from bytes to number.
///
/// Bytes, never strings: canonically equivalent pieces are different tokens.
struct PieceTable: Sendable {
  private var bytes: [UInt8] = []
  private var starts: [Int] = [0]
  /// Number and upper half of the hash of the piece in each slot; 0 for a free slot.
  private var slots: [UInt64]
  private var used = 0
  /// Differs from one process to the next, so that no file can be made to collide.
  private let seed = UInt64.random(in: 1 ... .max)

  /// Makes room for `count` pieces.
  init(minimumCapacity count: Int) {
    var size = 64
    while size < count * 2 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    starts.reserveCapacity(count + 1)
    bytes.reserveCapacity(count * 8)
  }

  /// The number of pieces.
  var count: Int { starts.count - 1 }

  /// The bytes of piece `number`.
  subscript(number: Int) -> ArraySlice<UInt8> { bytes[starts[number]..<starts[number + 1]] }

  /// The number of bytes of piece `number`.
  func length(_ number: Int) -> Int { starts[number + 1] - starts[number] }

  /// Adds a piece; it can be found unless `isHidden` or an equal one was there before.
  mutating func append(_ piece: Span<UInt8>, isHidden: Bool = false) {
    let number = count
    for index in piece.indices { bytes.append(piece[index]) }
    starts.append(bytes.count)
    if isHidden { return }
    let hash = hash(piece)
    guard let slot = freeSlot(hash, for: piece) else { return }
    slots[slot] = hash << 32 | UInt64(number + 1)
    used += 1
    if used * 2 > slots.count { grow() }
  }

  /// The number of the piece with these bytes, or nil.
  func find(_ piece: Span<UInt8>) -> Int? {
    let hash = hash(piece)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash & 0xFFFF_FFFF {
        let number = Int(slots[slot] & 0xFFFF_FFFF) - 1
        if isEqual(number, piece) { return number }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The slot for a new piece, or nil when an equal one has one.
  private func freeSlot(_ hash: UInt64, for piece: Span<UInt8>) -> Int? {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot] & 0xFFFF_FFFF) - 1
      if slots[slot] >> 32 == hash & 0xFFFF_FFFF, isEqual(number, piece) { return nil }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    for entry in old where entry != 0 {
      let number = Int(entry & 0xFFFF_FFFF) - 1
      let hash = hash(bytes.span.extracting(starts[number]..<starts[number + 1]))
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = entry
    }
  }

  private func isEqual(_ number: Int, _ piece: Span<UInt8>) -> Bool {
    let start = starts[number]
    guard starts[number + 1] - start == piece.count else { return false }
    for index in piece.indices where bytes[start + index] != piece[index] { return false }
    return true
  }

  /// FNV-1a with a seed and a final mix. <http://www.isthe.com/chongo/tech/comp/fnv/>
  private func hash(_ piece: Span<UInt8>) -> UInt64 {
    var hash = seed
    for index in piece.indices { hash = (hash ^ UInt64(piece[index])) &* 0x100_0000_01B3 }
    return mixed(hash)
  }
}

/// Spreads all bits over all bits: the final step of MurmurHash3.
func mixed(_ value: UInt64) -> UInt64 {
  var value = value
  value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
  value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
  return value ^ value >> 33
}
