import SystemFiles
import TestSupport
import Testing

@testable import Kernels

@Suite struct QuantizeTests {
  /// The reference is ggml's; that of Q2_B has tried every scale there is.
  @Test(arguments: TensorType.allCases.filter { $0.isWritable && $0 != .f32 })
  func equalsTheReferenceToTheLastBit(type: TensorType) throws {
    let input = try QuantizationFixture.floats("quantized/input.f32")
    let expected = try QuantizationFixture.bytes("quantized/\(type.name).blocks")
    #expect(quantize(type, values: input) == expected)
  }

  /// The reference is ggml's; that of Q2_B has tried every scale there is.
  @Test(arguments: TensorType.allCases.filter(\.weighsErrors))
  func weighsErrorsAsTheReferenceToTheLastBit(type: TensorType) throws {
    let input = try QuantizationFixture.floats("quantized/input.f32")
    let importance = try QuantizationFixture.floats("weighted/importance.f32")
    let expected = try QuantizationFixture.bytes("weighted/\(type.name).blocks")
    let blocks = quantize(type, values: input, importance: importance)
    #expect(blocks == expected)
    #expect(blocks != quantize(type, values: input))
  }

  @Test(arguments: TensorType.allCases.filter { $0.isWritable && !$0.weighsErrors })
  func otherTypesDoNotCareForImportance(type: TensorType) throws {
    let input = try QuantizationFixture.floats("quantized/input.f32")
    let importance = try QuantizationFixture.floats("weighted/importance.f32")
    #expect(
      quantize(type, values: input, importance: importance) == quantize(type, values: input))
  }

  @Test(arguments: TensorType.allCases.filter(\.weighsErrors))
  func survivesAnyImportance(type: TensorType) {
    var generator = SeededGenerator(seed: 19)
    let values = generator.floats(512)
    for weight in [Float.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0] {
      let mixed = [weight] + generator.floats(255, in: 0..<1)
      for importance in [[Float](repeating: weight, count: 256), mixed] {
        let count = quantize(type, values: values, importance: importance).count
        #expect(count == 512 / type.blockLength * type.blockBytes)
      }
    }
  }

  /// Root mean square error over that of the values themselves, on a normal distribution.
  @Test(
    arguments: [
      (.f16, 0.0003), (.bf16, 0.002), (.q8_0, 0.006), (.q6_K, 0.018), (.q5_K, 0.04), (.q4_K, 0.075),
      (.q4_0, 0.095), (.q2_K, 0.33), (.q2_B, 0.35),
    ] as [(TensorType, Double)])
  func staysWithinTheUsualError(type: TensorType, bound: Double) {
    var generator = SeededGenerator(seed: 11)
    // The sum of twelve uniform values is close to normal.
    let values = (0..<4096).map { _ in
      (0..<12).reduce(Float(0)) { sum, _ in sum + generator.float() }
    }
    let result = dequantize(type, bytes: TensorBytes(quantize(type, values: values)))
    let error = zip(values, result).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
    let power = values.reduce(0.0) { $0 + Double($1 * $1) }
    #expect((error / power).squareRoot() < bound, "\(generator)")
    #expect((error / power).squareRoot() > bound / 3, "\(generator)")
  }

  @Test(arguments: TensorType.allCases.filter(\.isWritable))
  func survivesWhatIsNotFinite(type: TensorType) {
    for value in [
      Float.infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ] {
      var values = [Float](repeating: 1, count: 256)
      values[17] = value
      #expect(quantize(type, values: values).count == 256 / type.blockLength * type.blockBytes)
      values = [Float](repeating: value, count: 256)
      #expect(quantize(type, values: values).count == 256 / type.blockLength * type.blockBytes)
    }
  }

  @Test(arguments: TensorType.allCases.filter(\.isWritable))
  func keepsZeros(type: TensorType) {
    let zeros = [Float](repeating: 0, count: 512)
    let result = dequantize(type, bytes: TensorBytes(quantize(type, values: zeros)))
    #expect(result.allSatisfy { $0 == 0 })
  }
}

