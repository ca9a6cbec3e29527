/// Rows of a batch that an adapter is for; they may change between two runs of a plan.
package final class RowRange {
  /// The rows, which may be none.
  package var rows: Range<Int>

  package init(_ rows: Range<Int>) { self.rows = rows }
}

/// A low-rank addition to a product: y += scale · B u, where u = A x has been computed before.
package struct LowRankAddition {
  /// `(outputs, rank)`, F16 or rounded.
  package let b: WeightMatrix
  /// `(batch, rank)`.
  package let u: Activations
  /// Factor of the whole addition.
  package let scale: Float
  /// Rows of the batch that it is for; all if nil.
  package let rows: RowRange?

  package init(b: WeightMatrix, u: Activations, scale: Float, rows: RowRange? = nil) {
    precondition(b.type == .f16 || b.isRounded, "B is F16 or rounded")
    precondition(u.columns == b.columns, "B is of the rank of u")
    (self.b, self.u, self.scale, self.rows) = (b, u, scale, rows)
  }
}

/// One product y = W x + bias + additions, or y += that.
package struct Product {
  /// `(outputs, inputs)`.
  package var weights: WeightMatrix
  /// `(outputs)`.
  package var bias: FloatVector?
  /// Updates by adapters, in the order in which they are added.
  package var additions: [LowRankAddition] = []
  /// `(batch, outputs)`.
  package var output: Activations
  /// Adds to `output` instead of replacing it.
  package var accumulates = false
  /// Rows of the batch that it is for; all if nil.
  package var rows: RowRange?
  /// Leaves `output` rounded to 8 bits too, for weights that multiply it next.
  package var roundsOutput = false

  package init(
    _ weights: WeightMatrix, bias: FloatVector? = nil, additions: [LowRankAddition] = [],
    into output: Activations, accumulates: Bool = false, rows: RowRange? = nil,
    roundsOutput: Bool = false
  ) {
    precondition(output.columns == weights.rows, "output of another width")
    precondition(bias.map { $0.count == weights.rows } ?? true, "bias of another width")
    precondition(additions.allSatisfy { $0.b.rows == weights.rows }, "addition of another width")
    (self.weights, self.bias, self.additions) = (weights, bias, additions)
    precondition(!roundsOutput || WeightMatrix.canRound(columns: weights.rows), "no whole blocks")
    (self.output, self.accumulates, self.rows) = (output, accumulates, rows)
    self.roundsOutput = roundsOutput
  }
}
