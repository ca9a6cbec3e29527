import Foundation
import Kernels
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels

/// Bases with quantized weights against the same weights dequantized and stored as F32.
///
/// The F32 path is what the parity tests pin. What is left is the rounding of activations to 8 bits and, in the
/// quantized base, of keys and values to F16.
@Suite struct QuantizedModelTests {
  static let types: [TensorType] = [
    .q4_0, .q8_0, .q2_K, .q4_K, .q6_K, .q2_B, .f16, .bf16,
  ]
  static let tokens: [Int32] = (0..<24).map { Int32($0 * 5 % 48) }

  // Made once: random numbers take longer here than passes.
  private static let tiny = TinyModel(.llama, width: 256, hidden: 256, layers: 1)

  /// A folder with the base over weights of `type`, and `reference.gguf` with what those stand for.
  private static func folder(_ type: TensorType) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    var stored: [[UInt8]] = []
    try tiny.write(to: folder.path("quantized.gguf")) { values in
      let bytes = quantize(type, values: values)
      stored.append(bytes)
      return (type, bytes)
    }
    stored.reverse()
    try tiny.write(to: folder.path("reference.gguf")) { _ in
      (.f32, littleEndian(dequantize(type, bytes: TensorBytes(stored.removeLast()))))
    }
    return folder
  }

  @Test(arguments: types)
  func logitsAreNearTheDequantizedBase(type: TensorType) throws {
    let folder = try Self.folder(type)
    let logits = try ["quantized", "reference"].map { name in
      var result: [[Float]] = []
      try ModelSession(BaseModel(path: folder.path(name + ".gguf"))).evaluate(Self.tokens) {
        result.append($1)
      }
      return result
    }
    let differences = zip(logits[0].joined(), logits[1].joined()).map { Double($0 - $1) }
    let values = logits[1].joined().map(Double.init)
    let error = rootMeanSquare(differences) / rootMeanSquare(values)
    // Rounding to 8 bits of a block's range is an error of about 0.5 % in each of eight products; types
    // of 16 bits keep activations in F32.
    #expect(error < (type.blockLength == 1 ? 1e-5 : 0.03), "relative error \(error)")
  }

  /// Beside quantized weights adapters are rounded to 8 bits; of rank 8 only A is, as B's rows fill no block.
  @Test(arguments: [TensorType.q8_0, .q4_K], [32, 8])
  func adaptersAreNearThoseOfTheDequantizedBase(type: TensorType, rank: Int) throws {
    let folder = try Self.folder(type)
    func logits(_ name: String, adapted: Bool = true) throws -> [Double] {
      let model = try BaseModel(path: folder.path(name))
      let adapters = adapted ? [randomAdapter(model, rank: rank, scale: 0.05)] : []
      var result: [Double] = []
      try ModelSession(model, adapters: adapters).evaluate(Self.tokens) {
        result += $1.map(Double.init)
      }
      return result
    }
    let expected = try logits("reference.gguf")
    let change = zip(try logits("reference.gguf", adapted: false), expected).map { $0 - $1 }
    let error = zip(try logits("quantized.gguf"), expected).map { $0 - $1 }
    #expect(rootMeanSquare(change) > 0.2 * rootMeanSquare(expected), "the adapter changes much")
    #expect(rootMeanSquare(error) < 0.04 * rootMeanSquare(expected))
  }

  private func rootMeanSquare(_ values: [Double]) -> Double {
    (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
  }

  /// A base of mixed types: each product takes the form of activations that its weights multiply.
  @Test func typesMayBeMixed() throws {
    let folder = try TemporaryDirectory()
    var count = 0
    try Self.tiny.write(to: folder.path("mixed.gguf")) { values in
      let type = [TensorType.q4_K, .q6_K, .q8_0, .f16, .q4_0, .q2_B][count % 6]
      count += 1
      return (type, quantize(type, values: values))
    }
    let whole = try ModelSession(BaseModel(path: folder.path("mixed.gguf")))
    try whole.evaluate(Self.tokens)
    let single = try ModelSession(BaseModel(path: folder.path("mixed.gguf")), threads: 1)
    for token in Self.tokens { try single.evaluate([token]) }
    #expect(whole.logitsHash == single.logitsHash)
    #expect(whole.logits?.allSatisfy { $0.isFinite } == true)
  }
}
