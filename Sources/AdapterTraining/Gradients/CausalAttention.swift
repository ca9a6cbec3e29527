import Kernels
import LanguageModels

/// Causal attention within segments, query heads sharing the heads of keys and values in groups.
struct CausalAttention {
  /// Rows that see each other.
  let segments: [Range<Int>]
  /// Query heads.
  let heads: Int
  /// Heads of keys and values; a divisor of `heads`.
  let keyValueHeads: Int
  /// Values per head.
  let headSize: Int
  let operations: Operations

  private var scale: Float { 1 / Float(headSize).squareRoot() }

  /// One head of one segment, all `(rows, head size)`.
  private struct Part {
    let rows: Range<Int>
    let query: Range<Int>
    let keyValue: Range<Int>
  }

  private var parts: [Part] {
    segments.flatMap { rows in
      (0..<heads).map { head in
        let shared = head / (heads / keyValueHeads)
        return Part(
          rows: rows, query: head * headSize..<(head + 1) * headSize,
          keyValue: shared * headSize..<(shared + 1) * headSize)
      }
    }
  }

  /// For each row and head, the values of the rows up to it, weighted by softmax(q · k / √size).
  func forward(
    query: FloatMatrix, key: FloatMatrix, value: FloatMatrix, _ stop: Stop = {}
  ) throws(LanguageModelError) -> FloatMatrix {
    var result = FloatMatrix(rows: query.rows, columns: query.columns)
    for part in parts {
      try stop()
      let weights = weights(part, query, key)
      let v = value.part(rows: part.rows, columns: part.keyValue)
      result.add(
        operations.product(weights, v.transposed()), atRow: part.rows.lowerBound,
        column: part.query.lowerBound)
    }
    return result
  }

  /// Adds the gradients of queries, keys and values, from that of the result, to those given.
  func backward(
    _ dy: FloatMatrix, query: FloatMatrix, key: FloatMatrix, value: FloatMatrix,
    dQuery: inout FloatMatrix, dKey: inout FloatMatrix, dValue: inout FloatMatrix,
    _ stop: Stop = {}
  ) throws(LanguageModelError) {
    for part in parts {
      try stop()
      let (row, head, shared) = (
        part.rows.lowerBound, part.query.lowerBound, part.keyValue.lowerBound
      )
      let q = query.part(rows: part.rows, columns: part.query)
      let k = key.part(rows: part.rows, columns: part.keyValue)
      let v = value.part(rows: part.rows, columns: part.keyValue)
      let d = dy.part(rows: part.rows, columns: part.query)
      let weights = weights(part, query, key)
      dValue.add(
        operations.product(weights.transposed(), d.transposed()), atRow: row, column: shared)
      let scores = scoreGradient(weights, operations.product(d, v))
      dQuery.add(operations.product(scores, k.transposed()), atRow: row, column: head)
      dKey.add(
        operations.product(scores.transposed(), q.transposed()), atRow: row, column: shared)
    }
  }

  /// softmax(q · k / √size) of the rows up to each; zero for those after it.
  private func weights(_ part: Part, _ query: FloatMatrix, _ key: FloatMatrix) -> FloatMatrix {
    var scores = operations.product(
      query.part(rows: part.rows, columns: part.query),
      key.part(rows: part.rows, columns: part.keyValue))
    let count = scores.columns
    let scale = scale
    var values = scores.values.mutableSpan
    for row in 0..<count {
      let start = row * count
      var most = -Float.infinity
      for index in start...start + row { most = max(most, values[index] * scale) }
      var sum: Float = 0
      for index in start...start + row {
        values[index] = Mathematics.exponential(values[index] * scale - most)
        sum += values[index]
      }
      for index in start...start + row { values[index] /= sum }
      for index in start + row + 1..<start + count { values[index] = 0 }
    }
    return scores
  }

  /// The gradient of q · k from that of the weights: w (dw - Σ w dw) / √size.
  private func scoreGradient(_ weights: FloatMatrix, _ gradient: FloatMatrix) -> FloatMatrix {
    var result = gradient
    let count = weights.columns
    let w = weights.values.span
    let scale = scale
    var values = result.values.mutableSpan
    for row in 0..<count {
      let start = row * count
      var sum: Float = 0
      for index in start...start + row { sum += w[index] * values[index] }
      for index in start...start + row { values[index] = w[index] * (values[index] - sum) * scale }
      for index in start + row + 1..<start + count { values[index] = 0 }
    }
    return result
  }
}
