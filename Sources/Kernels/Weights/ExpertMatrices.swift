/// A gated feed-forward network in several copies, of which each row takes a few; Shazeer and others 2017.
package struct ExpertMatrices: Sendable {
  /// What chooses, `(experts, width)`.
  package let router: WeightMatrix
  /// `(hidden width, width)` of each expert.
  package let gate: [WeightMatrix]
  /// `(hidden width, width)` of each expert.
  package let up: [WeightMatrix]
  /// `(width, hidden width)` of each expert.
  package let down: [WeightMatrix]
  /// Experts that a row takes.
  package let used: Int
  /// Whether the weights of a row's experts add up to 1; else they are their shares of the softmax over all.
  package let normalizes: Bool
  /// What the weight of each expert is then multiplied by, `(experts)`; nil for 1.
  package let scales: [Float]?

  package init(
    router: WeightMatrix, gate: [WeightMatrix], up: [WeightMatrix], down: [WeightMatrix], used: Int,
    normalizes: Bool, scales: [Float]? = nil
  ) {
    precondition((1...router.rows).contains(used), "so many experts are not there")
    precondition([gate, up, down].allSatisfy { $0.count == router.rows }, "experts are missing")
    precondition((gate + up).allSatisfy { $0.columns == router.columns }, "of another width")
    precondition(down.allSatisfy { $0.columns == gate[0].rows }, "of another width")
    precondition(scales == nil || scales?.count == router.rows, "scales are missing")
    (self.router, self.gate, self.up, self.down) = (router, gate, up, down)
    (self.used, self.normalizes, self.scales) = (used, normalizes, scales)
  }

  /// How many there are.
  package var count: Int { gate.count }
  /// Width inside each.
  package var hiddenWidth: Int { gate[0].rows }
}
