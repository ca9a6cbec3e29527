import Kernels

/// What the values of one low-rank pair tell.
struct PairStatistics: Sendable {
  let a: AdapterTensor
  let b: AdapterTensor
  /// Index of A among the blobs; B follows it.
  let blob: Int
  let aScan: HalfScan
  let bScan: HalfScan
  /// Frobenius norm of (alpha / rank) · B A; nil when not asked for, or when a value is not finite.
  let norm: Double?

  /// Scans both factors; computes the norm when there is a `scale`.
  init(
    a: AdapterTensor, b: AdapterTensor, blob: Int, aBytes: TensorBytes, bBytes: TensorBytes,
    scale: Double?
  ) {
    self.a = a
    self.b = b
    self.blob = blob
    aScan = HalfScan(aBytes)
    bScan = HalfScan(bBytes)
    guard let scale, aScan.isFinite, bScan.isFinite else {
      norm = nil
      return
    }
    norm = scale * lowRankNorm(a: aBytes, b: bBytes, rank: a.shape.rows)
  }
}
