import Kernels
import TestSupport
import Testing

@Suite struct FloatMatrixTests {
  private static func random(_ rows: Int, _ columns: Int, _ seed: UInt64) -> FloatMatrix {
    var random = SeededGenerator(seed: seed)
    return FloatMatrix(rows: rows, columns: columns, values: random.floats(rows * columns))
  }

  @Test(arguments: [(1, 1), (3, 5), (16, 16), (33, 50)]) func transposes(_ n: Int, _ m: Int) {
    let x = Self.random(n, m, 3)
    let turned = x.transposed()
    #expect((turned.rows, turned.columns) == (m, n))
    #expect(turned.transposed() == x)
    #expect(turned.values[(m - 1) * n] == x.values[m - 1])
  }

  @Test func partsAreTakenAndAdded() {
    let x = FloatMatrix(rows: 3, columns: 3, values: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    let part = x.part(rows: 1..<3, columns: 0..<2)
    #expect(part.values == [4, 5, 7, 8])
    var y = x
    y.add(part, atRow: 0, column: 1)
    #expect(y.values == [1, 6, 8, 4, 12, 14, 7, 8, 9])
    y.add(x, times: -1)
    y.multiply(by: 2)
    #expect(y.values == [0, 8, 10, 0, 14, 16, 0, 0, 0])
    #expect(x.reshaped(columns: 9).rows == 1)
  }
}
