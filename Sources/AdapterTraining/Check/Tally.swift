/// How often each value came: as exact as a list of all, and as small as there are different ones.
package struct Tally: Sendable, Equatable {
  /// How often each value came.
  package private(set) var counts: [Int: Int] = [:]
  /// Values in all.
  package private(set) var count = 0
  /// Their sum.
  package private(set) var total = 0

  /// A tally of `values`.
  package init(_ values: [Int] = []) {
    values.forEach { add($0) }
  }

  mutating func add(_ value: Int) {
    counts[value, default: 0] += 1
    count += 1
    total += value
  }

  /// The largest value; nil where there is none.
  package var largest: Int? { counts.keys.max() }

  /// The value that stands at each of `indices`, which rise, if all are sorted.
  func sorted(at indices: [Int]) -> [Int] {
    var rest = indices[...]
    var (values, passed) = ([Int](), 0)
    for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
      passed += count
      while let index = rest.first, index < passed {
        values.append(value)
        rest.removeFirst()
      }
    }
    return values
  }
}
