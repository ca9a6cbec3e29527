import Testing

@testable import Kernels

@Suite struct TensorTypeTests {
  @Test(
    arguments: [
      (.f32, "F32", 128), (.bf16, "BF16", 64), (.q4_0, "Q4_0", 18), (.q8_0, "Q8_0", 34),
      (.q5_1, "Q5_1", 24), (.iq4_NL, "IQ4_NL", 18), (.mxfp4, "MXFP4", 17),
    ] as [(TensorType, String, Int)])
  func sizesRowsOf32(type: TensorType, name: String, bytes: Int) {
    #expect(type.name == name)
    #expect(type.rowBytes(columns: 32) == bytes)
  }

  @Test(
    arguments: [
      (.q2_K, 84), (.q3_K, 110), (.q4_K, 144), (.q5_K, 176), (.q6_K, 210), (.iq2_XXS, 66),
      (.iq2_XS, 74), (.iq2_S, 82), (.iq3_XXS, 98), (.iq3_S, 110), (.iq4_XS, 136), (.tq2_0, 66),
    ] as [(TensorType, Int)])
  func sizesRowsOf256(type: TensorType, bytes: Int) {
    #expect(type.rowBytes(columns: 512) == 2 * bytes)
    #expect(type.rowBytes(columns: 32) == nil)
  }

  /// The number is in files, so it never changes.
  @Test func ourOwnTypeIsNamedByItsNumber() {
    #expect(TensorType.q2_B.name == "Q2_B")
    let letters = "Q2_B".utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << ($1.offset * 8) }
    #expect(TensorType.q2_B.rawValue == letters)
    #expect(TensorType.q2_B.rowBytes(columns: 128) == 36)
    #expect(TensorType.q2_B.rowBytes(columns: 96) == nil)
  }

  @Test func refusesRowsThatDoNotFit() {
    #expect(TensorType.f32.rowBytes(columns: .max) == nil)
    #expect(TensorType.f32.rowBytes(columns: -4) == nil)
    #expect(TensorType.q8_0.rowBytes(columns: 33) == nil)
    #expect(TensorType.q8_0.rowBytes(columns: 0) == 0)
  }
}
