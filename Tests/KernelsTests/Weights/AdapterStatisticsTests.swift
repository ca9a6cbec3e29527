import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import Kernels

@Suite struct AdapterStatisticsTests {
  /// Halves of a normal spread, with a few subnormals.
  private func halves(_ count: Int, _ random: inout SeededGenerator) -> [Float16] {
    (0..<count).map { index in
      index % 97 == 0 ? Float16(bitPattern: 0x0003) : Float16(random.float(in: -2..<2))
    }
  }

  private func bytes(_ halves: [Float16]) -> TensorBytes {
    TensorBytes(
      halves.flatMap { [UInt8(truncatingIfNeeded: $0.bitPattern), UInt8($0.bitPattern >> 8)] })
  }

  /// Norm of the product formed in full, in double precision.
  private func reference(_ a: [Float16], _ b: [Float16], rank: Int) -> Double {
    let columns = a.count / rank
    var sum = 0.0
    for row in 0..<b.count / rank {
      for column in 0..<columns {
        var value = 0.0
        for k in 0..<rank { value += Double(b[row * rank + k]) * Double(a[k * columns + column]) }
        sum += value * value
      }
    }
    return sum.squareRoot()
  }

  @Test(arguments: [
    (1, 1, 1), (1, 5, 3), (2, 8, 8), (8, 64, 208), (16, 129, 40), (20, 300, 7), (32, 64, 257),
  ])
  func theNormIsThatOfTheProduct(_ rank: Int, _ columns: Int, _ rows: Int) {
    var random = SeededGenerator(seed: UInt64(rank * 1000 + columns))
    let a = halves(rank * columns, &random)
    let b = halves(rows * rank, &random)
    let norm = lowRankNorm(a: bytes(a), b: bytes(b), rank: rank)
    let expected = reference(a, b, rank: rank)
    #expect(abs(norm - expected) <= 1e-5 * expected, "\(random): \(norm) is not \(expected)")
  }

  @Test func vectorAndPlainKernelsAgree() throws {
    var random = SeededGenerator(seed: 7)
    let a = bytes(halves(24 * 200, &random))
    let b = bytes(halves(150 * 24, &random))
    let fast = lowRankNorm(a: a, b: b, rank: 24)
    let plain = lowRankNorm(a: a, b: b, rank: 24, plain: true)
    #expect(abs(fast - plain) <= 1e-6 * plain, "\(random)")
  }

  @Test func aScanFindsWhatIsNotFinite() {
    let values: [Float16] = [1, -.infinity, 0.5, .nan, .infinity, -3, .nan]
    let scan = HalfScan(bytes(values))
    #expect(scan.nanCount == 2 && scan.firstNaN == 3)
    #expect(scan.infinityCount == 2 && scan.firstInfinity == 1)
    #expect(scan.maximum == 3)
    #expect(!scan.isFinite && !scan.isZero)
  }

  @Test(arguments: [
    ([Float16](), true, Float(0)), ([0, -0.0], true, 0),
    ([Float16(bitPattern: 0x0001)], false, Float(Float16(bitPattern: 0x0001))),
    ([65504, -1], false, 65504),
  ])
  func aScanFindsTheLargestMagnitude(_ values: [Float16], _ isZero: Bool, _ maximum: Float) {
    let scan = HalfScan(bytes(values))
    #expect(scan.isZero == isZero)
    #expect(scan.maximum == maximum)
    #expect(scan.firstNaN == nil && scan.firstInfinity == nil)
  }
}
