import Adapters
import Kernels
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining
@testable import LanguageModels

/// Gradients of single steps against differences of their results.
@Suite struct FiniteDifferenceTests {
  private static let operations = Operations(pool: WorkerPool(threads: 1))

  private static func random(_ rows: Int, _ columns: Int, _ seed: UInt64) -> FloatMatrix {
    var random = SeededGenerator(seed: seed)
    return FloatMatrix(rows: rows, columns: columns, values: random.floats(rows * columns))
  }

  private static func weights(_ rows: Int, _ columns: Int) -> WeightMatrix {
    WeightMatrix(type: .f32, rows: rows, columns: columns, bytes: random(rows, columns, 1).bytes)
  }

  /// Sum of the products of values, in double precision.
  private static func dot(_ a: FloatMatrix, _ b: FloatMatrix) -> Double {
    zip(a.values, b.values).reduce(0) { $0 + Double($1.0) * Double($1.1) }
  }

  /// Compares `gradient` · direction with how `forward` · `dy` changes along that direction.
  private static func check(
    _ x: FloatMatrix, _ gradient: FloatMatrix, dy: FloatMatrix, seed: UInt64 = 9,
    _ forward: (FloatMatrix) throws -> FloatMatrix, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let direction = random(x.rows, x.columns, seed)
    let step: Float = 4e-3
    var (up, down) = (x, x)
    up.add(direction, times: step)
    down.add(direction, times: -step)
    let slope = try (dot(forward(up), dy) - dot(forward(down), dy)) / Double(2 * step)
    let expected = dot(gradient, direction)
    #expect(
      abs(slope - expected) < 2e-3 * max(1, abs(expected)), "\(slope) \(expected)",
      sourceLocation: location)
  }

  @Test func norm() throws {
    let (x, dy) = (Self.random(3, 16, 1), Self.random(3, 16, 2))
    for width in [16, 8] {
      let norm = RootMeanSquareNorm(FloatVector(Self.random(1, width, 3).values), epsilon: 1e-5)
      var learnt: [Float]? = Array(repeating: 0, count: width)
      try Self.check(x, norm.backward(dy, x, weight: &learnt), dy: dy, norm.forward)
      let weight = FloatMatrix(rows: 1, columns: width, values: norm.weight)
      let found = FloatMatrix(rows: 1, columns: width, values: try #require(learnt))
      try Self.check(weight, found, dy: dy) {
        RootMeanSquareNorm(FloatVector($0.values), epsilon: 1e-5).forward(x)
      }
      var frozen: [Float]?
      #expect(norm.backward(dy, x, weight: &frozen) == norm.backward(dy, x) && frozen == nil)
    }
  }

  @Test(arguments: [true, false]) func rotation(isAdjacent: Bool) throws {
    let (x, dy) = (Self.random(5, 16, 1), Self.random(5, 16, 2))
    let table = RotaryTable(size: 6, base: 10_000, divisors: [1, 0.4, 0.1])
    let rotation = Rotation(
      table, segments: [RowSegment(rows: 0..<2), RowSegment(rows: 2..<5)], headSize: 8,
      isAdjacent: isAdjacent)
    try Self.check(x, rotation.backward(dy), dy: dy, rotation.forward)
    // The first row of each segment is at position 0 and stays.
    #expect(rotation.forward(x).values[..<16] == x.values[..<16])
    #expect(rotation.forward(x).values[32..<48] == x.values[32..<48])
    #expect(rotation.forward(x).values[16..<32] != x.values[16..<32])
  }

  @Test(arguments: [DeltaShape(keyHeads: 2, keySize: 6, valueHeads: 4, valueSize: 5)])
  func gatedDeltaRule(shape: DeltaShape) throws {
    let rows = 70
    var constants = Self.random(1, 4 * shape.channels, 3).values
    constants = constants.map { 2 * $0 }
    let rule = GatedDeltaRule(
      constants: DeltaConstants(
        kernel: FloatVector(constants), rate: FloatVector([-0.1, -0.02, -0.5, -0.2]),
        bias: FloatVector([0.5, -1, 0, 1])),
      shape: shape, segments: [0..<3, 3..<rows], operations: Self.operations)
    let given = DeltaValues(
      channels: Self.random(rows, shape.channels, 4), kept: Self.random(rows, 4, 5),
      added: Self.random(rows, 4, 6))
    let dy = Self.random(rows, shape.valueWidth, 7)
    let gradient = try rule.backward(dy, rule.forward(given).tape)
    for (part, found) in [
      (\DeltaValues.channels, gradient.channels), (\.kept, gradient.kept),
      (\.added, gradient.added),
    ] {
      try Self.check(given[keyPath: part], found, dy: dy) { x in
        var other = given
        other[keyPath: part] = x
        return try rule.forward(other).y
      }
    }
    // No segment sees another.
    let alone = GatedDeltaRule(
      constants: rule.constants, shape: shape, segments: [0..<rows - 3],
      operations: Self.operations)
    let second = try alone.forward(given.rows(3..<rows)).y
    #expect(try rule.forward(given).y.values[(3 * shape.valueWidth)...] == second.values[...])
  }

  @Test(arguments: [2, 3, 4]) func shortConvolution(taps: Int) throws {
    let (x, dy) = (Self.random(7, 24, 1), Self.random(7, 8, 2))
    let kernel = Self.random(taps, 8, 3).values
    let convolution = ShortConvolution(kernel: kernel, segments: [0..<2, 2..<7])
    try Self.check(x, convolution.backward(dy, x), dy: dy, convolution.forward)
    // No segment sees another.
    let second = FloatMatrix(rows: 5, columns: 24, values: Array(x.values[48...]))
    let alone = ShortConvolution(kernel: kernel, segments: [0..<5]).forward(second)
    #expect(Array(convolution.forward(x).values[16...]) == alone.values)
  }

  /// Where angles have a magnitude, positions do not only turn.
  @Test func rotationWithMagnitude() throws {
    let (x, dy) = (Self.random(5, 16, 1), Self.random(5, 16, 2))
    let table = RotaryTable(size: 8, base: 100, divisors: [1, 1, 2, 3], magnitude: 1.3)
    let rotation = Rotation(
      table, segments: [RowSegment(rows: 0..<5)], headSize: 8, isAdjacent: false)
    try Self.check(x, rotation.backward(dy), dy: dy, rotation.forward)
    #expect(rotation.forward(x).values[0] == 1.3 * x.values[0])
  }

  @Test(arguments: [GateActivation.silu, .gelu]) func gatedUnit(activation: GateActivation) throws {
    let unit = GatedUnit(activation: activation)
    let (gate, up, dy) = (Self.random(3, 8, 1), Self.random(3, 8, 2), Self.random(3, 8, 3))
    let found = unit.backward(dy, gate: gate, up: up)
    try Self.check(gate, found.gate, dy: dy) { unit.forward(gate: $0, up: up) }
    try Self.check(up, found.up, dy: dy) { unit.forward(gate: gate, up: $0) }
  }

  static let rules = [
    AttentionRule(scale: 0.5), AttentionRule(scale: 0.9, window: 2),
    AttentionRule(scale: 1, cap: 0.8), AttentionRule(scale: 0.7, window: 3, cap: 2),
  ]

  /// Rows that two others begin with are as if each of these had them.
  @Test(arguments: rules) func attentionBehindWhatIsShared(rule: AttentionRule) throws {
    func attention(_ segments: [RowSegment]) -> CausalAttention {
      CausalAttention(
        segments: segments, heads: 4, keyValueHeads: 2, headSize: 4, rule: rule,
        operations: Self.operations)
    }
    let shared = attention([
      RowSegment(rows: 0..<3), RowSegment(rows: 3..<5, before: [0..<3]),
      RowSegment(rows: 5..<8, before: [0..<3]),
    ])
    let (q, k, v) = (Self.random(8, 16, 1), Self.random(8, 8, 2), Self.random(8, 8, 3))
    let dy = Self.random(8, 16, 4)
    var (dq, dk, dv) = (
      FloatMatrix(rows: 8, columns: 16), FloatMatrix(rows: 8, columns: 8),
      FloatMatrix(rows: 8, columns: 8)
    )
    try shared.backward(dy, query: q, key: k, value: v, dQuery: &dq, dKey: &dk, dValue: &dv)
    try Self.check(q, dq, dy: dy) { try shared.forward(query: $0, key: k, value: v) }
    try Self.check(k, dk, dy: dy) { try shared.forward(query: q, key: $0, value: v) }
    try Self.check(v, dv, dy: dy) { try shared.forward(query: q, key: k, value: $0) }
    let alone = [0, 1, 2, 5, 6, 7]
    let apart = try attention([RowSegment(rows: 0..<6)]).forward(
      query: q.rows(alone), key: k.rows(alone), value: v.rows(alone))
    let found = try shared.forward(query: q, key: k, value: v).rows(alone)
    for (one, other) in zip(found.values, apart.values) { #expect(abs(one - other) < 1e-5) }
  }

  @Test(arguments: rules) func attention(rule: AttentionRule) throws {
    let attention = CausalAttention(
      segments: [RowSegment(rows: 0..<1), RowSegment(rows: 1..<6)], heads: 4, keyValueHeads: 2,
      headSize: 4, rule: rule,
      operations: Self.operations)
    let (q, k, v) = (Self.random(6, 16, 1), Self.random(6, 8, 2), Self.random(6, 8, 3))
    let dy = Self.random(6, 16, 4)
    var (dq, dk, dv) = (
      FloatMatrix(rows: 6, columns: 16), FloatMatrix(rows: 6, columns: 8),
      FloatMatrix(rows: 6, columns: 8)
    )
    try attention.backward(dy, query: q, key: k, value: v, dQuery: &dq, dKey: &dk, dValue: &dv)
    try Self.check(q, dq, dy: dy) { try attention.forward(query: $0, key: k, value: v) }
    try Self.check(k, dk, dy: dy) { try attention.forward(query: q, key: $0, value: v) }
    try Self.check(v, dv, dy: dy) { try attention.forward(query: q, key: k, value: $0) }
    // A row that sees itself alone gets its own value, and later rows change nothing before them.
    #expect(try attention.forward(query: q, key: k, value: v).values[..<4] == v.values[..<4])
    var later = v
    later.values[40] += 1
    let (first, second) = try (
      attention.forward(query: q, key: k, value: v),
      attention.forward(query: q, key: k, value: later)
    )
    #expect(first.values[..<80] == second.values[..<80])
    #expect(first.values[80...] != second.values[80...])
  }

  @Test func adaptedLinear() throws {
    let linear = AdaptedLinear(
      weights: Self.weights(6, 32), bias: FloatVector([1, 2, 3, 4, 5, 6]), scale: 1.5,
      operations: Self.operations)
    let (x, dy) = (Self.random(4, 32, 2), Self.random(4, 6, 3))
    var pair = FactorPair(MatrixShape(rows: 6, columns: 32), rank: 2)
    pair.a = Self.random(2, 32, 4)
    pair.b = Self.random(6, 2, 5)
    var gradient = LinearGradient(
      pair: FactorPair(MatrixShape(rows: 6, columns: 32), rank: 2),
      weights: FloatMatrix(rows: 6, columns: 32), bias: Array(repeating: 0, count: 6))
    let dx = linear.backward(dy, linear.forward(x, pair).tape, pair, gradient: &gradient)
    try Self.check(x, dx, dy: dy) { linear.forward($0, pair).y }
    try Self.check(pair.a, gradient.pair?.a ?? dx, dy: dy) { a in
      var changed = pair
      changed.a = a
      return linear.forward(x, changed).y
    }
    try Self.check(pair.b, gradient.pair?.b ?? dx, dy: dy) { b in
      var changed = pair
      changed.b = b
      return linear.forward(x, changed).y
    }
    try Self.check(FloatMatrix(linear.weights), gradient.weights ?? dx, dy: dy) { w in
      AdaptedLinear(
        weights: WeightMatrix(w), bias: linear.bias, scale: 1.5, operations: Self.operations
      ).forward(x, pair).y
    }
    let sums = (0..<6).map { column -> Float in
      (0..<4).reduce(0) { $0 + dy.values[$1 * 6 + column] }
    }
    #expect(gradient.bias == sums)
    var none = LinearGradient()
    let plain = linear.backward(dy, linear.forward(x, nil).tape, nil, gradient: &none)
    try Self.check(x, plain, dy: dy) { linear.forward($0, nil).y }
    #expect(none.pair == nil && none.weights == nil && none.bias == nil)
  }

  /// The same values are left out on the way forward and backward, and of many the mean stays.
  @Test func adaptedLinearWithDropout() throws {
    let shape = MatrixShape(rows: 6, columns: 32)
    func linear() -> AdaptedLinear {
      AdaptedLinear(
        weights: Self.weights(6, 32), bias: nil, scale: 1.5, dropout: Dropout(0.25, seed: 7),
        operations: Self.operations)
    }
    let (x, dy) = (Self.random(4, 32, 2), Self.random(4, 6, 3))
    var pair = FactorPair(shape, rank: 2)
    pair.a = Self.random(2, 32, 4)
    pair.b = Self.random(6, 2, 5)
    var gradient = LinearGradient(pair: FactorPair(shape, rank: 2))
    let tape = linear().forward(x, pair).tape
    let dx = linear().backward(dy, tape, pair, gradient: &gradient)
    try Self.check(x, dx, dy: dy) { linear().forward($0, pair).y }
    try Self.check(pair.a, gradient.pair?.a ?? dx, dy: dy) { a in
      var changed = pair
      changed.a = a
      return linear().forward(x, changed).y
    }
    let mask = Dropout(0.25, seed: 1).mask(rows: 100, columns: 200).values
    #expect(Set(mask) == [0, Float(4) / 3])
    let mean: Float = mask.reduce(0, +) / Float(mask.count)
    #expect(abs(mean - 1) < 0.02)
  }

  @Test(arguments: [true, false]) func experts(normalizes: Bool) throws {
    let scales: [Float]? = normalizes ? [0.5, 2, 1.5, -1, 1] : nil
    func matrices(_ rows: Int, _ columns: Int, _ seed: UInt64) -> [WeightMatrix] {
      (0..<5).map { index in
        let values = Self.random(rows, columns, seed + UInt64(index))
        return WeightMatrix(type: .f32, rows: rows, columns: columns, bytes: values.bytes)
      }
    }
    let experts = ExpertMatrices(
      router: matrices(5, 8, 11)[0], gate: matrices(6, 8, 21), up: matrices(6, 8, 31),
      down: matrices(8, 6, 41), used: 2, normalizes: normalizes, scales: scales)
    let mixture = ExpertMixture(
      experts: experts, unit: GatedUnit(activation: .silu), operations: Self.operations)
    let (x, routed, dy) = (Self.random(7, 8, 1), Self.random(7, 8, 3), Self.random(7, 8, 2))
    let tape = try mixture.forward(x, routedBy: routed, {}).tape
    let gradients = try mixture.backward(dy, tape, {})
    try Self.check(x, gradients.x, dy: dy) { try mixture.forward($0, routedBy: routed, {}).y }
    try Self.check(routed, gradients.routed, dy: dy) {
      try mixture.forward(x, routedBy: $0, {}).y
    }
    #expect(Set(tape.parts.map(\.expert)).count > 2)
  }

  @Test(arguments: [1, 40, 1 << 20], [nil, 1.5] as [Float?])
  func outputHead(room: Int, cap: Float?) throws {
    var head = OutputHead(
      weights: Self.weights(20, 8),
      scales: ModelScales(attention: 1, logits: cap == nil ? 1 : 1.7, logitCap: cap),
      operations: Self.operations)
    head.room = room
    let x = Self.random(5, 8, 2)
    let targets: [Token] = [0, 19, 3, 3, 7]
    let loss = try head.loss(x, targets: targets, weight: 0.5)
    let one = FloatMatrix(rows: 1, columns: 1, values: [0.5])
    try Self.check(x, #require(loss.gradient), dy: one) { x in
      FloatMatrix(
        rows: 1, columns: 1, values: [try Float(head.loss(x, targets: targets, weight: nil).sum)])
    }
    #expect(try head.loss(x, targets: targets, weight: nil).gradient == nil)
  }
}
