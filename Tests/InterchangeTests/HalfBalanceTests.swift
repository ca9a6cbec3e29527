import Adapters
import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import Interchange

/// Factors whose values half precision would round away, and those that it holds as they are.
@Suite struct HalfBalanceTests {
  /// Values with no more digits than a half has, times a power of two, in rows of four.
  private static func matrix(rows: Int, columns: Int, _ exponents: [Int]) -> FloatMatrix {
    let digits: [Float] = [1, -1.5, 1.25, 1.000_976_562_5, -1.999_023_437_5, 1.75]
    return FloatMatrix(
      rows: rows, columns: columns,
      values: (0..<rows * columns).map {
        digits[$0 % 6]
          * Float(sign: .plus, exponent: exponents[$0 % exponents.count], significand: 1)
      })
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Exponents of the values of A `(2, 4)` and B `(3, 2)`, one behind the other, again and again.
    let a, b: [Int]
    /// By how much the rows of A rise.
    let shifts: [Int]
  }

  static let exact = [
    Case(testDescription: "within the range", a: [-3], b: [-14], shifts: [0, 0]),
    Case(testDescription: "B below it", a: [-2], b: [-20], shifts: [-6, -6]),
    Case(testDescription: "A below it", a: [-24], b: [3], shifts: [10, 10]),
    Case(testDescription: "both, far apart", a: [-20], b: [9], shifts: [6, 6]),
    Case(testDescription: "one component below it", a: [0], b: [-1, -22], shifts: [0, -8]),
    Case(
      testDescription: "one value below it", a: [2], b: [-3, -3, -3, -3, -17, -3], shifts: [-3, 0]),
    Case(testDescription: "as far as there is room", a: [-1], b: [-27], shifts: [-13, -13]),
    Case(testDescription: "at the upper end", a: [14], b: [-30], shifts: [-16, -16]),
  ]

  @Test(arguments: exact) func productsStayToTheBit(_ example: Case) throws {
    let a = Self.matrix(rows: 2, columns: 4, example.a)
    let b = Self.matrix(rows: 3, columns: 2, example.b)
    let (layers, package) = try packed([pair(a, b)])
    let found = try #require(layers[0][.query])
    let (newA, newB) = (Self.floats(found.a), Self.floats(found.b))
    #expect(Self.product(newA, newB) == Self.product(a.values, b.values))
    let rises = (0..<2).map { Int((newA[4 * $0] / a.values[4 * $0]).exponent) }
    #expect(rises == example.shifts)
    // Nothing is lost, so nothing is said.
    #expect(package.remarks.isEmpty)
  }

  /// Halves below the range that are what they were are no loss.
  @Test func whatHalvesHoldStaysToTheBit() throws {
    let a = FloatMatrix(rows: 1, columns: 4, values: [1, 2, 3, 0])
    let b = FloatMatrix(
      rows: 3, columns: 1, values: [0x1p-24, 0x1.8p-16, 0x1p-20])
    let (layers, package) = try packed([pair(a, b)])
    let found = try #require(layers[0][.query])
    #expect(Self.floats(found.a) == a.values && Self.floats(found.b) == b.values)
    #expect(package.remarks.isEmpty)
  }

  /// A few small values among others lose less than rounding takes from those.
  @Test func oneSmallValueAmongOthersMovesNothing() throws {
    let a = FloatMatrix(rows: 1, columns: 4, values: [0.011, -0.02, 0x1.2345p-22, 0.013])
    let b = FloatMatrix(rows: 3, columns: 1, values: [0.01, 0x1.2345p-24, -0.03])
    let (layers, package) = try packed([pair(a, b)])
    let found = try #require(layers[0][.query])
    #expect(found.a.array == a.halves.array && found.b.array == b.halves.array)
    #expect(package.remarks.isEmpty)
  }

