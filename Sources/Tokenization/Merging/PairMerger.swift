/// Merges neighbours, best pair first, until no pair can be merged.
///
/// A heap of candidates keeps the work at O(n log n) for n symbols, however they repeat; fewer than 2³¹ bytes at once.
/// Storage is kept from one use to the next. Source of the algorithm: Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with
/// Subword Units", 2016; among equal pairs the leftmost goes first, as in SentencePiece and llama.cpp.
struct PairMerger {
  /// A run of bytes that is one symbol by now; one with no bytes was merged into its left neighbour.
  struct Symbol {
    /// What the symbol is called by the rule that merges.
    var name: Int32
    fileprivate var first: Int32
    fileprivate var length: Int32
    fileprivate var previous: Int32
    fileprivate var next: Int32

    /// First byte.
    var start: Int { Int(first) }
    /// The byte behind the last.
    var end: Int { Int(first) + Int(length) }
  }

  /// A pair that may be merged.
  private struct Candidate {
    /// `priority << 32 | left`: the smallest goes first.
    let order: UInt64
    let right: Int32
    /// Bytes of both, which tells whether one of them has changed since.
    let length: Int32
    let name: Int32

    var left: Int { Int(order & 0xFFFF_FFFF) }
  }

  private var symbols: [Symbol] = []
  private var heap: [Candidate] = []

  /// Forgets all symbols.
  mutating func removeAll() { symbols.removeAll(keepingCapacity: true) }

  /// Adds a symbol that follows the last one without a gap.
  mutating func append(name: Int32, start: Int, length: Int) {
    let index = symbols.count
    if index > 0 { symbols[index - 1].next = Int32(index) }
    symbols.append(
      Symbol(
        name: name, first: Int32(start), length: Int32(length), previous: Int32(index - 1),
        next: -1))
  }

  /// Merges all pairs for which `rule` gives a priority, smallest first, and the name of the result.
  @inline(__always)
  mutating func merge(
    by rule: (_ left: Symbol, _ right: Symbol) -> (priority: UInt32, name: Int32)?
  ) {
    heap.removeAll(keepingCapacity: true)
    for index in symbols.indices.dropFirst() { propose(Int32(index - 1), Int32(index), rule) }
    while let best = popBest() {
      var left = symbols[best.left]
      let right = symbols[Int(best.right)]
      guard left.length > 0, right.length > 0, left.length + right.length == best.length else {
        continue
      }
      left.name = best.name
      left.length = best.length
      left.next = right.next
      symbols[best.left] = left
      symbols[Int(best.right)].length = 0
      if right.next >= 0 { symbols[Int(right.next)].previous = Int32(best.left) }
      propose(left.previous, Int32(best.left), rule)
      propose(Int32(best.left), right.next, rule)
    }
  }

  /// Calls `body` with each symbol that is left, in order.
  @inline(__always)
  func forEach(_ body: (Symbol) -> Void) {
    for symbol in symbols where symbol.length > 0 { body(symbol) }
  }

  @inline(__always)
  private mutating func propose(
    _ left: Int32, _ right: Int32,
    _ rule: (_ left: Symbol, _ right: Symbol) -> (priority: UInt32, name: Int32)?
  ) {
    guard left >= 0, right >= 0 else { return }
    let (leftSymbol, rightSymbol) = (symbols[Int(left)], symbols[Int(right)])
    guard let merge = rule(leftSymbol, rightSymbol) else { return }
    push(
      Candidate(
        order: UInt64(merge.priority) << 32 | UInt64(left), right: right,
        length: leftSymbol.length + rightSymbol.length, name: merge.name))
  }

  private mutating func push(_ candidate: Candidate) {
    var index = heap.count
    heap.append(candidate)
    while index > 0 {
      let parent = (index - 1) / 2
      guard candidate.order < heap[parent].order else { break }
      heap[index] = heap[parent]
      index = parent
    }
    heap[index] = candidate
  }

  private mutating func popBest() -> Candidate? {
    guard let best = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return best }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].order < heap[child].order { child += 1 }
      guard heap[child].order < last.order else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = last
    return best
  }
}

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
