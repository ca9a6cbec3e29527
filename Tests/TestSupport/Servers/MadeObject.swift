/// The bytes that the fault server makes of a seed and a size.
package struct MadeObject: Sendable {
  package let seed: UInt64
  package let size: Int
  private let base: [UInt8]

  /// A prime, so that no two aligned pieces of an object are alike.
  private static let period = 65521

  package init(seed: UInt64 = 0, size: Int) {
    self.seed = seed
    self.size = size
    var words = SeededGenerator(seed: seed)
    var base: [UInt8] = []
    while base.count < Self.period {
      let word = words.next()
      for shift in 0..<8 { base.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift))) }
    }
    self.base = Array(base.prefix(Self.period))
  }

  /// All bytes.
  package var bytes: [UInt8] { bytes(0..<size) }

  /// The bytes of `range`.
  package func bytes(_ range: Range<Int>) -> [UInt8] {
    filled(range.count) { index in
      let (times, place) = (range.lowerBound + index).quotientAndRemainder(
        dividingBy: Self.period)
      return base[place] &+ UInt8(truncatingIfNeeded: times)
    }
  }

  /// The fault that makes the server serve this.
  package var fault: String { "size=\(size);seed=\(seed)" }
}
