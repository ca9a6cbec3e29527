/// How the values of a tensor are stored, by the type numbers of GGUF (ggml); `q2_B` is our own.
public enum TensorType: UInt32, CaseIterable, Sendable {
  case f32 = 0
  case f16 = 1
  case q4_0 = 2
  case q4_1 = 3
  case q5_0 = 6
  case q5_1 = 7
  case q8_0 = 8
  case q2_K = 10
  case q3_K = 11
  case q4_K = 12
  case q5_K = 13
  case q6_K = 14
  case iq2_XXS = 16
  case iq2_XS = 17
  case iq3_XXS = 18
  case iq4_NL = 20
  case iq3_S = 21
  case iq2_S = 22
  case iq4_XS = 23
  case bf16 = 30
  case tq2_0 = 35
  case mxfp4 = 39
  case q2_0 = 42
  /// Two bits for weights that are trained for them: codes 0, 1, 2, 3 for -1.5, -0.5, 0.5, 1.5 times the block's scale.
  ///
  /// A block is 64 values in 18 bytes: the scale as a little-endian binary16, then 16 bytes of codes. Bits 2s and 2s + 1
  /// of byte j of these hold the code of value 16 s + j. The number is the name in ASCII, so that no number that ggml
  /// gives next is taken; `q2_0` has the levels -1, 0, 1, 2. The levels are those of Apple's on-device model
  /// (arXiv 2507.13575).
  case q2_B = 0x425F_3251

  /// Values per block; a row is a whole number of blocks.
  public var blockLength: Int {
    switch self {
    case .f32, .f16, .bf16: 1
    case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4: 32
    case .q2_B, .q2_0: 64
    case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq2_XXS, .iq2_XS, .iq2_S, .iq3_XXS, .iq3_S, .iq4_XS,
      .tq2_0:
      256
    }
  }

  /// Bytes per block.
  public var blockBytes: Int {
    switch self {
    case .f32: 4
    case .f16, .bf16: 2
    case .mxfp4: 17
    case .q4_0, .iq4_NL, .q2_B, .q2_0: 18
    case .q4_1: 20
    case .q5_0: 22
    case .q5_1: 24
    case .q8_0: 34
    case .iq2_XXS, .tq2_0: 66
    case .iq2_XS: 74
    case .iq2_S: 82
    case .q2_K: 84
    case .iq3_XXS: 98
    case .q3_K, .iq3_S: 110
    case .iq4_XS: 136
    case .q4_K: 144
    case .q5_K: 176
    case .q6_K: 210
    }
  }

  /// The name that GGUF tools print, such as `Q4_K`.
  public var name: String { "\(self)".uppercased() }

  /// Bytes of one row of `columns` values, or nil when that is not a whole number of blocks or overflows.
  public func rowBytes(columns: Int) -> Int? {
    guard columns >= 0, columns.isMultiple(of: blockLength) else { return nil }
    let (bytes, overflow) = (columns / blockLength).multipliedReportingOverflow(by: blockBytes)
    return overflow ? nil : bytes
  }
}
