import SystemFiles
import Testing

// The documentation shows this function.
// docs:begin
import Kernels

/// What is left of values after a round trip through 8-bit blocks.
func rounded(_ values: [Float]) -> [Float] {
  let blocks = quantize(.q8_0, values: values)
  return dequantize(.q8_0, bytes: TensorBytes(blocks))
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() {
    let values = (0..<64).map { Float($0) - 20 }
    let result = rounded(values)
    #expect(result.count == values.count)
    #expect(zip(values, result).allSatisfy { abs($0 - $1) < 0.25 })
    #expect(result != values)
  }
}
