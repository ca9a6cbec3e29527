/// A part of the lines of a file, such as 2/4: the second of four, each as long as the others or a line longer.
struct Shard: Sendable, Equatable, CustomStringConvertible {
  /// From 1 on.
  let number: Int
  let count: Int

  private static let limit = 1_000_000

  /// Nil for a text of another form, and for a number beyond the count.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
      (1...Self.limit).contains(count), (1...count).contains(number)
    else { return nil }
    (self.number, self.count) = (number, count)
  }

  var description: String { "\(number)/\(count)" }

  /// The lines of the shard, of `total`: all shards behind one another are all lines.
  func range(of total: Int) -> Range<Int> { bound(number - 1, total)..<bound(number, total) }

  /// total · number / count, rounded down.
  private func bound(_ number: Int, _ total: Int) -> Int {
    count.dividingFullWidth(total.multipliedFullWidth(by: number)).quotient
  }
}

extension ValueType where Value == Shard {
  static var shard: Self {
    Self(
      placeholder: "part", expectation: "a part of all, such as 1/4 for the first of four"
    ) { Shard($0) }
  }
}
