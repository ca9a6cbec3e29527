import SystemFiles
import TestSupport
import Testing

@testable import Kernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The step over experts against sums in double precision over the dequantized weights.
@Suite struct ExpertPlanTests {
  static let types = TensorType.allCases.filter(\.isWritable)

  /// Five experts, of which each of six rows takes two.
  private struct Problem: Sendable {
    let experts: ExpertMatrices
    let x: [[Float]]
    private let values: [[[Float]]]
    private let router: [Float]
    private let width: Int

    init(_ type: TensorType, normalizes: Bool = true) {
      var random = SeededGenerator(seed: 3)
      let size = max(64, type.blockLength)
      func matrices(_ rows: Int, _ columns: Int) -> ([WeightMatrix], [[Float]]) {
        let made = (0..<5).map { _ in
          let limit = 2 / Float(columns).squareRoot()
          let values = random.floats(rows * columns, in: -limit..<limit)
          return WeightMatrix(
            type: type, rows: rows, columns: columns,
            bytes: TensorBytes(quantize(type, values: values)))
        }
        return (made, made.map { dequantize(type, bytes: $0.bytes) })
      }
      let ((gate, gates), (up, ups)) = (matrices(size, size), matrices(size, size))
      let (down, downs) = matrices(size, size)
      router = random.floats(5 * size)
      values = [gates, ups, downs]
      width = size
      x = (0..<6).map { _ in random.floats(size) }
      experts = ExpertMatrices(
        router: WeightMatrix(
          type: .f32, rows: 5, columns: size, bytes: TensorBytes(quantize(.f32, values: router))),
        gate: gate, up: up, down: down, used: 2, normalizes: normalizes)
    }

    /// What the rows from `first` to `end` become, on top of 1 where it `accumulates`.
    func run(
      _ variant: CPUVariant, rows: Range<Int>, threads: Int = 1, accumulates: Bool = false
    ) throws -> [[Float]] {
      let operations = Operations(pool: WorkerPool(threads: threads), variant: variant)
      let input = Activations(capacity: 6, columns: width)
      let output = Activations(capacity: 6, columns: width)
      for (place, row) in rows.enumerated() {
        for column in 0..<width { input[place, column] = x[row][column] }
        for column in 0..<width { output[place, column] = accumulates ? 1 : .nan }
      }
      let scratch = try #require(ExpertRows(batch: 6, for: [experts]))
      let plan = ExpertPlan(
        experts, of: input, into: output, accumulates: accumulates, scratch: scratch)
      operations.run(plan, batch: rows.count)
      return rows.indices.map { output.row($0 - rows.lowerBound) }
    }

    private func product(_ weights: [Float], _ x: [Double]) -> [Double] {
      stride(from: 0, to: weights.count, by: x.count).map { start -> Double in
        x.indices.reduce(0.0) { $0 + Double(weights[start + $1]) * x[$1] }
      }
    }

    func expected(_ row: Int) -> [Double] {
      let x = x[row].map(Double.init)
      let shares = product(router, x).map { exp($0) }
      let taken = shares.indices.sorted { shares[$0] > shares[$1] }.prefix(2)
      let sum = (experts.normalizes ? Array(taken) : Array(shares.indices)).reduce(0) {
        $0 + shares[$1]
      }
      var y = [Double](repeating: 0, count: width)
      for expert in taken {
        let (gate, up) = (product(values[0][expert], x), product(values[1][expert], x))
        let hidden = zip(gate, up).map { $0 / (1 + exp(-$0)) * $1 }
        for (column, value) in product(values[2][expert], hidden).enumerated() {
          y[column] += shares[expert] / sum * value
        }
      }
      return y
    }
  }

  private static let problems = Dictionary(
    uniqueKeysWithValues: types.map { ($0, Problem($0)) })

  @Test(arguments: types)
  func resultsAreNearTheReference(type: TensorType) throws {
    let problem = try #require(Self.problems[type])
    let expected = [problem.expected(0), problem.expected(5)]
    let largest = expected.joined().map(abs).max() ?? 0
    for variant in CPUVariant.available {
      let found = try problem.run(variant, rows: 0..<6)
      for (row, expected) in zip([0, 5], expected) {
        let worst = zip(found[row], expected).map { abs(Double($0) - $1) }.max() ?? .nan
        // Rounding inputs to 8 bits costs about a percent.
        #expect(worst < (type.blockLength == 1 ? 1e-5 : 0.03) * largest, "\(variant), row \(row)")
      }
    }
  }

