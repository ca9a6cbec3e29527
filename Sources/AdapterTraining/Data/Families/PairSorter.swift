import SystemFiles

/// Sorts pairs of numbers; where there is a folder for it, runs of them are sorted in memory, and merged from a file.
struct PairSorter {
  struct Pair: Comparable {
    let first: UInt64
    let second: UInt64

    static func < (left: Pair, right: Pair) -> Bool {
      left.first != right.first ? left.first < right.first : left.second < right.second
    }
  }

  private var pairs: [Pair] = []
  private var list: NumberList
  /// Where each run ends in the list.
  private var ends: [Int] = []

  private static let room = 1 << 19

  init(in folder: String?) { list = NumberList(in: folder) }

  mutating func add(_ first: UInt64, _ second: UInt64) throws(FileError) {
    pairs.append(Pair(first: first, second: second))
    guard list.folder != nil, pairs.count >= Self.room else { return }
    pairs.putInOrder()
    for pair in pairs {
      try list.append(pair.first)
      try list.append(pair.second)
    }
    ends.append(list.count)
    pairs.removeAll(keepingCapacity: true)
  }

  /// Hands out all pairs, rising, those that are equal one behind the other.
  consuming func forEach(
    _ body: (_ first: UInt64, _ second: UInt64) throws(FileError) -> Void
  ) throws(FileError) {
    pairs.putInOrder()
    var readers = zip([0] + ends, ends).map { list.reader($0..<$1) }
    var heap = RunHeap()
    for run in readers.indices { try heap.push(Self.next(&readers[run]), run) }
    var rest = pairs[...]
    heap.push(rest.popFirst(), ends.count)
    while let (pair, run) = heap.pop() {
      try body(pair.first, pair.second)
      heap.push(run < readers.count ? try Self.next(&readers[run]) : rest.popFirst(), run)
    }
  }

  private static func next(_ reader: inout NumberList.Reader) throws(FileError) -> Pair? {
    guard let first = try reader.next(), let second = try reader.next() else { return nil }
    return Pair(first: first, second: second)
  }
}

extension [PairSorter.Pair] {
  private static var width: Int { 11 }

  /// Puts the pairs in their order: by the digits of their first numbers, the lowest one first, as those are mostly hashes.
  fileprivate mutating func putInOrder() {
    guard count > 1 << Self.width else { return sort() }
    var next = self
    for shift in stride(from: 0, to: 64, by: Self.width) {
      var places = [Int](repeating: 0, count: 1 << Self.width)
      for pair in self { places[Self.digit(of: pair, shift)] += 1 }
      guard !places.contains(count) else { continue }
      var start = 0
      for digit in places.indices { (places[digit], start) = (start, start + places[digit]) }
      for pair in self {
        let digit = Self.digit(of: pair, shift)
        next[places[digit]] = pair
        places[digit] += 1
      }
      swap(&self, &next)
    }
    sortEqual()
  }

  private static func digit(of pair: Element, _ shift: Int) -> Int {
    Int(pair.first >> shift & (1 << width - 1))
  }

  /// Puts those with the same first number in their order.
  private mutating func sortEqual() {
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, self[end].first == self[start].first { end += 1 }
      if end > start + 1 { self[start..<end].sort() }
      start = end
    }
  }
}

/// The smallest pairs of runs; Williams 1964.
private struct RunHeap {
  private var entries: [(pair: PairSorter.Pair, run: Int)] = []

  mutating func push(_ pair: PairSorter.Pair?, _ run: Int) {
    guard let pair else { return }
    entries.append((pair, run))
    var place = entries.count - 1
    while place > 0, entries[place].pair < entries[(place - 1) / 2].pair {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func pop() -> (pair: PairSorter.Pair, run: Int)? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var place = 0
    while 2 * place + 1 < entries.count {
      var child = 2 * place + 1
      if child + 1 < entries.count, entries[child + 1].pair < entries[child].pair { child += 1 }
      guard entries[child].pair < entries[place].pair else { break }
      entries.swapAt(place, child)
      place = child
    }
    return first
  }
}
