import CKernels
package import SystemFiles

/// What one pass over Float16 values finds.
package struct HalfScan: Sendable, Equatable {
  /// Number of values that are not a number.
  package let nanCount: Int
  /// Index of the first of them.
  package let firstNaN: Int?
  /// Number of infinite values.
  package let infinityCount: Int
  /// Index of the first of them.
  package let firstInfinity: Int?
  /// The largest finite magnitude, 0 when every finite value is zero.
  package let maximum: Float

  /// Scans `bytes` as little-endian Float16; an odd last byte is left out.
  package init(_ bytes: TensorBytes) {
    let scan = unsafe bytes.withUnsafeBytes {
      unsafe ck_scan_half($0.baseAddress, Int64($0.count / 2))
    }
    nanCount = Int(scan.nan_count)
    firstNaN = scan.nan_count > 0 ? Int(scan.first_nan) : nil
    infinityCount = Int(scan.infinity_count)
    firstInfinity = scan.infinity_count > 0 ? Int(scan.first_infinity) : nil
    maximum = HalfScan.float(scan.maximum)
  }

  /// Whether no value is infinite or not a number.
  package var isFinite: Bool { nanCount == 0 && infinityCount == 0 }

  /// Whether every value is zero.
  package var isZero: Bool { isFinite && maximum == 0 }

  /// The value of the non-negative finite half with these bits.
  private static func float(_ bits: UInt16) -> Float {
    let exponent = Int(bits >> 10)
    let fraction = Float(bits & 0x3FF) / 1024
    return exponent == 0
      ? Float(sign: .plus, exponent: -14, significand: fraction)
      : Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
  }
}

/// Frobenius norm of B A for `a` `(rank, in)` and `b` `(out, rank)` in Float16, not smaller than zero.
///
/// The product is never formed: its squared norm is the sum over all elements of (A Aᵀ) ∘ (Bᵀ B), two
/// `(rank, rank)` matrices.
///
/// `plain` asks for the portable kernel, which the others are tested against.
///
/// - Complexity: O(rank² · (in + out)).
package func lowRankNorm(
  a: TensorBytes, b: TensorBytes, rank: Int, plain: Bool = false
) -> Double {
  precondition(rank > 0 && a.count.isMultiple(of: 2 * rank) && b.count.isMultiple(of: 2 * rank))
  let width = Int(ck_gram_width(Int64(rank)))
  let cpu = plain ? CK_CPU_PLAIN : ck_cpu_detect()
  let left = gram(a, rank: rank, width: width, transposed: true, cpu)
  let right = gram(b, rank: rank, width: width, transposed: false, cpu)
  var sum = 0.0
  for row in 0..<rank {
    sum += left[row * width + row] * right[row * width + row]
    for column in row + 1..<rank {
      sum += 2 * left[row * width + column] * right[row * width + column]
    }
  }
  return max(sum, 0).squareRoot()
}

private func gram(
  _ values: TensorBytes, rank: Int, width: Int, transposed: Bool, _ cpu: ck_cpu
) -> [Double] {
  var gram = [Double](repeating: 0, count: width * width)
  var block = [Float](repeating: 0, count: Int(CK_GRAM_ROWS) * width)
  var sums = [Float](repeating: 0, count: width * width)
  unsafe values.withUnsafeBytes { values in
    unsafe ck_half_gram(
      cpu, values.baseAddress, Int64(values.count / 2 / rank), Int64(rank),
      transposed ? 1 : 0, &block, &sums, &gram)
  }
  return gram
}
