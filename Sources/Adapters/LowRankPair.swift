public import Kernels

/// The two factors of the update of one projection: y = W x + scale · B (A x).
public struct LowRankPair: Sendable {
  /// A `(rank, in)` in Float16, row by row.
  public let a: TensorBytes
  /// B `(out, rank)` in Float16, row by row.
  public let b: TensorBytes
  /// Columns of B and rows of A.
  public let rank: Int
  /// Shape of the projection, `(out, in)`.
  public let shape: MatrixShape

  /// Pairs `a` and `b`, whose sizes have to be those of `rank` and `shape`.
  public init(a: TensorBytes, b: TensorBytes, rank: Int, shape: MatrixShape) {
    precondition(a.count == 2 * rank * shape.columns && b.count == 2 * rank * shape.rows)
    self.a = a
    self.b = b
    self.rank = rank
    self.shape = shape
  }
}
