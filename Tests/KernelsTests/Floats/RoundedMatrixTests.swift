import SystemFiles
import TestSupport
import Testing

@testable import Kernels

/// Adapters in 8 bits: y = s · B (A x) with both factors, x and A x rounded, against float64 over the halves.
@Suite struct RoundedMatrixTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rank: Int
    /// Magnitudes of A and B.
    let a, b: Float
    var testDescription: String { "rank \(rank) A \(a) B \(b)" }
  }

  static let cases = [32, 64, 96].flatMap { rank in
    // Ordinary; a B that training has hardly moved; halves that are subnormal; the largest halves.
    [(0.05, 0.02), (0.05, 1e-4), (7e-6, 7e-6), (64_000, 0.5), (65_504, 65_504)].map {
      Case(rank: rank, a: $0.0, b: $0.1)
    }
  }

  /// On all instruction sets, as the reference takes longest.
  @Test(arguments: cases)
  func updatesAreNearTheReference(_ test: Case) {
    let problem = Problem(test)
    let reference = (0..<problem.batch).map(problem.expected)
    for variant in CPUVariant.available {
      var (error, size) = (0.0, 0.0)
      for (values, row) in zip(problem.multiply(variant), reference) {
        for (value, expected) in zip(values, row) {
          error += (Double(value) - expected) * (Double(value) - expected)
          size += expected * expected
        }
      }
      // Four roundings of uniform values to 254 steps, 0.4 % each, are 0.8 % together.
      #expect((error / size).squareRoot() < 0.012, "\(variant)")
    }
  }

  /// A row has the same bits alone as among others.
  @Test(arguments: CPUVariant.available)
  func everyBatchHasTheSameBits(variant: CPUVariant) {
    let problem = Problem(Case(rank: 64, a: 0.05, b: 0.02))
    let all = problem.multiply(variant)
    for batch in 1..<all.count {
      #expect(problem.multiply(variant, batch: batch) == Array(all.prefix(batch)))
    }
  }

  /// A few rows, which stand in smaller tiles, give the bits that they give among many.
  @Test(arguments: CPUVariant.available, [1, 3, 8, 9, 17, 24])
  func fewRowsGiveTheBitsOfMany(variant: CPUVariant, rows: Int) {
    let problem = Problem(Case(rank: 64, a: 0.05, b: 0.02))
    let all = problem.multiplyA(variant, rows: 64)
    #expect(problem.multiplyA(variant, rows: rows) == all.map { Array($0.prefix(rows)) })
  }

  /// Instruction sets differ where a sum in another order is rounded to the next step.
  @Test(arguments: CPUVariant.available.filter { $0 != .plain })
  func variantsAgree(variant: CPUVariant) {
    let problem = Problem(Case(rank: 32, a: 0.05, b: 0.02))
    let (plain, fast) = (problem.multiply(.plain), problem.multiply(variant))
    let top = plain.joined().map { abs($0) }.max() ?? 0
    for (a, b) in zip(plain.joined(), fast.joined()) { #expect(abs(a - b) <= 5e-3 * top) }
  }

  @Test func columnsThatFillNoBlocksStayHalves() {
    let bytes = TensorBytes([UInt8](repeating: 0, count: 2 * 8 * 24))
    let halves = WeightMatrix(type: .f16, rows: 8, columns: 24, bytes: bytes)
    #expect(!halves.rounded.isRounded && halves.rounded.type == .f16 && halves.rounded.factor == 1)
  }

  /// An adapter's factors and what it is applied to.
  private struct Problem {
    let test: Case
    let inputs = 96
    let outputs = 70
    let batch = 9
    let a: [Float]
    let b: [Float]
    let x: [[Float]]

    init(_ test: Case) {
      self.test = test
      var random = SeededGenerator(seed: 41)
      func halves(_ count: Int, _ limit: Float) -> [Float] {
        random.floats(count).map { Float(Float16($0 * limit)) }
      }
      a = halves(test.rank * inputs, test.a)
      b = halves(outputs * test.rank, test.b)
      let inputs = inputs
      x = (0..<batch).map { _ in random.floats(inputs) }
    }

    private func matrix(_ rows: Int, _ values: [Float]) -> WeightMatrix {
      WeightMatrix(
        type: .f16, rows: rows, columns: values.count / rows,
        bytes: TensorBytes(littleEndianHalves(values))
      ).rounded
    }

    private var input: Activations {
      let input = Activations(capacity: batch, columns: inputs, types: [.q8_0])
      for (row, values) in x.enumerated() { input.setRow(row, to: values) }
      return input
    }

    /// A x of the first rows of A.
    func multiplyA(_ variant: CPUVariant, rows: Int) -> [[Float]] {
      let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
      let u = Activations(capacity: batch, columns: rows)
      let factor = matrix(rows, Array(a.prefix(rows * inputs)))
      operations.run(ProductPlan([Product(factor, into: u)], of: input), batch: batch)
      return (0..<batch).map { u.row($0) }
    }

    func multiply(_ variant: CPUVariant, batch: Int? = nil) -> [[Float]] {
      let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
      let u = Activations(capacity: self.batch, columns: test.rank, types: [.q8_0])
      let y = Activations(capacity: self.batch, columns: outputs)
      let (first, second) = (matrix(test.rank, a), matrix(outputs, b))
      let addition = LowRankAddition(b: second, u: u, scale: 2 / (first.factor * second.factor))
      let nothing = WeightMatrix(
        type: .f32, rows: outputs, columns: inputs,
        bytes: TensorBytes([UInt8](repeating: 0, count: 4 * outputs * inputs)))
      let inner = ProductPlan([Product(first, into: u, roundsOutput: true)], of: input)
      let outer = ProductPlan([Product(nothing, additions: [addition], into: y)], of: input)
      operations.run(inner, batch: batch ?? self.batch)
      operations.run(outer, batch: batch ?? self.batch)
      return (0..<(batch ?? self.batch)).map { y.row($0) }
    }

    /// All outputs of a row.
    func expected(_ row: Int) -> [Double] {
      let u = (0..<test.rank).map { r -> Double in
        (0..<inputs).reduce(0.0) { $0 + Double(a[r * inputs + $1]) * Double(x[row][$1]) }
      }
      return (0..<outputs).map { output -> Double in
        (0..<test.rank).reduce(0.0) { $0 + 2 * Double(b[output * test.rank + $1]) * u[$1] }
      }
    }
  }
}