  @Test func weightsMayBeSharesOfAll() throws {
    let problem = Problem(.f32, normalizes: false)
    let (found, expected) = (try problem.run(.current, rows: 2..<3)[0], problem.expected(2))
    let others = Problem(.f32).expected(2)
    for (index, value) in found.enumerated() {
      #expect(abs(Double(value) - expected[index]) < 1e-5)
    }
    #expect(zip(expected, others).contains { abs($0 - $1) > 0.01 })
  }

  @Test(arguments: types, CPUVariant.available)
  func everyRowHasTheBitsOfARowAlone(type: TensorType, variant: CPUVariant) throws {
    let problem = try #require(Self.problems[type])
    let all = try problem.run(variant, rows: 0..<6)
    #expect(try problem.run(variant, rows: 0..<6, threads: 3) == all)
    for row in 0..<6 { #expect(try problem.run(variant, rows: row..<row + 1)[0] == all[row]) }
    #expect(try problem.run(variant, rows: 1..<5) == Array(all[1..<5]))
    let added = try problem.run(variant, rows: 0..<6, accumulates: true)
    #expect(added == all.map { $0.map { 1 + $0 } })
  }

  /// The router may read something else than the experts, and their weights may be scaled.
  @Test func routesAndScalesFromElsewhere() throws {
    let problem = Problem(.f32)
    let scales: [Float] = [0.5, 2, 3, 0.25, 1.5]
    let (e, width) = (problem.experts, problem.x[0].count)
    let operations = Operations(pool: WorkerPool(threads: 1))
    func run(_ scales: [Float]?, routedBy row: Int, of given: Int) throws -> [Float] {
      let rows = (0..<3).map { _ in Activations(capacity: 1, columns: width) }
      for column in 0..<width {
        rows[0][0, column] = problem.x[given][column]
        rows[1][0, column] = problem.x[row][column]
      }
      let experts = ExpertMatrices(
        router: e.router, gate: e.gate, up: e.up, down: e.down, used: 1, normalizes: true,
        scales: scales)
      let scratch = try #require(ExpertRows(batch: 1, for: [experts]))
      let plan = ExpertPlan(
        experts, of: rows[0], routedBy: rows[1], into: rows[2], accumulates: false,
        scratch: scratch)
      operations.run(plan, batch: 1)
      return rows[2].row(0) + [Float(scratch.groups[0].expert)]
    }
    for row in 0..<6 {
      let (plain, scaled) = (
        try run(nil, routedBy: row, of: 0), try run(scales, routedBy: row, of: 0)
      )
      let own = try run(nil, routedBy: row, of: row)
      let expert = Int(try #require(own.last))
      #expect(plain.last == own.last && scaled.last == own.last)
      #expect(scaled.dropLast() == plain.dropLast().map { scales[expert] * $0 })
    }
  }

  /// Equal logits leave the first experts; a value that is no number reaches the result.
  @Test func routesOfOddLogits() throws {
    let size = 8
    func weights(_ values: [Float], _ rows: Int) -> WeightMatrix {
      WeightMatrix(
        type: .f32, rows: rows, columns: size, bytes: TensorBytes(quantize(.f32, values: values)))
    }
    let ones = weights([Float](repeating: 1, count: size * size), size)
    let experts = ExpertMatrices(
      router: weights([Float](repeating: 0.5, count: 4 * size), 4),
      gate: Array(repeating: ones, count: 4), up: Array(repeating: ones, count: 4),
      down: Array(repeating: ones, count: 4), used: 3, normalizes: true)
    let (x, y) = (Activations(capacity: 1, columns: size), Activations(capacity: 1, columns: size))
    let scratch = try #require(ExpertRows(batch: 1, for: [experts]))
    let plan = ExpertPlan(experts, of: x, into: y, accumulates: false, scratch: scratch)
    for column in 0..<size { x[0, column] = 1 }
    Operations(pool: WorkerPool(threads: 1)).run(plan, batch: 1)
    #expect(scratch.groups.map(\.expert) == [0, 1, 2])
    #expect(scratch.groups.map(\.rows) == [0..<1, 1..<2, 2..<3])
    #expect(y.placeOfLargest(row: 0) == 0)
    for value in [Float.nan, .infinity] {
      x[0, 3] = value
      Operations(pool: WorkerPool(threads: 1)).run(plan, batch: 1)
      #expect(y.placeOfLargest(row: 0) == nil)
    }
  }
}
