/// Which two symbols may be merged, how early, and into what.
struct MergeTable: Sendable {
  /// `left << 32 | right`, plus 1 so that 0 is a free slot.
  private var keys: [UInt64]
  /// Rank in the upper half, result in the lower one.
  private var values: [UInt64]
  private let seed = UInt64.random(in: 1 ... .max)

  /// Makes room for `count` merges.
  init(capacity count: Int) {
    var size = 16
    while size < count * 2 { size *= 2 }
    keys = [UInt64](repeating: 0, count: size)
    values = keys
  }

  /// Adds a merge unless the pair has one; at most as many as there is room for.
  mutating func insert(left: Int, right: Int, rank: Int, result: Int) {
    let key = UInt64(left) << 32 | UInt64(right) + 1
    var slot = slot(key)
    while keys[slot] != 0 {
      if keys[slot] == key { return }
      slot = (slot + 1) & (keys.count - 1)
    }
    keys[slot] = key
    values[slot] = UInt64(rank) << 32 | UInt64(result)
  }

  /// Rank and result of merging a pair, or nil when it stays apart.
  func merge(left: Int, right: Int) -> (rank: UInt32, result: Int)? {
    let key = UInt64(left) << 32 | UInt64(right) + 1
    var slot = slot(key)
    while keys[slot] != 0 {
      if keys[slot] == key {
        return (UInt32(values[slot] >> 32), Int(values[slot] & 0xFFFF_FFFF))
      }
      slot = (slot + 1) & (keys.count - 1)
    }
    return nil
  }

  private func slot(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: mixed(key ^ seed)) & (keys.count - 1)
  }
}
