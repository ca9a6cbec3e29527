import Testing

@testable import Kernels

@Suite struct CPUVariantTests {
  /// A name is taken where the machine can run it; where it cannot, or nothing is named, the best one is.
  @Test(arguments: CPUVariant.allCases.map(\.rawValue) + ["", "AVX2", "avx512", "plain "])
  func namesChoose(name: String) throws {
    let best = try #require(CPUVariant.available.last)
    let named = CPUVariant.available.first { $0.rawValue == name }
    #expect(CPUVariant.named(name) == named ?? best)
    #expect(CPUVariant.named(nil) == best)
  }

  /// The reference runs everywhere, and nothing runs what is for another architecture.
  @Test func availableVariants() {
    let available = CPUVariant.available
    #expect(available.first == .plain)
    #if arch(x86_64)
      #expect(!available.contains(.neon))
      // Each extends the one before it.
      #expect(!available.contains(.avx512vnni) || available.contains(.avx2))
    #else
      #expect(!available.contains(.avx2) && !available.contains(.avx512vnni))
    #endif
  }

  /// Tiles that other kernels read would give other numbers.
  @Test func tileRows() {
    for variant in CPUVariant.allCases {
      for type in TensorType.allCases where WeightMatrix.hasTiles(type) {
        #expect([8, 16].contains(variant.tileRows(type)))
        #expect(variant == .avx512vnni || variant.tileRows(type) == 8)
      }
    }
  }
}
