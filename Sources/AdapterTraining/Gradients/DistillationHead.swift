import Kernels
import LanguageModels

/// How far a draft's probabilities q are from the p of its teacher; Kullback and Leibler 1951.
public enum DistillationLoss: String, CaseIterable, Sendable {
  /// Σ q log (q / p), as in Apple's toolkit: the draft learns to say nothing that the teacher would not.
  case reverse = "reverse-kl"
  /// Σ p log (p / q): the draft learns to cover all that the teacher would say.
  case forward = "forward-kl"
}

/// What a teacher would say, at each of some places in a text.
struct TeacherRows: Sendable, Equatable {
  /// Logarithms of its probabilities among the draft's outputs alone, `(places, outputs)`.
  var logarithms: FloatMatrix
  /// The output of its likeliest token of all; nil where the draft has none.
  var best: [Int?]
}

/// The divergence of a teacher from the logits W x of a draft, and its gradients.
struct DistillationHead {
  /// `(outputs, width)`.
  let weights: FloatMatrix
  let loss: DistillationLoss
  let operations: Operations
  /// Values of logits that are held at once.
  var room = 8 << 20

  /// What came of some rows.
  struct Result {
    /// Sum of the divergences, in nats.
    var sum = 0.0
    /// For each row, whether the draft's likeliest token is the teacher's.
    var agrees: [Bool] = []
    /// Of the states, from weight · sum, `(rows, width)`; nil when it was not asked for.
    var gradient: FloatMatrix?
  }

  /// The divergence at each row of `x`; when `weight` is given, the gradient of `x`, and that of the weights is added to
  /// `sum`.
  func run(
    _ x: FloatMatrix, _ teacher: TeacherRows, weight: Float?, _ sum: inout FloatMatrix,
    _ stop: Stop = {}
  ) throws(BaseModelError) -> Result {
    precondition(x.rows == teacher.best.count, "a place of the teacher for each row")
    var result = Result()
    result.gradient = weight.map { _ in FloatMatrix(rows: x.rows, columns: x.columns) }
    let step = max(1, min(x.rows, room / max(weights.rows, 1)))
    for first in stride(from: 0, to: x.rows, by: step) {
      try stop()
      let rows = first..<min(first + step, x.rows)
      let part = x.view(rows: rows, columns: 0..<x.columns)
      var logits = operations.product(part, weights.turned)
      for row in rows {
        let place = row - first
        let agrees = Self.best(logits, place) == teacher.best[row]
        result.agrees.append(agrees)
        result.sum += judge(&logits, place, teacher.logarithms, row)
      }
      guard let weight else { continue }
      logits.multiply(by: weight)
      result.gradient?.add(operations.product(logits, weights), atRow: first, column: 0)
      operations.addProduct(logits.turned, part, to: &sum)
    }
    return result
  }

  /// The place of the largest value of a row, the lowest of several.
  private static func best(_ logits: FloatMatrix, _ row: Int) -> Int {
    let range = logits.range(row)
    let values = logits.values.span
    var best = range.lowerBound
    for index in range where values[index] > values[best] { best = index }
    return best - range.lowerBound
  }

  /// Puts the gradient of the divergence in the place of the logits of a row, and gives the divergence.
  ///
  /// With the logarithms l of q and t of p the gradients are q (l - t - loss), and q - p.
  private func judge(
    _ logits: inout FloatMatrix, _ row: Int, _ teacher: FloatMatrix, _ place: Int
  ) -> Double {
    let (range, other) = (logits.range(row), teacher.range(place).lowerBound)
    let targets = teacher.values.span
    var values = logits.values.mutableSpan
    let shift = Self.logarithmOfSum(values, range)
    var loss = 0.0
    for index in range {
      let (own, target) = (values[index] - shift, targets[other + index - range.lowerBound])
      let weight = Mathematics.exponential(self.loss == .reverse ? own : target)
      loss += Double(weight) * Double(self.loss == .reverse ? own - target : target - own)
    }
    for index in range {
      let (own, target) = (values[index] - shift, targets[other + index - range.lowerBound])
      let q = Mathematics.exponential(own)
      values[index] =
        self.loss == .reverse
        ? q * (own - target - Float(loss)) : q - Mathematics.exponential(target)
    }
    return loss
  }

  private static func logarithmOfSum(_ values: borrowing MutableSpan<Float>, _ range: Range<Int>)
    -> Float
  {
    var most = -Float.infinity
    for index in range { most = max(most, values[index]) }
    var sum = 0.0
    for index in range { sum += Double(Mathematics.exponential(values[index] - most)) }
    return most + Mathematics.logarithm(Float(sum))
  }
}
