import SystemFiles
import TestSupport
import Testing

@testable import Kernels

/// Steps that leave what they compute rounded, or gated, give the bits of steps one after the other.
@Suite struct JoinedStepsTests {
  private static let (batch, width) = (5, 64)

  private func operations(_ variant: CPUVariant) -> Operations {
    Operations(pool: WorkerPool(threads: 3), variant: variant)
  }

  private func rows(_ columns: Int, _ random: inout SeededGenerator) -> Activations {
    let rows = Activations(capacity: Self.batch, columns: columns, types: [.q8_0])
    for row in 0..<Self.batch {
      for column in 0..<columns { rows[row, column] = Float.random(in: -3...3, using: &random) }
    }
    return rows
  }

  /// Blocks of a scale of 1/16 and random codes.
  private func weights(
    _ rows: Int, _ columns: Int, _ random: inout SeededGenerator
  ) -> WeightMatrix {
    let bytes = (0..<rows * columns / 32).flatMap { _ in
      [0, 0x2c] + (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    return WeightMatrix(type: .q8_0, rows: rows, columns: columns, bytes: TensorBytes(bytes))
  }

  /// What weights make of `x` that multiply it rounded.
  private func product(_ x: Activations, isRounded: Bool, _ operations: Operations) -> [[Float]] {
    var random = SeededGenerator(seed: 5)
    let y = Activations(capacity: Self.batch, columns: 40)
    let plan = ProductPlan([Product(weights(40, x.columns, &random), into: y)], of: x)
    operations.run(plan, batch: Self.batch, isRounded: isRounded)
    return (0..<Self.batch).map { y.row($0) }
  }

  @Test(arguments: CPUVariant.available)
  func normsThatRound(variant: CPUVariant) {
    let operations = operations(variant)
    let weight = FloatVector((0..<Self.width).map { 1 + Float($0) / 100 })
    let results = [true, false].map { rounds in
      var random = SeededGenerator(seed: 3)
      let (x, y) = (rows(Self.width, &random), rows(Self.width, &random))
      operations.norm(x, weight, epsilon: 1e-5, into: y, rounds: rounds, batch: Self.batch)
      return product(y, isRounded: rounds, operations)
    }
    #expect(results[0] == results[1])
  }

  /// Also where the rows of a chunk are not as many as others.
  @Test(arguments: CPUVariant.available, [32, 96, 416])
  func gatedProducts(variant: CPUVariant, outputs: Int) {
    let operations = operations(variant)
    let results = [true, false].map { joins in
      var random = SeededGenerator(seed: 7)
      let x = rows(Self.width, &random)
      let (gate, up) = (rows(outputs, &random), rows(outputs, &random))
      let plan = ProductPlan(
        [gate, up].map { Product(weights(outputs, Self.width, &random), into: $0) }, of: x)
      if joins {
        operations.run(plan, batch: Self.batch, gate: ProductGate(.silu, rounds: true))
      } else {
        operations.run(plan, batch: Self.batch)
        operations.gate(gate, up, .silu, batch: Self.batch)
      }
      return (0..<Self.batch).map { gate.row($0) } + product(gate, isRounded: joins, operations)
    }
    #expect(results[0] == results[1])
  }
}
