/// Repeatable random numbers by SplitMix64.
///
/// A test that draws from it prints `seed`, so that a failure can be run again.
///
/// Algorithm: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package var description: String { "SeededGenerator(seed: \(seed))" }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A value from the half-open range.
  package mutating func float(in range: Range<Float> = -1..<1) -> Float {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    while true {
      // As `Float.random(in:using:)`, which takes ten times as long without an optimizer.
      let value = Float(next() & 0xFF_FFFF) * 0x1p-24 * (upper - lower) + lower
      if value < upper { return value }
    }
  }

  /// `count` values from the half-open range.
  package mutating func floats(_ count: Int, in range: Range<Float> = -1..<1) -> [Float] {
    filled(count) { _ in float(in: range) }
  }

  /// `count` random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    filled(count) { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
