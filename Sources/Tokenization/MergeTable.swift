/// Which two symbols may be merged, how early, and into what.
struct MergeTable: Sendable {
  private struct Slot {
    /// `left << 32 | right`, plus 1 so that 0 is a free slot.
    var key: UInt64 = 0
    var rank: UInt32 = 0
    var result: UInt32 = 0
  }

  private var slots: [Slot]
  /// Differs from one process to the next, so that no file can be made to collide.
  private let seed = UInt64.random(in: 1 ... .max)

  /// Makes room for `count` merges.
  init(capacity count: Int) {
    var size = 16
    while size * 2 < count * 3 { size *= 2 }
    slots = [Slot](repeating: Slot(), count: size)
  }

  /// Adds a merge unless the pair has one; at most as many as there is room for.
  mutating func insert(left: Int, right: Int, rank: Int, result: Int) {
    let key = UInt64(left) << 32 | UInt64(right) + 1
    let place = place(of: key)
    if slots[place].key != 0 { return }
    slots[place] = Slot(key: key, rank: UInt32(rank), result: UInt32(result))
  }

  /// Rank and result of merging a pair, or nil when it stays apart.
  @inline(__always)
  func merge(left: Int32, right: Int32) -> (rank: UInt32, result: Int32)? {
    let key = UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right)) + 1
    let slot = slots[place(of: key)]
    return slot.key == 0 ? nil : (slot.rank, Int32(bitPattern: slot.result))
  }

  /// The place of the slot with this key, or of a free one.
  @inline(__always)
  private func place(of key: UInt64) -> Int {
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: mixed(key ^ seed)) & mask
    while slots[place].key != 0, slots[place].key != key { place = (place + 1) & mask }
    return place
  }
}
