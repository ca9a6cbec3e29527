import Kernels
import LanguageModels
import Tokenization

/// Cross-entropy of the tokens that follow, over logits = W x with frozen weights.
///
/// Logits of a large vocabulary take more room than all else, so they are made for a few rows at a time, and the weights a
/// block of the vocabulary at a time.
struct OutputHead {
  /// `(vocabulary, width)`.
  let weights: WeightMatrix
  /// The factor of the logits and their cap.
  let scales: ModelScales
  let operations: Operations
  /// Values of logits that are held at once.
  var room = 8 << 20

  private static let blockRows = 2048

  /// Sums of -log softmax(W x)[target] over the rows of `x`, `(targets, width)`.
  struct Loss {
    var sum: Double
    /// The loss of each row.
    var rows: [Double] = []
    /// The gradient of `x` when each row counts `weight`; nil when it was not asked for.
    var gradient: FloatMatrix?
  }

  /// The loss of each row's target, and, when `weight` is given, the gradient of `x` from weight · sum.
  func loss(
    _ x: FloatMatrix, targets: [Token], weight: Float?, _ stop: Stop = {}
  ) throws(BaseModelError) -> Loss {
    precondition(x.rows == targets.count, "a target for each row")
    var loss = Loss(
      sum: 0, gradient: weight.map { _ in FloatMatrix(rows: x.rows, columns: x.columns) })
    let step = max(1, min(x.rows, room / max(weights.rows, 1)))
    for first in stride(from: 0, to: x.rows, by: step) {
      try stop()
      let rows = first..<min(first + step, x.rows)
      let part = x.view(rows: rows, columns: 0..<x.columns)
      var logits = blocks.map { self.logits(part, $0) }
      let slopes = logits.map(slope)
      let losses = softmax(&logits, Array(targets[rows]))
      loss.sum += losses.reduce(0, +)
      loss.rows += losses
      guard let weight else { continue }
      for index in logits.indices { bend(&logits[index], slopes[index]) }
      for (block, gradient) in zip(blocks, logits) {
        let factor = weight * scales.logits
        if var sum = loss.gradient {
          loss.gradient = nil
          operations.addProduct(
            gradient, block, times: factor, to: &sum, atRow: first)
          loss.gradient = sum
        }
      }
    }
    return loss
  }

  private func logits(_ x: FloatView, _ weights: WeightMatrix) -> FloatMatrix {
    var logits = operations.product(x, weights, turned: true, times: scales.logits)
    if let cap = scales.logitCap { logits.cap(at: cap) }
    return logits
  }

  /// 1 - (logit / cap)², the slope of the cap; nil without one.
  private func slope(_ logits: FloatMatrix) -> [Float]? {
    scales.logitCap.map { cap in logits.values.map { 1 - $0 / cap * ($0 / cap) } }
  }

  private func bend(_ gradient: inout FloatMatrix, _ slope: [Float]?) {
    guard let slope else { return }
    for index in slope.indices { gradient.values[index] *= slope[index] }
  }

  private var blocks: [WeightMatrix] {
    stride(from: 0, to: weights.rows, by: Self.blockRows).map { first in
      weights.slice(rows: first..<min(first + Self.blockRows, weights.rows))
    }
  }

  /// Puts softmax - 1 at the target in the place of the logits, and gives the losses.
  private func softmax(_ logits: inout [FloatMatrix], _ targets: [Token]) -> [Double] {
    var losses: [Double] = []
    for (row, target) in targets.enumerated() {
      let (block, column) = Int(target).quotientAndRemainder(dividingBy: Self.blockRows)
      let wanted = logits[block].values[row * logits[block].columns + column]
      let most = logits.map { $0.values[$0.range(row)].max() ?? -.infinity }.max() ?? 0
      var sum = 0.0
      for index in logits.indices { sum += exponentials(&logits[index], row, most) }
      for index in logits.indices { divide(&logits[index], row, Float(sum)) }
      logits[block].values[row * logits[block].columns + column] -= 1
      losses.append(
        Double(Mathematics.logarithm(Float(sum))) + Double(most) - Double(wanted))
    }
    return losses
  }

  private func exponentials(_ block: inout FloatMatrix, _ row: Int, _ most: Float) -> Double {
    let range = block.range(row)
    var values = block.values.mutableSpan
    var sum = 0.0
    for index in range {
      values[index] = Mathematics.exponential(values[index] - most)
      sum += Double(values[index])
    }
    return sum
  }

  private func divide(_ block: inout FloatMatrix, _ row: Int, _ sum: Float) {
    let range = block.range(row)
    var values = block.values.mutableSpan
    for index in range { values[index] /= sum }
  }
}
