/// How often values come, of very many only those that come often; Misra and Gries 1982.
///
/// Values that come more than once in `limit` of all stay, and a second reading counts them.
struct FrequentValues {
  private(set) var counts = KeyTable()
  /// Whether no value was let go, so that all counts are right.
  private(set) var isExact = true

  private static let limit = 1 << 17

  mutating func add(_ value: UInt64) {
    guard !counts.increment(value) else { return }
    if counts.count < Self.limit {
      counts[value] = 1
    } else {
      isExact = false
      counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
    }
  }

  /// Begins to count anew those that stayed.
  mutating func recount() { counts = counts.compactMapValues { _ in 0 } }

  /// Counts `value`, if it stayed.
  mutating func count(_ value: UInt64) { _ = counts.increment(value) }

  /// Those that came more than `count` times.
  func values(above count: Int) -> KeyTable { counts.compactMapValues { $0 > count ? $0 : nil } }
}
