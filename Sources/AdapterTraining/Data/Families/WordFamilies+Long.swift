import SystemFiles

/// The smallest hashes of long texts.
struct SmallestHashes {
  /// Of each text a few: the hash and the number of the text, and the outline of its sketch.
  var entries: PairSorter
  /// Hashes that so many have that they say nothing.
  let frequent: KeyTable
}

extension WordFamilies {
  func smallestHashes() throws(FileError) -> SmallestHashes {
    var smallest = SmallestHashes(
      entries: PairSorter(in: folder), frequent: try frequentHashes())
    var (places, hashes) = (sketched.reader(), sketches.reader())
    for text in 0..<count {
      guard let place = try places.next(), place & 0xFF > 0 else { continue }
      let length = Int(place & 0xFF)
      let sketch = Self.sketch(try hashes.next((length + 1) / 2), length, smallest.frequent)
      let outline = SketchOutline(sketch)
      for hash in sketch.prefix(8) {
        try smallest.entries.add(UInt64(hash) << 32 | UInt64(text), outline.packed)
      }
    }
    return smallest
  }

  /// A long text is compared with the last few before it that have one of its smallest hashes.
  func joinLong(
    _ smallest: consuming SmallestHashes, _ sets: inout DisjointSets
  ) throws(FileError) {
    let frequent = smallest.frequent
    // Sketches are read when they are first asked for, of a file by chance.
    var (hash, seen) = (UInt64(0), [(text: Int, outline: SketchOutline, sketch: [UInt32]?)]())
    try smallest.entries.forEach { (entry, packed) throws(FileError) in
      if entry >> 32 != hash { (hash, seen) = (entry >> 32, []) }
      let (text, outline) = (Int(entry & 0xFFFF_FFFF), SketchOutline(packed: packed))
      var own: [UInt32]?
      for place in seen.indices where outline.mayBeAlike(seen[place].outline) {
        let other = seen[place]
        guard sets.first(text) != sets.first(other.text) else { continue }
        let mine = if let own { own } else { try sketch(of: text, frequent) }
        let others =
          if let sketch = other.sketch { sketch } else { try sketch(of: other.text, frequent) }
        (own, seen[place].sketch) = (mine, others)
        if TextWords.areAlike(mine, others) { sets.join(text, other.text) }
      }
      if seen.count < 4 {
        seen.append((text, outline, own))
      } else {
        seen[text % 4] = (text, outline, own)
      }
    }
  }

  private func sketch(of text: Int, _ frequent: KeyTable) throws(FileError) -> [UInt32] {
    let place = try sketched.read(text..<text + 1)[0]
    let (start, count) = (Int(place >> 8), Int(place & 0xFF))
    return Self.sketch(
      try sketches.read(start..<start + (count + 1) / 2)[...], count, frequent)
  }

  private static func sketch(
    _ numbers: ArraySlice<UInt64>, _ count: Int, _ frequent: KeyTable
  ) -> [UInt32] {
    var sketch: [UInt32] = []
    sketch.reserveCapacity(2 * numbers.count)
    for number in numbers {
      sketch.append(UInt32(truncatingIfNeeded: number))
      sketch.append(UInt32(truncatingIfNeeded: number >> 32))
    }
    if sketch.count > count { sketch.removeLast() }
    if frequent.count > 0 { sketch.removeAll { frequent.contains(UInt64($0)) } }
    return sketch
  }

  /// What more than a tenth of many long texts have in common says nothing: instructions stand before everything.
  private func frequentHashes() throws(FileError) -> KeyTable {
    guard longCount >= 20 else { return KeyTable() }
    var values = FrequentValues()
    try forEachHash { values.add($0) }
    if !values.isExact {
      values.recount()
      try forEachHash { values.count($0) }
    }
    return values.values(above: max(20, longCount / 10))
  }

  private func forEachHash(_ body: (UInt64) -> Void) throws(FileError) {
    var (places, hashes) = (sketched.reader(), sketches.reader())
    while let place = try places.next() {
      let count = Int(place & 0xFF)
      for (index, pair) in try hashes.next((count + 1) / 2).enumerated() {
        body(pair & 0xFFFF_FFFF)
        if 2 * index + 1 < count { body(pair >> 32) }
      }
    }
  }
}

/// Of a sketch what tells it from most of those that are not like it.
struct SketchOutline {
  /// A bit for each hash, which others may have too, and above them how many hashes there are.
  let packed: UInt64

  private static let width = 57

  init(packed: UInt64) { self.packed = packed }

  init(_ sketch: [UInt32]) {
    let bits = sketch.reduce(UInt64(0)) { $0 | 1 << UInt64($1 % UInt32(Self.width)) }
    packed = UInt64(sketch.count) << Self.width | bits
  }

  /// Whether half of the hashes of both may be in both.
  ///
  /// A bit that only one has is of a hash that only it has. Where both are small enough, all their hashes are compared.
  func mayBeAlike(_ other: SketchOutline) -> Bool {
    let all = Int(packed >> Self.width) + Int(other.packed >> Self.width)
    let different = ((packed ^ other.packed) << (64 - Self.width)).nonzeroBitCount
    return all > TextWords.sketchSize || 3 * different <= all
  }
}
