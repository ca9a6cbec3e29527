import SystemFiles
import TestSupport
import Testing

@testable import Kernels

/// Products of every weight type on every instruction set of this machine, against float64 sums over the
/// dequantized weights.
@Suite struct ProductTests {
  static let variants = CPUVariant.available

  /// One kind of input that has broken kernels before.
  enum Inputs: String, CaseIterable, Sendable {
    case random, extremes, denormals, zeros, outliers
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let type: TensorType
    let inputs: Inputs
    var testDescription: String { "\(type.name) \(inputs)" }
  }

  static let cases = TensorType.allCases.flatMap { type in
    Inputs.allCases.map { Case(type: type, inputs: $0) }
  }

  @Test(arguments: cases)
  func productsAreNearTheReference(_ test: Case) {
    var random = SeededGenerator(seed: 17)
    let problem = Problem(test, &random)
    let products = Self.variants.map { (variant: $0, y: problem.multiply($0)) }
    for row in [0, problem.batch - 1] {
      for output in 0..<problem.rows {
        let (expected, tolerance) = problem.expected(row, output)
        for (variant, y) in products {
          let error = abs(Double(y[row][output]) - expected)
          #expect(
            error <= tolerance,
            "\(variant), row \(row) output \(output): \(y[row][output]) for \(expected)")
        }
      }
    }
  }

  /// A row of activations has the same results to the bit, whatever it is computed together with.
  @Test(arguments: TensorType.allCases, variants)
  func everyTileHasTheSameBits(type: TensorType, variant: CPUVariant) {
    var random = SeededGenerator(seed: 23)
    let problem = Problem(Case(type: type, inputs: .random), &random)
    let all = problem.multiply(variant)
    for batch in 1...8 {
      #expect(problem.multiply(variant, batch: batch) == Array(all.prefix(batch)))
    }
  }

  /// Where only some rows of weights are computed they have the bits of all, and nothing else is written.
  @Test(arguments: TensorType.allCases, variants)
  func someRowsHaveTheBitsOfAll(type: TensorType, variant: CPUVariant) {
    var random = SeededGenerator(seed: 43)
    let problem = Problem(Case(type: type, inputs: .random), &random)
    let size = Operations.groupRows
    let last = UInt32((problem.rows - 1) / size)
    for tiled in WeightMatrix.hasTiles(type) ? [nil, true] : [nil] {
      let all = problem.multiply(variant, tiled: tiled)
      for groups in [[], [0], [last], [0, last], Array(0...last)] {
        let some = problem.multiply(variant, batch: 3, tiled: tiled, groups: groups)
        let expected = all.prefix(3).map { row in
          row.enumerated().map { groups.contains(UInt32($0.offset / size)) ? $0.element : 0 }
        }
        #expect(some == expected, "groups \(groups), tiled \(String(describing: tiled))")
      }
    }
  }

  /// Short rows of halves, as those of an adapter's B, have the bits of rows when they stand in tiles.
  @Test(arguments: variants)
  func tilesOfShortRowsHaveTheBitsOfRows(variant: CPUVariant) {
    for columns in [1, 4, 6, 7, 8, 12, 16, 23, 24, 25, 40, 63, 64] {
      var random = SeededGenerator(seed: UInt64(columns))
      let problem = Problem(Case(type: .f16, inputs: .random), &random, columns: columns)
      let tiles = problem.weights.tiledIfShort
      #expect(tiles.tiles != nil)
      let all = problem.multiply(variant)
      for batch in 1...8 {
        let y = problem.multiply(variant, batch: batch, tiled: true, tiles)
        #expect(y == Array(all.prefix(batch)), "\(columns)")
      }
    }
    let long = WeightMatrix(
      type: .f16, rows: 1, columns: 65, bytes: TensorBytes([UInt8](repeating: 0, count: 130)))
    #expect(long.tiledIfShort.tiles == nil)
  }

  /// Integer sums are exact, so variants differ only in the order of a few float additions.
  @Test(arguments: TensorType.allCases)
  func variantsAgree(type: TensorType) {
    var random = SeededGenerator(seed: 29)
    let problem = Problem(Case(type: type, inputs: .random), &random)
    let plain = problem.multiply(.plain)
    let others = Self.variants.filter { $0 != .plain }
      .map { (variant: $0, y: problem.multiply($0)) }
    for row in [0, problem.batch - 1] {
      for output in 0..<problem.rows {
        let scale = problem.magnitude(row, output)
        for (variant, y) in others {
          #expect(abs(Double(plain[row][output] - y[row][output])) <= 2e-6 * scale, "\(variant)")
        }
      }
    }
  }

  /// Tiles hold the same blocks as rows: the reference gives the same bits for both, whatever is in them.
  @Test(arguments: TensorType.allCases.filter { WeightMatrix.hasTiles($0) }, Inputs.allCases)
  func tilesHoldTheRows(type: TensorType, inputs: Inputs) {
    var random = SeededGenerator(seed: 31)
    let problem = Problem(Case(type: type, inputs: inputs), &random)
    let rows = problem.multiply(.plain)
    let tiles = problem.multiply(.plain, tiled: true)
    #expect(tiles.map { $0.map(\.bitPattern) } == rows.map { $0.map(\.bitPattern) })
  }

  /// The first passes over a base make tiles of a few rows at a time, the later ones find them.
  @Test(arguments: TensorType.allCases.filter { WeightMatrix.hasTiles($0) }, Self.variants)
  func panelsGiveTheBitsOfTiles(type: TensorType, variant: CPUVariant) {
    guard variant != .plain else { return }
    for inputs in Inputs.allCases {
      var random = SeededGenerator(seed: 37)
      let problem = Problem(Case(type: type, inputs: inputs), &random)
      let tiles = problem.multiply(variant, tiled: true).map { $0.map(\.bitPattern) }
      random = SeededGenerator(seed: 37)
      let again = Problem(Case(type: type, inputs: inputs), &random)
      for pass in 0...WeightMatrix.settlingPasses {
        let y = again.multiply(variant).map { $0.map(\.bitPattern) }
        #expect(y == tiles, "\(inputs), pass \(pass)")
      }
    }
  }

  /// Which types have tiles decides what is fast, so a type that loses them is noticed.
  ///
  /// Points of a grid are looked up a row at a time.
  @Test func typesWithTiles() {
    let withGrids: [TensorType] = [.iq2_XXS, .iq2_XS, .iq2_S, .iq3_XXS, .iq3_S]
    let types = TensorType.allCases.filter { WeightMatrix.hasTiles($0) }
    #expect(types == TensorType.allCases.filter { $0.blockLength > 1 && !withGrids.contains($0) })
  }

  /// Weights, activations and what they should give.
  struct Problem {
    let type: TensorType
    // Whole tiles and a part of the next, whether they have 8 rows or 16.
    let rows = 19
    let columns: Int
    let batch = 9
    let weights: WeightMatrix
    let values: [Float]
    let x: [[Float]]

    init(_ test: Case, _ random: inout SeededGenerator, columns given: Int? = nil) {
      type = test.type
      // Odd lengths where the type has them, and a number of blocks that is no multiple of eight.
      let blocks32 = test.inputs == .random ? 37 : 5
      let usual =
        switch type.blockLength {
        case 1: 77
        case 256: 256 * 3
        default: type.blockLength * blocks32
        }
      columns = given ?? usual
      let bytes = (0..<rows * columns / type.blockLength).flatMap { _ in
        Problem.block(test, &random)
      }
      weights = WeightMatrix(type: type, rows: rows, columns: columns, bytes: TensorBytes(bytes))
      values = dequantize(type, bytes: weights.bytes)
      let columns = columns
      x = (0..<batch).map { _ in (0..<columns).map { Problem.value(test.inputs, $0, &random) } }
    }

    /// Random codes; scales are halves of ordinary size, or what `inputs` asks for.
    static func block(_ test: Case, _ random: inout SeededGenerator) -> [UInt8] {
      if test.type.blockLength == 1 {
        return element(test.type, value(test.inputs, 1, &random))
      }
      var bytes = random.bytes(test.type.blockBytes)
      if test.inputs == .extremes {
        bytes = bytes.map { [0, 0x7f, 0x80, 0xff][Int($0 % 4)] }
      }
      if test.type == .mxfp4 {
        // The power of two of ordinary weights, or those around the smallest normal number.
        let exponents = test.inputs == .denormals ? 0...2 : UInt8(115)...122
        bytes[0] = test.inputs == .zeros ? 0 : .random(in: exponents, using: &random)
      }
      for place in halfPlaces(test.type) {
        let half: Float16 =
          switch test.inputs {
          case .zeros: Bool.random(using: &random) ? 0 : -0.0
          case .denormals: Float16(bitPattern: UInt16.random(in: 1..<0x400, using: &random))
          default: Float16(random.float(in: -0.01..<0.01))
          }
        bytes[place] = UInt8(truncatingIfNeeded: half.bitPattern)
        bytes[place + 1] = UInt8(truncatingIfNeeded: half.bitPattern >> 8)
      }
      return bytes
    }

    private static func element(_ type: TensorType, _ value: Float) -> [UInt8] {
      let bits: UInt32 =
        switch type {
        case .f32: value.bitPattern
        case .bf16: value.bitPattern >> 16
        default: UInt32(Float16(max(-60_000, min(60_000, value))).bitPattern)
        }
      return (0..<type.blockBytes).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }

    /// Where a block keeps its scales.
    private static func halfPlaces(_ type: TensorType) -> [Int] {
      switch type {
      case .q4_1, .q5_1, .q4_K, .q5_K: [0, 2]
      case .q2_K: [80, 82]
      case .q3_K: [108]
      case .q6_K: [208]
      case .tq2_0: [64]
      case .mxfp4: []
      default: [0]
      }
    }

    private static func value(
      _ inputs: Inputs, _ index: Int, _ random: inout SeededGenerator
    ) -> Float {
      switch inputs {
      case .random: random.float()
      case .extremes: Bool.random(using: &random) ? 3e4 : -3e4
      case .denormals: Float(bitPattern: UInt32.random(in: 0..<0x80_0000, using: &random))
      case .zeros: index.isMultiple(of: 2) ? 0 : -0.0
      case .outliers: index.isMultiple(of: 61) ? random.float(in: -500..<500) : random.float()
      }
    }

    /// Products with the weights, or with `others` of their shape.
    func multiply(
      _ variant: CPUVariant, batch: Int? = nil, tiled: Bool? = nil, _ others: WeightMatrix? = nil,
      groups: [UInt32]? = nil
    ) -> [[Float]] {
      let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
      let input = Activations(capacity: self.batch, columns: columns, types: [type])
      let output = Activations(capacity: self.batch, columns: rows)
      for (row, values) in x.enumerated() {
        for (column, value) in values.enumerated() { input[row, column] = value }
      }
      let plan = ProductPlan([Product(others ?? weights, into: output)], of: input)
      plan.prepare(operations, tiled: tiled)
      if let groups {
        operations.run(plan, batch: batch ?? self.batch, groups: groups)
      } else {
        operations.run(plan, batch: batch ?? self.batch)
      }
      return (0..<(batch ?? self.batch)).map { output.row($0) }
    }

    /// The float64 sum, and the error that a kernel may make.
    ///
    /// Rounding an activation to int8 moves it by at most half a step of its 32: 1/254 of their
    /// largest value. Sums of floats are within a few units of float32's precision of the magnitudes added.
    func expected(_ row: Int, _ output: Int) -> (Double, Double) {
      var (sum, rounding) = (0.0, 0.0)
      let block = min(type.blockLength, 32)
      for start in stride(from: 0, to: columns, by: block) {
        let top = block == 1 ? 0 : x[row][start..<start + block].map { abs($0) }.max() ?? 0
        for column in start..<start + block {
          let weight = Double(values[output * columns + column])
          sum += weight * Double(x[row][column])
          rounding += abs(weight) * Double(top) / 254
        }
      }
      return (sum, rounding * 1.001 + magnitude(row, output) * 1e-5 + 1e-30)
    }

    /// What the parts of a sum add up to without their signs; for weights d · q + m, of d · q and m apart.
    func magnitude(_ row: Int, _ output: Int) -> Double {
      let (weights, inputs) = (values[output * columns..<(output + 1) * columns], x[row])
      var (parts, top, size) = (0.0, 0.0, 0.0)
      for (weight, input) in zip(weights, inputs) {
        parts += abs(Double(weight) * Double(input))
        top = max(top, abs(Double(weight)))
        size += abs(Double(input))
      }
      return type.blockLength == 1 ? parts : parts + top * size
    }
  }
}
