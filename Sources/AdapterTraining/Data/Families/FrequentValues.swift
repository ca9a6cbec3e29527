/// How often values come, of very many only those that come often; Misra and Gries 1982.
///
/// Values that come more than once in `limit` of all stay, and a second reading counts them.
struct FrequentValues {
  private(set) var counts: [UInt64: Int] = [:]
  /// Whether no value was let go, so that all counts are right.
  private(set) var isExact = true

  private static let limit = 1 << 17

  mutating func add(_ value: UInt64) {
    if counts[value] != nil || counts.count < Self.limit {
      counts[value, default: 0] += 1
      return
    }
    isExact = false
    counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
  }

  /// Begins to count anew those that stayed.
  mutating func recount() { counts = counts.mapValues { _ in 0 } }

  /// Counts `value`, if it stayed.
  mutating func count(_ value: UInt64) {
    if let known = counts[value] { counts[value] = known + 1 }
  }
}
