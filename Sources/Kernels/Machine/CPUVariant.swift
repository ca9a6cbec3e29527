import CKernels

/// The instruction sets that kernels exist for.
package enum CPUVariant: String, CaseIterable, Sendable {
  /// Portable C: the reference that the others are tested against.
  case plain
  /// x86-64 with AVX2, FMA and F16C.
  case avx2
  /// AArch64 with dot products.
  case neon
  /// x86-64 with AVX-512 (F, BW, DQ, VL) and VNNI.
  case avx512vnni

  /// The one that the environment's `FMADAPTER_CPU` names, or the best one that this machine can run where it names
  /// none that this machine can.
  package static let current = CPUVariant(ck_cpu_detect())

  /// Those that this machine can run, weakest first.
  package static var available: [CPUVariant] { allCases.filter { ck_cpu_runs($0.code) } }

  /// The one of a name, chosen as `current` is.
  static func named(_ name: String?) -> CPUVariant {
    guard let name else { return CPUVariant(ck_cpu_choose(nil)) }
    return unsafe name.withCString { unsafe CPUVariant(ck_cpu_choose($0)) }
  }

  private init(_ cpu: ck_cpu) { self = Self.allCases.first { $0.code == cpu } ?? .plain }

  /// Rows of weights of `type` in a tile.
  func tileRows(_ type: TensorType) -> Int { ck_tile_rows(code, type.rawValue) }

  /// Rows of a tile of `weights`: fewer where it is an adapter's A, of which they would leave half a tile empty.
  ///
  /// A rounded B has at least as many rows as columns, which fill a block.
  func tileRows(_ weights: WeightMatrix) -> Int {
    let (usual, small) = (tileRows(weights.type), Int(CK_TILE_ROWS))
    let isFactorA = weights.isRounded && weights.rows < TensorType.q8_0.blockLength
    return isFactorA && (weights.rows - 1) % usual < small ? small : usual
  }

  var code: ck_cpu {
    switch self {
    case .plain: CK_CPU_PLAIN
    case .avx2: CK_CPU_AVX2
    case .neon: CK_CPU_NEON
    case .avx512vnni: CK_CPU_AVX512VNNI
    }
  }
}
