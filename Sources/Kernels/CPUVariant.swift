import CKernels

/// The instruction sets that kernels exist for.
package enum CPUVariant: String, CaseIterable, Sendable {
  /// Portable C: the reference that the others are tested against.
  case plain
  /// x86-64 with AVX2, FMA and F16C.
  case avx2
  /// AArch64 with dot products.
  case neon

  /// The best one that this machine can run; the environment's `FMADAPTER_CPU=plain` forces the reference.
  package static let current = CPUVariant(ck_cpu_detect())

  private init(_ cpu: ck_cpu) {
    switch cpu {
    case CK_CPU_AVX2: self = .avx2
    case CK_CPU_NEON: self = .neon
    default: self = .plain
    }
  }

  var code: ck_cpu {
    switch self {
    case .plain: CK_CPU_PLAIN
    case .avx2: CK_CPU_AVX2
    case .neon: CK_CPU_NEON
    }
  }
}
