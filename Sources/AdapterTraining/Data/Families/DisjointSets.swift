import SystemFiles

/// Numbers from 0 in sets that are joined; Tarjan 1975.
struct DisjointSets {
  private var parents: [Int32]

  init(_ count: Int) { parents = (0..<Int32(count)).map(\.self) }

  /// The smallest number of the set of `number`.
  mutating func first(_ number: Int) -> Int {
    var place = number
    while Int(parents[place]) != place {
      parents[place] = parents[Int(parents[place])]
      place = Int(parents[place])
    }
    return place
  }

  mutating func join(_ a: Int, _ b: Int) {
    let (x, y) = (first(a), first(b))
    if x < y { parents[y] = Int32(x) } else { parents[x] = Int32(y) }
  }

  /// For each number the smallest one of its set.
  consuming func firsts() -> [Int32] {
    // A parent is smaller, and known by then.
    for place in parents.indices { parents[place] = parents[Int(parents[place])] }
    return parents
  }
}

/// Joins numbers that have a key in common, with no more keys in memory than there is room for.
struct KeyJoiner {
  private var table = KeyTable()
  /// Keys that were let go; nil while there were none.
  private var spilled: PairSorter?
  private let folder: String?

  /// Keys in memory, where others may be in a file.
  private static let room = 1 << 19

  init(in folder: String?) { self.folder = folder }

  /// Joins `number` with those of the same key, or at the end.
  mutating func add(_ key: UInt64, _ number: Int, _ sets: inout DisjointSets) throws(FileError) {
    if let known = table[key] {
      if Int(known) != number { sets.join(number, Int(known)) }
      return
    }
    if folder != nil, table.count >= Self.room { try spill() }
    table[key] = Int32(number)
  }

  /// Joins those whose keys were not in memory together.
  mutating func finish(_ sets: inout DisjointSets) throws(FileError) {
    guard spilled != nil else { return }
    try spill()
    var last: (key: UInt64, number: Int)?
    guard let sorter = spilled.take() else { return }
    try sorter.forEach { (key, number) throws(FileError) in
      if let last, last.key == key { sets.join(Int(number), last.number) }
      last = (key, Int(number))
    }
  }

  private mutating func spill() throws(FileError) {
    var sorter = spilled.take() ?? PairSorter(in: folder)
    try table.forEach { (key, number) throws(FileError) in try sorter.add(key, UInt64(number)) }
    table.removeAll()
    spilled = sorter
  }
}
