/// A set of byte offsets, as ranges in order that neither overlap nor touch.
struct ByteRanges: Sendable, Equatable {
  private(set) var ranges: [Range<Int>] = []

  /// Number of bytes in the set.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Adds the bytes of `range`.
  mutating func insert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // Streams go forward, so that most additions prolong a range.
    var (lower, upper) = (range.lowerBound, range.upperBound)
    let touching = ranges.indices.filter {
      ranges[$0].lowerBound <= upper && ranges[$0].upperBound >= lower
    }
    guard let first = touching.first, let last = touching.last else {
      let place = ranges.firstIndex { $0.lowerBound > lower } ?? ranges.endIndex
      return ranges.insert(range, at: place)
    }
    lower = min(lower, ranges[first].lowerBound)
    upper = max(upper, ranges[last].upperBound)
    ranges.replaceSubrange(first...last, with: [lower..<upper])
  }

  /// Whether all of `range` is in the set.
  func contains(_ range: Range<Int>) -> Bool {
    range.isEmpty
      || ranges.contains {
        $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound
      }
  }

  /// The bytes of `whole` that are not in the set.
  func missing(in whole: Range<Int>) -> [Range<Int>] {
    var missing: [Range<Int>] = []
    var next = whole.lowerBound
    for range in ranges where range.lowerBound < whole.upperBound {
      if range.lowerBound > next { missing.append(next..<range.lowerBound) }
      next = max(next, range.upperBound)
    }
    if next < whole.upperBound { missing.append(next..<whole.upperBound) }
    return missing
  }

  /// End of the run of bytes in the set that starts at `offset`; `offset` itself when it is not in the set.
  func end(from offset: Int) -> Int {
    ranges.first { $0.contains(offset) }?.upperBound ?? offset
  }
}
