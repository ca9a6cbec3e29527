import Kernels
import SystemFiles
import TestSupport
import Testing

@Suite struct FloatMatrixProductTests {
  private static func random(_ rows: Int, _ columns: Int, _ seed: UInt64) -> FloatMatrix {
    var random = SeededGenerator(seed: seed)
    return FloatMatrix(rows: rows, columns: columns, values: random.floats(rows * columns))
  }

  /// The values of a view, by sums of products with the unit matrix in doubles.
  private static func values(_ matrix: FloatMatrix, isTransposed: Bool) -> [[Double]] {
    let rows = (0..<matrix.rows).map { matrix.values[matrix.range($0)].map(Double.init) }
    guard isTransposed else { return rows }
    return (0..<matrix.columns).map { column in rows.map { $0[column] } }
  }

  private static func product(_ a: [[Double]], _ b: [[Double]]) -> [Double] {
    a.flatMap { row in
      (b.first ?? []).indices.map { column in
        zip(row, b).reduce(0) { $0 + $1.0 * $1.1[column] }
      }
    }
  }

  struct Shape: Sendable, CustomTestStringConvertible {
    let rows, depth, columns: Int
    var testDescription: String { "\(rows)×\(depth)×\(columns)" }
  }

  /// Whole and broken panels and groups of rows, one and several pieces of the depth, several chunks of rows.
  static let shapes = [
    Shape(rows: 1, depth: 1, columns: 1), Shape(rows: 3, depth: 7, columns: 5),
    Shape(rows: 8, depth: 8, columns: 16), Shape(rows: 17, depth: 8, columns: 33),
    Shape(rows: 15, depth: 513, columns: 40), Shape(rows: 2, depth: 1100, columns: 64),
    Shape(rows: 259, depth: 19, columns: 70),
  ]

  @Test(arguments: shapes) func productsAreSumsOfProducts(_ shape: Shape) {
    for (aTurned, bTurned) in [(false, false), (true, false), (false, true), (true, true)] {
      let a =
        aTurned
        ? Self.random(shape.depth, shape.rows, 1) : Self.random(shape.rows, shape.depth, 1)
      let b =
        bTurned
        ? Self.random(shape.columns, shape.depth, 2) : Self.random(shape.depth, shape.columns, 2)
      let expected = Self.product(
        Self.values(a, isTransposed: aTurned), Self.values(b, isTransposed: bTurned))
      for variant in CPUVariant.available {
        let operations = Operations(pool: WorkerPool(threads: 2), variant: variant)
        let (left, right) = (aTurned ? a.turned : a.view, bTurned ? b.turned : b.view)
        var found = operations.product(left, right, times: -2)
        #expect(worst(found, expected, times: -2) < 2e-6 * Double(shape.depth))
        operations.addProduct(left, right, times: 3, to: &found)
        #expect(worst(found, expected, times: 1) < 4e-6 * Double(shape.depth))
      }
    }
  }

  private func worst(_ found: FloatMatrix, _ expected: [Double], times factor: Double) -> Double {
    #expect(found.values.count == expected.count)
    return zip(found.values, expected).map { abs(Double($0) - factor * $1) }.max() ?? .infinity
  }

  /// Weights of every kind of block, in slices with and without a rest, as they are and transposed.
  @Test(arguments: [TensorType.f32, .f16, .q4_0, .q8_0, .q4_K, .q2_B, .q6_K])
  func weightsAreMultipliedAsTheirValues(type: TensorType) {
    let columns = type.blockLength > 1 ? 3 * type.blockLength : 72
    for rows in [5, 320, 2100] {
      let weights = WeightMatrix(
        type: type, rows: rows, columns: columns,
        bytes: TensorBytes(quantize(type, values: Self.random(rows, columns, 3).values)))
      let values = FloatMatrix(weights)
      let (x, dy) = (Self.random(9, columns, 4), Self.random(9, rows, 5))
      for variant in CPUVariant.available {
        for rounds in [false, true] {
          let operations = Operations(
            pool: WorkerPool(threads: 2), variant: variant, rounds: rounds)
          #expect(
            operations.roundedProduct(x, weights, turned: true)
              == operations.roundedProduct(x, values.turned))
          #expect(
            operations.roundedProduct(dy, weights) == operations.roundedProduct(dy, values))
        }
      }
    }
    let none = Operations(pool: WorkerPool(threads: 1))
      .roundedProduct(
        FloatMatrix(rows: 0, columns: columns),
        WeightMatrix(FloatMatrix(rows: 4, columns: columns)), turned: true)
    #expect(none.rows == 0 && none.columns == 4)
  }

  /// Sums do not depend on what is computed beside them, nor on threads.
  @Test func sumsAreTheSameInAnyCompany() {
    let (a, b) = (Self.random(300, 600, 1), Self.random(90, 600, 2))
    for variant in CPUVariant.available {
      for rounds in [false, true] {
        let alone = Operations(pool: WorkerPool(threads: 1), variant: variant, rounds: rounds)
        let together = Operations(pool: WorkerPool(threads: 3), variant: variant, rounds: rounds)
        let whole = together.roundedProduct(a, b.turned)
        #expect(whole == alone.roundedProduct(a, b.turned))
        let row = FloatMatrix(rows: 1, columns: 600, values: Array(a.values[a.range(299)]))
        let piece = b.view(rows: 33..<50, columns: 0..<600).turned
        let part = alone.roundedProduct(row, piece)
        #expect(Array(whole.values[299 * 90 + 33..<299 * 90 + 50]) == part.values)
      }
    }
  }

  @Test func partsAreMultipliedWhereTheyStand() {
    let x = FloatMatrix(rows: 3, columns: 3, values: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    let operations = Operations(pool: WorkerPool(threads: 1))
    let part = x.view(rows: 1..<3, columns: 0..<2)
    #expect((part.turned.rows, part.turned.columns) == (2, 2))
    #expect(operations.product(part, part.turned).values == [41, 68, 68, 113])
    var sum = FloatMatrix(rows: 3, columns: 4)
    operations.addProduct(part, x.view(rows: 0..<2, columns: 1..<3), to: &sum, atRow: 1, column: 2)
    #expect(sum.values == [0, 0, 0, 0, 0, 0, 33, 42, 0, 0, 54, 69])
    #expect(operations.product(x.view(rows: 0..<0, columns: 0..<3), x).values.isEmpty)
  }

  /// The product of the values to the nearest of eight bits, ties to even.
  @Test(arguments: shapes) func roundedProductsAreThoseOfRoundedValues(_ shape: Shape) {
    let a = Self.random(shape.rows, shape.depth, 3)
    let b = Self.random(shape.columns, shape.depth, 4)
    func rounded(_ matrix: FloatMatrix) -> FloatMatrix {
      FloatMatrix(
        rows: matrix.rows, columns: matrix.columns,
        values: matrix.values.map { value in
          let bits = value.bitPattern
          return Float(bitPattern: (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000)
        })
    }
    for variant in CPUVariant.available {
      let operations = Operations(pool: WorkerPool(threads: 2), variant: variant, rounds: true)
      let (x, w) = operations.rounds ? (rounded(a), rounded(b)) : (a, b)
      let expected = Self.product(
        Self.values(x, isTransposed: false), Self.values(w, isTransposed: true))
      let found = operations.roundedProduct(a, b.turned)
      #expect(worst(found, expected, times: 1) < 2e-6 * Double(shape.depth))
    }
  }
}
