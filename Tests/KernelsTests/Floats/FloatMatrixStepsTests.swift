import Foundation
import Kernels
import TestSupport
import Testing

@Suite struct FloatMatrixStepsTests {
  private static func random(_ rows: Int, _ columns: Int, _ seed: UInt64) -> FloatMatrix {
    var random = SeededGenerator(seed: seed)
    return FloatMatrix(rows: rows, columns: columns, values: random.floats(rows * columns))
  }

  @Test(arguments: [8, 12, 24]) func normsAndTheirGradients(width: Int) {
    let (x, dy) = (Self.random(3, 24, 1), Self.random(3, 24, 2))
    let weight = Self.random(1, width, 3).values
    var (expected, gradient) = ([Double](), [Double]())
    for start in stride(from: 0, to: x.values.count, by: width) {
      let part = x.values[start..<start + width].map(Double.init)
      let weighted = zip(dy.values[start..<start + width], weight).map { Double($0) * Double($1) }
      let r = (part.reduce(0) { $0 + $1 * $1 } / Double(width) + 1e-5).squareRoot()
      let product = zip(part, weighted).reduce(0) { $0 + $1.0 * $1.1 }
      expected += zip(part, weight).map { $0 / r * Double($1) }
      gradient += zip(part, weighted).map { $1 / r - $0 * product / (Double(width) * r * r * r) }
    }
    for variant in CPUVariant.available {
      let y = x.normalized(weight, epsilon: 1e-5, variant: variant)
      #expect(zip(y.values, expected).allSatisfy { abs(Double($0) - $1) < 2e-6 })
      let dx = dy.normalizedGradient(x, weight, epsilon: 1e-5, variant: variant)
      #expect(zip(dx.values, gradient).allSatisfy { abs(Double($0) - $1) < 5e-6 })
    }
  }

  @Test(arguments: [GateActivation.silu, .gelu, .sigmoid]) func gatesAndTheirGradients(
    activation: GateActivation
  ) {
    var gate = Self.random(3, 13, 1)
    gate.multiply(by: 4)
    let (up, dy) = (Self.random(3, 13, 2), Self.random(3, 13, 3))
    func activated(_ g: Double) -> Double {
      let inner =
        activation != .gelu ? g : 2 * (2 / Double.pi).squareRoot() * (g + 0.044715 * g * g * g)
      return (activation == .sigmoid ? 1 : g) / (1 + exp(-inner))
    }
    for variant in CPUVariant.available {
      let y = gate.gated(up, activation, variant: variant)
      let found = dy.gatedGradient(gate, up, activation, variant: variant)
      for index in y.values.indices {
        let (g, u, d) = (
          Double(gate.values[index]), Double(up.values[index]), Double(dy.values[index])
        )
        let slope = (activated(g + 1e-5) - activated(g - 1e-5)) / 2e-5
        #expect(abs(Double(y.values[index]) - activated(g) * u) < 3e-6)
        #expect(abs(Double(found.gate.values[index]) - d * u * slope) < 1e-5)
        #expect(abs(Double(found.up.values[index]) - d * activated(g)) < 3e-6)
      }
    }
  }
}
