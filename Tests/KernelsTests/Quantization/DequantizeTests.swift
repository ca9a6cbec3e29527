import TestSupport
import Testing

@testable import Kernels

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