  @Test func whatNeitherFactorCanHoldIsSaid() throws {
    let a = FloatMatrix(
      rows: 1, columns: 4, values: [1.3, 1.7, 1.1, 1.9].map { $0 * 0x1p-7 })
    let b = FloatMatrix(rows: 3, columns: 1, values: [1.3, 1.7, 1.1].map { $0 * 0x1p-31 })
    let (layers, package) = try packed([pair(a, b)])
    let found = try #require(layers[0][.query])
    let product = Self.product(Self.floats(found.a), Self.floats(found.b), rank: 1)
    let expected = Self.product(a.values, b.values, rank: 1)
    // B alone would be nothing but zeros.
    for (value, wanted) in zip(product, expected) {
      #expect(abs(value - wanted) < 0.05 * abs(wanted))
    }
    #expect(package.remarks.count == 1)
    let last = try #require(package.remarks.last)
    #expect(
      last.hasPrefix("2 tensors with values too small for half precision, most “")
        && last.hasSuffix(" % of its norm; a smaller alpha in the training makes them larger"),
      "\(last)")
  }

  /// A power of two that a float cannot be would make infinities of the values.
  @Test(arguments: [0x1p-149, 0x1p-30] as [Float], [0x1.ffp0, 0x1p-140] as [Float])
  func valuesStayFinite(_ small: Float, _ other: Float) throws {
    let a = FloatMatrix(rows: 1, columns: 4, values: [small, 0, -small, small])
    let b = FloatMatrix(rows: 3, columns: 1, values: [other, -other, 0])
    let (layers, _) = try packed([pair(a, b)])
    let found = try #require(layers[0][.query])
    let values = Self.floats(found.a) + Self.floats(found.b)
    #expect(values.allSatisfy { $0.isFinite }, "\(values)")
  }

  /// What is fused in the other program comes together again.
  @Test func projectionsThatShareAGoOnSharingIt() throws {
    let a = Self.matrix(rows: 2, columns: 4, [-2])
    let small = Self.matrix(rows: 3, columns: 2, [-20])
    let large = Self.matrix(rows: 3, columns: 2, [-5])
    let (layers, _) = try packed([pair(a, small), pair(a, large, .key)])
    let (query, key) = (try #require(layers[0][.query]), try #require(layers[0][.key]))
    #expect(query.a.array == key.a.array)
    #expect(
      Self.product(Self.floats(query.a), Self.floats(query.b))
        == Self.product(a.values, small.values))
    #expect(
      Self.product(Self.floats(key.a), Self.floats(key.b)) == Self.product(a.values, large.values))
  }

  /// What keeps the digits of A would make nothing but zeros of the smaller B.
  @Test func noProjectionIsLostForAnother() throws {
    let a = Self.matrix(rows: 2, columns: 4, [-20])
    let large = Self.matrix(rows: 3, columns: 2, [-1])
    let small = Self.matrix(rows: 3, columns: 2, [-20])
    let (layers, _) = try packed([pair(a, large), pair(a, small, .key)])
    let key = try #require(layers[0][.key])
    let found = Self.product(Self.floats(key.a), Self.floats(key.b))
    for (value, wanted) in zip(found, Self.product(a.values, small.values)) {
      #expect(abs(value - wanted) < 0.02 * 0x1p-40, "\(value) for \(wanted)")
    }
  }

  /// A folder of PEFT in F32 whose B is as much too small as A is large does what the usual one does, to the bit.
  @Test func anImportKeepsSmallFactors() throws {
    let base = try InterchangeFixture.base("llama")
    let source = InterchangeFixture.path("peft/llama")
    let folder = try TemporaryDirectory()
    let settings = try FileSystem.read(source + "/adapter_config.json", limit: 1 << 16)
    try folder.write(settings, to: "small/adapter_config.json")
    var writer = SafetensorsWriter()
    for tensor in try SafetensorsFile(path: source + "/adapter_model.safetensors").tensors {
      let factor: Float = tensor.name.contains("lora_B") ? 0x1p-12 : 0x1p12
      let values = dequantize(.f32, bytes: tensor.bytes).map { $0 * factor }
      writer.append(
        tensor.name, .float32, shape: tensor.shape,
        FloatMatrix(rows: 1, columns: values.count, values: values).bytes)
    }
    try writer.write(to: folder.path("small/adapter_model.safetensors"))
    let plain = try ImportedAdapter(path: source, for: base)
    let small = try ImportedAdapter(path: folder.path("small"), for: base)
    #expect(plain.remarks.isEmpty)
    #expect(small.remarks.isEmpty, "\(small.remarks)")
    for (one, other) in zip(plain.layers, small.layers) {
      for (target, pair) in one {
        let found = try #require(other[target])
        let products = [pair, found].map {
          Self.product(Self.floats($0.a), Self.floats($0.b), rank: $0.rank)
        }
        #expect(products[0] == products[1], "\(target)")
      }
    }
  }
}

extension HalfBalanceTests {
  private func pair(
    _ a: FloatMatrix, _ b: FloatMatrix, _ target: LoRATarget = .query
  ) -> PairUpdate {
    PairUpdate(layer: 0, target: target, a: a, b: b, scale: 1, names: ("x.lora_A", "x.lora_B"))
  }

  /// The pairs as a package has them, for projections of three rows and four columns.
  private func packed(
    _ pairs: [PairUpdate]
  ) throws -> ([[LoRATarget: LowRankPair]], PackagePairs) {
    var package = PackagePairs(pairs, path: "x")
    let shapes = pairs.map { ($0.target, MatrixShape(rows: 3, columns: 4)) }
    let layers = try package.layers(
      for: BaseContract(
        signature: "", architecture: "llama", layers: [Dictionary(uniqueKeysWithValues: shapes)]))
    return (layers, package)
  }

  private static func floats(_ halves: TensorBytes) -> [Float] { dequantize(.f16, bytes: halves) }

  /// B A in floats, component by component.
  private static func product(_ a: [Float], _ b: [Float], rank: Int = 2) -> [Float] {
    let columns = a.count / rank
    return (0..<b.count / rank).flatMap { row in
      (0..<columns).map { column in
        (0..<rank).reduce(0) { $0 + b[row * rank + $1] * a[$1 * columns + column] }
      }
    }
  }
}
