/// Values counted by their size, as Prometheus has histograms.
struct Histogram: Sendable, Equatable {
  /// Largest values of the buckets, which rise; one more bucket takes what is larger.
  let bounds: [Double]
  private(set) var counts: [Int]
  private(set) var sum = 0.0

  init(_ bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// How many values there are.
  var count: Int { counts.reduce(0, +) }

  /// Adds a value, or several of the same size.
  mutating func add(_ value: Double, times: Int = 1) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += times
    sum += value * Double(times)
  }

  mutating func add(_ time: Duration) { add(time / .seconds(1)) }

  /// Adds the values of another one with the same buckets.
  mutating func add(_ other: Histogram) {
    for (index, count) in other.counts.enumerated() { counts[index] += count }
    sum += other.sum
  }
}
