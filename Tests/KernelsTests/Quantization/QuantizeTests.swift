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

  /// Root mean square error over that of the values themselves, on a normal distribution.
  @Test(
    arguments: [
      (.f16, 0.0003), (.bf16, 0.002), (.q8_0, 0.006), (.q6_K, 0.018), (.q4_K, 0.075),
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
