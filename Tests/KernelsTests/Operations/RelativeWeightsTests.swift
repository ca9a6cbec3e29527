import Foundation
import TestSupport
import Testing

@testable import Kernels

@Suite struct RelativeWeightsTests {
  @Test(arguments: [1, 31, 32, 1_000, 1_024, 1_025, 5_000], [1e-3, 0.7, 1, 100])
  func weightsAreExponentialsOfDifferences(count: Int, temperature: Double) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let logits = (0..<count).map { _ in random.float(in: -20..<20) }
    var weights = RelativeWeights(count: count)
    let found = weights.load(logits.span)
    let largest = try #require(found)
    #expect(logits[largest] == logits.max() && weights.values == logits)
    weights[0] = -.infinity
    let top = weights.values.max() ?? 0
    guard top.isFinite else { return }
    weights.weigh(top: top, temperature: temperature)
    #expect(weights[0] == 0 && weights.values.max() == 1)
    for token in 1..<count {
      let power = (Double(logits[token]) - Double(top)) / temperature
      let tolerance = 1e-6 * max(1, -power)
      let expected = power < -87 ? 0 : exp(power)
      #expect(
        abs(Double(weights[token]) - expected) <= tolerance * expected + 2e-38, "\(power)")
    }
    for (block, sum) in weights.sums.enumerated() {
      let range = block * RelativeWeights.block..<min((block + 1) * RelativeWeights.block, count)
      let exact = weights.values[range].reduce(0) { $0 + Double($1) }
      #expect(abs(Double(sum) - exact) <= 1e-6 * exact)
    }
  }

  @Test func whatIsNotFiniteIsNotTaken() {
    var weights = RelativeWeights(count: 2)
    for value in [Float.nan, .infinity, -.infinity] {
      let found = weights.load([1, value].span)
      #expect(found == nil)
    }
  }
}
