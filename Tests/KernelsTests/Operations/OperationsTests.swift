import SystemFiles
import TestSupport
import Testing

@testable import Kernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct OperationsTests {
  static let variants = CPUVariant.available

  private func operations(_ variant: CPUVariant) -> Operations {
    Operations(pool: WorkerPool(threads: 1), variant: variant)
  }

  private func activations(_ rows: [[Float]], types: Set<TensorType> = []) -> Activations {
    let result = Activations(capacity: rows.count, columns: rows[0].count, types: types)
    for (row, values) in rows.enumerated() {
      for (column, value) in values.enumerated() { result[row, column] = value }
    }
    return result
  }

  /// Also of variants that this machine cannot run: only what multiplies tiles needs their instructions.
  @Test(arguments: TensorType.allCases, CPUVariant.allCases)
  func gatherIsDequantize(type: TensorType, variant: CPUVariant) {
    var random = SeededGenerator(seed: 3)
    // The last tile lacks rows, whether it has 8 or 16.
    let (rows, columns) = (21, type.blockLength * 2)
    let bytes = TensorBytes(random.bytes(rows * 2 * type.blockBytes))
    let weights = WeightMatrix(type: type, rows: rows, columns: columns, bytes: bytes)
    let values = dequantize(type, bytes: bytes)
    let tokens: [Int32] = [2, 0, 2, 7, 8, 15, 16, 20]
    let x = Activations(capacity: tokens.count, columns: columns)
    // Once from the rows, and again from tiles where a product has made them.
    for _ in 0..<2 {
      operations(variant).gather(weights, tokens[...], into: x)
      for (row, source) in tokens.enumerated() {
        let expected = values[Int(source) * columns..<(Int(source) + 1) * columns]
        #expect(x.row(row).map(\.bitPattern) == expected.map(\.bitPattern))
      }
      _ = weights.tiles?.bytes(of: weights, operations(variant))
    }
  }

  @Test(arguments: variants, [1, 7, 8, 13, 64, 100])
  func norm(variant: CPUVariant, columns: Int) {
    var random = SeededGenerator(seed: 5)
    let x = activations((0..<3).map { _ in random.floats(columns, in: -3..<3) })
    let weight = random.floats(columns)
    let y = Activations(capacity: 3, columns: columns)
    operations(variant).norm(x, FloatVector(weight), epsilon: 1e-5, into: y, batch: 3)
    for row in 0..<3 {
      let values = x.row(row).map(Double.init)
      let mean = values.reduce(0) { $0 + $1 * $1 } / Double(columns)
      for column in 0..<columns {
        let expected = values[column] / (mean + 1e-5).squareRoot() * Double(weight[column])
        #expect(abs(Double(y[row, column]) - expected) < 2e-6)
      }
    }
  }

  @Test(arguments: variants)
  func gate(variant: CPUVariant) {
    let some: [Float] = [-1e30, -200, -88, -20, -1, -1e-20, 0, 1e-3, 2.5, 20, 88, 200, 1e30]
    // More columns than a chunk has, and a tail.
    let values = (0..<90).flatMap { _ in some }
    let gate = activations([values, values])
    let up = activations(
      [[Float]](repeating: [Float](repeating: 1.5, count: values.count), count: 2))
    operations(variant).gate(gate, up, batch: 2)
    for (column, value) in values.enumerated() {
      let x = Double(value)
      let expected = 1.5 * x / (1 + exp(-x))
      for row in 0..<2 {
        let error = abs(Double(gate[row, column]) - expected)
        #expect(error <= 1e-6 * abs(expected) + 1e-30, "silu(\(value)) = \(gate[row, column])")
      }
    }
  }

  @Test(arguments: variants)
  func gateOfGELU(variant: CPUVariant) {
    let values: [Float] = [-1e30, -200, -9, -3, -1, -0.1, 0, 1e-3, 0.7, 2.5, 9, 200, 1e15]
    let gate = activations([values])
    let up = activations([[Float](repeating: -2, count: values.count)])
    operations(variant).gate(gate, up, .gelu, batch: 1)
    for (column, value) in values.enumerated() {
      let x = Double(value)
      let expected = -x * (1 + tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
      let error = abs(Double(gate[0, column]) - expected)
      #expect(error <= 2e-6 * abs(expected) + 1e-6, "gelu(\(value)) = \(gate[0, column])")
    }
  }

  /// More columns than a chunk has, a tail, and rows before and behind that stay.
  @Test(arguments: variants, [nil, 3] as [Float?])
  func scale(variant: CPUVariant, cap: Float?) {
    var random = SeededGenerator(seed: 3)
    let rows = (0..<4).map { _ in random.floats(1_100, in: -9..<9) + [.nan, 1e30] }
    let x = activations(rows)
    operations(variant).scale(x, by: 1.5, cap: cap, from: 1, batch: 2)
    for (row, values) in rows.enumerated() {
      for (column, value) in values.enumerated() {
        let scaled = 1.5 * Double(value)
        let bent = cap.map { Double($0) * tanh(scaled / Double($0)) } ?? scaled
        let expected = (1...2).contains(row) ? bent : Double(value)
        let found = Double(x[row, column])
        #expect(
          value.isNaN ? found.isNaN : abs(found - expected) <= 1e-6 * max(abs(expected), 1),
          "\(value): \(found)")
      }
    }
  }

  @Test(arguments: variants)
  func add(variant: CPUVariant) {
    var random = SeededGenerator(seed: 4)
    let (first, second) = (random.floats(1_100), random.floats(1_100))
    let (x, y) = (activations([first, first]), activations([second, second]))
    operations(variant).add(y, times: 0.25, to: x, batch: 1)
    #expect(x.row(0) == zip(first, second).map { $0 + 0.25 * $1 })
    #expect(x.row(1) == first)
  }

  /// Pairs turn by position times frequency, as neighbours or as halves; what is behind them stays.
  @Test(arguments: variants, [true, false])
  func rotation(variant: CPUVariant, isAdjacent: Bool) {
    var random = SeededGenerator(seed: 9)
    let (heads, size, rotated, first) = (2, 10, 8, 1_000)
    let frequencies: [Float] = [1, 0.1, 0.01, 0.001]
    let rows = (0..<3).map { _ in random.floats(heads * size) }
    let x = activations(rows)
    let (cosine, sine) = (
      Activations(capacity: 3, columns: 4), Activations(capacity: 3, columns: 4)
    )
    let operations = operations(variant)
    operations.rotation(
      FloatVector(frequencies), magnitude: 0.5, first: first, cosine: cosine, sine: sine, batch: 3)
    let rotation = HeadRotation(cosine: cosine, sine: sine, isAdjacent: isAdjacent)
    operations.heads(x, size: size, rotation: rotation, first: first, batch: 3)
    for (row, values) in rows.enumerated() {
      for head in 0..<heads {
        for pair in 0..<rotated / 2 {
          let a = head * size + (isAdjacent ? 2 * pair : pair)
          let b = a + (isAdjacent ? 1 : rotated / 2)
          let angle = Double(Float(first + row) * frequencies[pair])
          let (p, q) = (Double(values[a]), Double(values[b]))
          #expect(abs(Double(x[row, a]) - 0.5 * (p * cos(angle) - q * sin(angle))) < 1e-6)
          #expect(abs(Double(x[row, b]) - 0.5 * (q * cos(angle) + p * sin(angle))) < 1e-6)
        }
        for rest in rotated..<size {
          #expect(x[row, head * size + rest] == values[head * size + rest])
        }
      }
    }
  }

  /// y = W x + b + s · B (A x), and y += that.
  @Test(arguments: variants)
  func additionsAndBiases(variant: CPUVariant) {
    var random = SeededGenerator(seed: 31)
    let (inputs, outputs, rank) = (24, 70, 3)
    let w = random.floats(outputs * inputs)
    let a = random.floats(rank * inputs).map { Float(Float16($0)) }
    let b = random.floats(outputs * rank).map { Float(Float16($0)) }
    let bias = random.floats(outputs)
    let rows = (0..<11).map { _ in random.floats(inputs) }
    let x = activations(rows)
    let (u, y) = (
      Activations(capacity: 11, columns: rank), Activations(capacity: 11, columns: outputs)
    )
    let additions = [0.5, -2].map {
      LowRankAddition(b: matrix(.f16, outputs, rank, b), u: u, scale: $0)
    }
    let inner = ProductPlan([Product(matrix(.f16, rank, inputs, a), into: u)], of: x)
    for accumulates in [false, true] {
      let outer = ProductPlan(
        [
          Product(
            matrix(.f32, outputs, inputs, w), bias: FloatVector(bias), additions: additions,
            into: y,
            accumulates: accumulates)
        ], of: x)
      operations(variant).run(inner, batch: 11)
      operations(variant).run(outer, batch: 11)
    }
    for row in 0..<11 {
      for output in 0..<outputs {
        var expected = Double(bias[output])
        for column in 0..<inputs {
          var weight = Double(w[output * inputs + column])
          for r in 0..<rank {
            weight += -1.5 * Double(b[output * rank + r]) * Double(a[r * inputs + column])
          }
          expected += weight * Double(rows[row][column])
        }
        #expect(abs(Double(y[row, output]) - 2 * expected) < 1e-4)
      }
    }
  }

  private func matrix(
    _ type: TensorType, _ rows: Int, _ columns: Int, _ values: [Float]
  ) -> WeightMatrix {
    let bytes = values.flatMap { value in
      let bits = type == .f32 ? value.bitPattern : UInt32(Float16(value).bitPattern)
      return (0..<type.blockBytes).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
    return WeightMatrix(type: type, rows: rows, columns: columns, bytes: TensorBytes(bytes))
  }

  /// Not-a-number and infinity come out as not-a-number, instead of as plausible numbers.
  @Test(arguments: variants, [Float.nan, .infinity])
  func damageShows(variant: CPUVariant, value: Float) {
    for type in [TensorType.q4_0, .q8_0, .q4_K, .q6_K, .f16] {
      var row = [Float](repeating: 1, count: 256)
      row[77] = value
      let x = activations([row], types: [type])
      let weights = WeightMatrix(
        type: type, rows: 1, columns: 256,
        bytes: TensorBytes(
          [UInt8](repeating: 0x11, count: 256 / type.blockLength * type.blockBytes)))
      let y = Activations(capacity: 1, columns: 1)
      operations(variant).run(ProductPlan([Product(weights, into: y)], of: x), batch: 1)
      #expect(!y[0, 0].isFinite, "\(type.name)")
    }
  }

  @Test(arguments: variants)
  func damageShowsInGate(variant: CPUVariant) {
    let damaged = activations([[1, .nan, 1, 1, 1, 1, 1, 1]])
    let whole = activations([[Float](repeating: 1, count: 8)])
    operations(variant).gate(damaged, whole, batch: 1)
    #expect(damaged[0, 1].isNaN && damaged[0, 0].isFinite)
  }

  @Test(arguments: [1, 15, 16, 17, 100, 515])
  func theLargestValueIsFound(columns: Int) {
    var random = SeededGenerator(seed: UInt64(columns))
    let x = Activations(capacity: 2, columns: columns)
    for _ in 0..<20 {
      let values = (0..<columns).map { _ in Float(Int.random(in: -20...20, using: &random)) }
      for (column, value) in values.enumerated() { x[1, column] = value }
      #expect(x.placeOfLargest(row: 1) == values.firstIndex(of: values.max() ?? 0))
      for odd in [Float.nan, .infinity, -.infinity] {
        let place = Int.random(in: 0..<columns, using: &random)
        x[1, place] = odd
        #expect(x.placeOfLargest(row: 1) == nil)
        x[1, place] = 0
      }
    }
  }

  @Test func hashesChangeWithEveryBit() {
    let x = activations([[1, 2, 3]])
    let before = x.hash(row: 0)
    x[0, 2] = Float(3).nextUp
    #expect(x.hash(row: 0) != before)
  }
}
