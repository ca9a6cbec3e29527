import TestSupport
import Testing

@testable import Kernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The gated delta rule against one in double precision that goes value by value.
@Suite struct DeltaTests {
  /// Forty rows of heads that are no multiple of what kernels do at a time, or are.
  struct Problem: Sendable, CustomTestStringConvertible {
    let shape: DeltaShape
    let taps: Int
    let rows = 40

    var testDescription: String { "\(shape)" }

    var input: [[Float]] { values(rows, shape.channels, seed: 1) }
    var alpha: [[Float]] { values(rows, shape.valueHeads, seed: 2) }
    var beta: [[Float]] { values(rows, shape.valueHeads, seed: 3) }
    var kernel: [Float] { values(1, taps * shape.channels, seed: 4)[0] }
    var rate: [Float] { values(1, shape.valueHeads, seed: 5)[0].map { -abs($0) } }
    var bias: [Float] { values(1, shape.valueHeads, seed: 6)[0].map { 5 * $0 } }

    private func values(_ rows: Int, _ columns: Int, seed: UInt64) -> [[Float]] {
      var random = SeededGenerator(seed: seed)
      return (0..<rows).map { _ in random.floats(columns) }
    }
  }

  static let problems = [
    Problem(
      shape: DeltaShape(keyHeads: 2, keySize: 6, valueHeads: 4, valueSize: 5), taps: 4),
    Problem(
      shape: DeltaShape(keyHeads: 3, keySize: 128, valueHeads: 3, valueSize: 80), taps: 3),
  ]

  /// The rows of all value heads, and the states behind them.
  private func expected(_ problem: Problem) -> (rows: [[Double]], state: [Double]) {
    let shape = problem.shape
    let (keySize, valueSize) = (shape.keySize, shape.valueSize)
    let (input, alpha, beta) = (problem.input, problem.alpha, problem.beta)
    let kernel = problem.kernel
    func channel(_ row: Int, _ column: Int) -> Double {
      let sum = (0..<problem.taps).reduce(0.0) { sum, tap in
        let earlier = row + 1 - problem.taps + tap
        guard earlier >= 0 else { return sum }
        return sum + Double(kernel[tap * shape.channels + column]) * Double(input[earlier][column])
      }
      return sum / (1 + exp(-sum))
    }
    func unit(_ values: [Double]) -> [Double] {
      let length = (values.reduce(1e-6) { $0 + $1 * $1 }).squareRoot()
      return values.map { $0 / length }
    }
    var state = Array(repeating: 0.0, count: shape.valueHeads * keySize * valueSize)
    let rows = (0..<problem.rows).map { row in
      (0..<shape.valueHeads).flatMap { head -> [Double] in
        let key = head % shape.keyHeads * keySize
        let q = unit((0..<keySize).map { channel(row, key + $0) })
        let k = unit((0..<keySize).map { channel(row, shape.keyWidth + key + $0) })
        let x = Double(alpha[row][head]) + Double(problem.bias[head])
        let kept = exp(Double(problem.rate[head]) * log1p(exp(x)))
        let added = 1 / (1 + exp(-Double(beta[row][head])))
        return (0..<valueSize).map { column in
          let places = (0..<keySize).map { (head * keySize + $0) * valueSize + column }
          let v = channel(row, 2 * shape.keyWidth + head * valueSize + column)
          for place in places { state[place] *= kept }
          let known = zip(places, k).reduce(0.0) { $0 + state[$1.0] * $1.1 }
          for (place, k) in zip(places, k) { state[place] += k * added * (v - known) }
          let sum = zip(places, q).reduce(0.0) { $0 + state[$1.0] * $1.1 }
          return sum / Double(keySize).squareRoot()
        }
      }
    }
    return (rows, state)
  }

  /// All rows, in passes of the given sizes; from the second on the state is written over.
  private func run(
    _ problem: Problem, _ pieces: [Int], ring: Int = 64, threads: Int = 1,
    variant: CPUVariant = .current
  ) -> (rows: [[Float]], state: [[Float]]) {
    let operations = Operations(pool: WorkerPool(threads: threads), variant: variant)
    let shape = problem.shape
    let constants = DeltaConstants(
      kernel: FloatVector(problem.kernel), rate: FloatVector(problem.rate),
      bias: FloatVector(problem.bias))
    let (ring, read) = (DeltaRows(shape, capacity: ring), DeltaRows(shape, capacity: 64))
    let given = DeltaRows(shape, capacity: problem.rows)
    for row in 0..<problem.rows {
      given.channels.setRow(row, to: problem.input[row])
      given.kept.setRow(row, to: problem.alpha[row])
      given.added.setRow(row, to: problem.beta[row])
    }
    func state() -> Activations {
      Activations(capacity: shape.valueHeads * shape.keySize, columns: shape.valueSize)
    }
    let result = Activations(capacity: problem.rows, columns: shape.valueWidth)
    var (source, first) = (state(), 0)
    let target = state()
    for count in pieces {
      operations.keep(given, in: ring, first: first, from: first, batch: count)
      operations.deltaInput(ring, constants, shape, into: read, first: first, batch: count)
      operations.delta(
        read, shape, from: source, to: target, into: result, from: first, batch: count)
      (source, first) = (target, first + count)
    }
    return (
      (0..<problem.rows).map(result.row), (0..<target.capacity).map(target.row)
    )
  }

  @Test(arguments: problems, CPUVariant.available)
  func equalsTheRule(_ problem: Problem, _ variant: CPUVariant) {
    let (rows, state) = expected(problem)
    let found = run(problem, [problem.rows], variant: variant)
    let worst = zip(found.rows.joined(), rows.joined()).map { abs(Double($0) - $1) }.max() ?? 1
    #expect(worst < 2e-6, "\(worst)")
    let other = zip(found.state.joined(), state).map { abs(Double($0) - $1) }.max() ?? 1
    #expect(other < 5e-6, "\(other)")
  }

  @Test(arguments: problems)
  func rowsDoNotDependOnPassesThreadsAndRings(_ problem: Problem) {
    let whole = run(problem, [40])
    #expect(run(problem, Array(repeating: 1, count: 40), ring: problem.taps) == whole)
    #expect(run(problem, [3, 1, 1, 20, 2, 13], ring: 23, threads: 3) == whole)
  }

  @Test func headsAreTakenApart() {
    let operations = Operations(pool: WorkerPool(threads: 1))
    let both = Activations(capacity: 2, columns: 12)
    let (first, second) = (
      Activations(capacity: 2, columns: 6), Activations(capacity: 2, columns: 6)
    )
    for row in 0..<2 { both.setRow(row, to: (0..<12).map { Float(row * 12 + $0) }) }
    operations.partHeads(both, size: 3, into: first, second, batch: 2)
    #expect(first.row(1) == [12, 13, 14, 18, 19, 20])
    #expect(second.row(1) == [15, 16, 17, 21, 22, 23])
    #expect(first.row(0) == [0, 1, 2, 6, 7, 8])
  }
}