@Suite struct DequantizeTests {
  @Test(arguments: TensorType.allCases.filter { $0 != .f32 })
  func equalsTheReferenceToTheLastBit(type: TensorType) throws {
    let blocks = try QuantizationFixture.bytes("\(type.name).blocks")
    let expected = try QuantizationFixture.floats("\(type.name).values")
    let values = dequantize(type, bytes: TensorBytes(blocks))
    #expect(values.map(\.bitPattern) == expected.map(\.bitPattern))
  }

  @Test func copiesF32() {
    let values: [Float] = [1, -0.0, .infinity, .leastNonzeroMagnitude]
    let bytes = TensorBytes(quantize(.f32, values: values))
    #expect(dequantize(.f32, bytes: bytes).map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test(arguments: TensorType.allCases)
  func readsNothingFromNothing(type: TensorType) {
    #expect(dequantize(type, bytes: TensorBytes([])).isEmpty)
  }

  @Test(arguments: TensorType.allCases)
  func readsUnalignedBytesIntoASpan(type: TensorType) throws {
    var generator = SeededGenerator(seed: 7)
    let blocks = generator.bytes(type.blockBytes)
    let shifted = TensorBytes([0] + blocks).slice(1..<1 + blocks.count)
    var values = [Float](repeating: 0, count: type.blockLength)
    var span = values.mutableSpan
    dequantize(type, bytes: shifted, into: &span)
    let expected = dequantize(type, bytes: TensorBytes(blocks))
    #expect(values.map(\.bitPattern) == expected.map(\.bitPattern))
  }
}

@Suite struct HalfTests {
  @Test func everyHalfHasItsExactValue() {
    let wrong = (0...UInt16.max).filter { half in
      let (ours, exact) = (floatFromHalf(half), Float(Float16(bitPattern: half)))
      return ours.isNaN ? !exact.isNaN : ours.bitPattern != exact.bitPattern
    }
    #expect(wrong.isEmpty)
  }

  @Test func everyHalfSurvivesTheRoundTrip() {
    let wrong = (0...UInt16.max).filter { half in
      let value = floatFromHalf(half)
      return !value.isNaN && halfFromFloat(value) != half
    }
    #expect(wrong.isEmpty)
  }

  @Test func roundsToNearestEven() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      // Magnitudes from 2^-27, below half of the smallest subnormal, to 2^17, beyond the largest number.
      let exponent = UInt32.random(in: 100...144, using: &generator)
      var fraction = UInt32.random(in: 0..<1 << 23, using: &generator)
      // Every other value lies close to, or on, the middle between two results.
      if fraction & 1 == 0 { fraction = fraction & ~0x1FFF | 0x1000 &+ (fraction & 3) &- 1 }
      let value = Float(bitPattern: exponent << 23 | fraction & 0x7F_FFFF)
      #expect(halfFromFloat(value) == Float16(value).bitPattern, "\(value) \(generator)")
      #expect(halfFromFloat(-value) == Float16(-value).bitPattern, "\(-value) \(generator)")
    }
  }

  @Test(
    arguments: [
      (0, 0), (-0.0, 0x8000), (65_504, 0x7BFF), (65_519.996, 0x7BFF), (65_520, 0x7C00),
      (.infinity, 0x7C00), (-.infinity, 0xFC00), (0x1p-24, 1), (0x1p-25, 0), (0x1.000002p-25, 1),
      (0x1.8p-24, 2), (0x1.FF8p-15, 0x3FF), (0x1.FFEp-15, 0x400),
    ] as [(Float, UInt16)])
  func treatsTheEdges(value: Float, half: UInt16) {
    #expect(halfFromFloat(value) == half)
  }

  @Test func keepsNaN() {
    #expect(floatFromHalf(halfFromFloat(.nan)).isNaN)
    #expect(floatFromHalf(halfFromFloat(.signalingNaN)).isNaN)
    #expect(floatFromHalf(0x7C01).isNaN && floatFromHalf(0xFFFF).isNaN)
  }
}

/// Files of `tools/fixtures/make_quantization.py`.
enum QuantizationFixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    try Fixtures.bytes("KernelsTests", "quantization/\(name)")
  }

  static func floats(_ name: String) throws -> [Float] {
    dequantize(.f32, bytes: TensorBytes(try bytes(name)))
  }
}
