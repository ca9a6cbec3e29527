import TestSupport
import Testing

@testable import Kernels

@Suite struct HalfTests {
  @Test func everyHalfHasItsExactValue() {
    let wrong = (0...UInt16.max).filter { half in
      let (ours, exact) = (floatFromHalf(half), Float(Float16(bitPattern: half)))
      return ours.isNaN ? !exact.isNaN : ours.bitPattern != exact.bitPattern
    }
    #expect(wrong.isEmpty)
  }

  @Test func everyHalfSurvivesTheRoundTrip() {
    let wrong = (0...UInt16.max).filter { half in
      let value = floatFromHalf(half)
      return !value.isNaN && halfFromFloat(value) != half
    }
    #expect(wrong.isEmpty)
  }

  @Test func roundsToNearestEven() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      // Magnitudes from 2^-27, below half of the smallest subnormal, to 2^17, beyond the largest number.
      let exponent = UInt32.random(in: 100...144, using: &generator)
      var fraction = UInt32.random(in: 0..<1 << 23, using: &generator)
      // Every other value lies close to, or on, the middle between two results.
      if fraction & 1 == 0 { fraction = fraction & ~0x1FFF | 0x1000 &+ (fraction & 3) &- 1 }
      let value = Float(bitPattern: exponent << 23 | fraction & 0x7F_FFFF)
      #expect(halfFromFloat(value) == Float16(value).bitPattern, "\(value) \(generator)")
      #expect(halfFromFloat(-value) == Float16(-value).bitPattern, "\(-value) \(generator)")
    }
  }

  @Test(
    arguments: [
      (0, 0), (-0.0, 0x8000), (65_504, 0x7BFF), (65_519.996, 0x7BFF), (65_520, 0x7C00),
      (.infinity, 0x7C00), (-.infinity, 0xFC00), (0x1p-24, 1), (0x1p-25, 0), (0x1.000002p-25, 1),
      (0x1.8p-24, 2), (0x1.FF8p-15, 0x3FF), (0x1.FFEp-15, 0x400),
    ] as [(Float, UInt16)])
  func treatsTheEdges(value: Float, half: UInt16) {
    #expect(halfFromFloat(value) == half)
  }

  @Test func keepsNaN() {
    #expect(floatFromHalf(halfFromFloat(.nan)).isNaN)
    #expect(floatFromHalf(halfFromFloat(.signalingNaN)).isNaN)
    #expect(floatFromHalf(0x7C01).isNaN && floatFromHalf(0xFFFF).isNaN)
  }
}
