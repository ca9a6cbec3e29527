import Kernels
import TestSupport

/// Files of `tools/fixtures/make_quantization.py`.
enum QuantizationFixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    try Fixtures.bytes("KernelsTests", "quantization/\(name)")
  }

  static func floats(_ name: String) throws -> [Float] {
    dequantize(.f32, bytes: TensorBytes(try bytes(name)))
  }
}
