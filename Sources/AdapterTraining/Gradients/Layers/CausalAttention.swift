import Kernels
import LanguageModels

/// Causal attention within segments, query heads sharing the heads of keys and values in groups.
struct CausalAttention {
  /// Rows that see each other, and those before them.
  let segments: [RowSegment]
  /// Query heads.
  let heads: Int
  /// Heads of keys and values; a divisor of `heads`.
  let keyValueHeads: Int
  /// Values per head.
  let headSize: Int
  /// The factor of scores, and what a row sees.
  let rule: AttentionRule
  let operations: Operations

  /// One head of one segment.
  private struct Part {
    let segment: RowSegment
    let query: Range<Int>
    let keyValue: Range<Int>

    var rows: Range<Int> { segment.rows }
    /// A matrix of zeros with a column for each row that is seen, `(rows, start + rows)`.
    var zeros: FloatMatrix { FloatMatrix(rows: rows.count, columns: segment.start + rows.count) }
  }

  private var parts: [Part] {
    segments.flatMap { segment in
      (0..<heads).map { head in
        let shared = head / (heads / keyValueHeads)
        return Part(
          segment: segment, query: head * headSize..<(head + 1) * headSize,
          keyValue: shared * headSize..<(shared + 1) * headSize)
      }
    }
  }

  /// For each row and head, the values of the rows up to it, weighted by softmax(scale · q · k).
  func forward(
    query: FloatMatrix, key: FloatMatrix, value: FloatMatrix, _ stop: Stop = {}
  ) throws(BaseModelError) -> FloatMatrix {
    var result = FloatMatrix(rows: query.rows, columns: query.columns)
    for part in parts {
      try stop()
      let weights = softmax(scores(part, query, key), from: part.segment.start)
      for (column, rows) in part.segment.seen {
        operations.addProduct(
          weights.view(columns: column..<column + rows.count),
          value.view(rows: rows, columns: part.keyValue),
          to: &result, atRow: part.rows.lowerBound, column: part.query.lowerBound)
      }
    }
    return result
  }

  /// Adds the gradients of queries, keys and values, from that of the result, to those given.
  func backward(
    _ dy: FloatMatrix, query: FloatMatrix, key: FloatMatrix, value: FloatMatrix,
    dQuery: inout FloatMatrix, dKey: inout FloatMatrix, dValue: inout FloatMatrix,
    _ stop: Stop = {}
  ) throws(BaseModelError) {
    for part in parts {
      try stop()
      let (row, head, shared) = (
        part.rows.lowerBound, part.query.lowerBound, part.keyValue.lowerBound
      )
      let q = query.view(rows: part.rows, columns: part.query)
      let d = dy.view(rows: part.rows, columns: part.query)
      let scores = scores(part, query, key)
      let weights = softmax(scores, from: part.segment.start)
      var dWeights = part.zeros
      for (column, rows) in part.segment.seen {
        let own = weights.view(columns: column..<column + rows.count)
        operations.addProduct(
          own.turned, d, to: &dValue, atRow: rows.lowerBound, column: shared)
        operations.addProduct(
          d, value.view(rows: rows, columns: part.keyValue).turned, to: &dWeights, column: column)
      }
      let gradient = scoreGradient(scores, weights, dWeights, from: part.segment.start)
      for (column, rows) in part.segment.seen {
        let own = gradient.view(columns: column..<column + rows.count)
        operations.addProduct(
          own, key.view(rows: rows, columns: part.keyValue), to: &dQuery, atRow: row, column: head)
        operations.addProduct(own.turned, q, to: &dKey, atRow: rows.lowerBound, column: shared)
      }
    }
  }

  /// scale · q · k, capped where the model does so.
  private func scores(_ part: Part, _ query: FloatMatrix, _ key: FloatMatrix) -> FloatMatrix {
    var scores = part.zeros
    for (column, rows) in part.segment.seen {
      operations.addProduct(
        query.view(rows: part.rows, columns: part.query),
        key.view(rows: rows, columns: part.keyValue).turned, times: rule.scale, to: &scores,
        column: column)
    }
    if let cap = rule.cap { scores.cap(at: cap) }
    return scores
  }

  /// The positions that `position` sees.
  private func seen(_ position: Int) -> ClosedRange<Int> {
    max(0, position + 1 - (rule.window ?? position + 1))...position
  }

  /// Weights of what each row sees, the first of which is at the position `first`; zero for all else.
  private func softmax(_ scores: FloatMatrix, from first: Int) -> FloatMatrix {
    var weights = FloatMatrix(rows: scores.rows, columns: scores.columns)
    let count = scores.columns
    let source = scores.values.span
    var values = weights.values.mutableSpan
    for row in 0..<scores.rows {
      let (seen, start) = (seen(first + row), row * count)
      var most = -Float.infinity
      for index in seen { most = max(most, source[start + index]) }
      var sum: Float = 0
      for index in seen {
        values[start + index] = Mathematics.exponential(source[start + index] - most)
        sum += values[start + index]
      }
      for index in seen { values[start + index] /= sum }
    }
    return weights
  }

  /// The gradient of q · k from that of the weights: scale · w (dw - Σ w dw), times 1 - (score / cap)² under a cap.
  private func scoreGradient(
    _ scores: FloatMatrix, _ weights: FloatMatrix, _ gradient: FloatMatrix, from first: Int
  ) -> FloatMatrix {
    var result = FloatMatrix(rows: weights.rows, columns: weights.columns)
    let count = weights.columns
    let (w, dw, capped) = (weights.values.span, gradient.values.span, scores.values.span)
    let inverse = rule.cap.map { 1 / $0 } ?? 0
    var values = result.values.mutableSpan
    for row in 0..<weights.rows {
      let (seen, start) = (seen(first + row), row * count)
      var sum: Float = 0
      for index in seen { sum += w[start + index] * dw[start + index] }
      for index in seen {
        let tangent = capped[start + index] * inverse
        values[start + index] =
          w[start + index] * (dw[start + index] - sum) * rule.scale * (1 - tangent * tangent)
      }
    }
    return result
  }
}

extension FloatMatrix {
  /// All rows of some columns.
  fileprivate func view(columns: Range<Int>) -> FloatView {
    view(rows: 0..<rows, columns: columns)
  }

  /// Each value becomes cap · tanh(value / cap).
  mutating func cap(at cap: Float) {
    var values = values.mutableSpan
    for index in values.indices {
      values[index] = cap * Mathematics.tangent(values[index] / cap)
    }
  }
}
