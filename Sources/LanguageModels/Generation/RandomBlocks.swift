import Kernels

/// Random weights of any type whose products keep activations at ordinary sizes.
struct RandomBlocks {
  private let type: TensorType
  /// The standard deviation to aim for.
  private let deviation: Float

  init(_ type: TensorType, columns: Int) {
    self.type = type
    deviation = 1 / Float(columns).squareRoot()
  }

  /// The bytes of `count` weights: random codes under fixed scales; F32 weights are all 1.
  func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    let blocks = count / type.blockLength
    var bytes = [UInt8](repeating: 0, count: blocks * type.blockBytes)
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let word = random.next()
      for index in start..<min(start + 8, bytes.count) {
        bytes[index] = UInt8(truncatingIfNeeded: word >> ((index - start) * 8))
      }
    }
    for block in 0..<blocks { setScales(&bytes, block * type.blockBytes) }
    return bytes
  }

  private func setScales(_ bytes: inout [UInt8], _ start: Int) {
    func set(_ offset: Int, _ value: Float) {
      let bits = halfFromFloat(value)
      bytes[start + offset] = UInt8(truncatingIfNeeded: bits)
      bytes[start + offset + 1] = UInt8(truncatingIfNeeded: bits >> 8)
    }
    // Deviation of scale times code, and for types with a minimum what its mean has to be multiplied with.
    switch type {
    case .f32: bytes.replaceSubrange(start..<start + 4, with: [0, 0, 0x80, 0x3f])
    case .f16, .bf16:
      // Clears the upper exponent bits: below 2^-7 in magnitude.
      bytes[start + 1] &= type == .f16 ? 0xa3 : 0xbb
    case .q4_0: set(0, deviation / 4.6)
    case .q2_B: set(0, deviation / 1.118)
    case .q5_0: set(0, deviation / 9.2)
    case .q8_0: set(0, deviation / 74)
    case .q4_1:
      set(0, deviation / 4.6)
      set(2, deviation / 4.6 * -7.5)
    case .q5_1:
      set(0, deviation / 9.2)
      set(2, deviation / 9.2 * -15.5)
    case .q2_K:
      set(80, deviation / 14)
      set(82, deviation / 14 * 1.5)
    case .q3_K: set(108, deviation / 43)
    case .q4_K:
      set(0, deviation / 240)
      set(2, deviation / 240 * 7.5)
    case .q5_K:
      set(0, deviation / 480)
      set(2, deviation / 480 * 15.5)
    case .q6_K: set(208, deviation / 1370)
    }
  }
}
