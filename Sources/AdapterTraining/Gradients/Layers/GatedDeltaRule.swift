import Kernels
import LanguageModels

/// A gated delta rule over sequences, and the convolution in front of it, whose numbers are frozen; Yang, Kautz and
/// Hatamizadeh 2024.
struct GatedDeltaRule {
  let constants: DeltaConstants
  let shape: DeltaShape
  /// Rows that see each other.
  let segments: [Range<Int>]
  let operations: Operations

  /// What the gradient needs of a forward step.
  struct Tape {
    /// What matrices gave.
    let given: DeltaValues
    /// What the rule read.
    let read: DeltaValues
  }

  /// `(rows, value width)`.
  func forward(
    _ given: DeltaValues, _ stop: Stop = {}
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: Tape) {
    var y = FloatMatrix(rows: given.channels.rows, columns: shape.valueWidth)
    var read = DeltaValues(shape, rows: y.rows)
    for segment in segments {
      try stop()
      let part = operations.deltaInput(given.rows(segment), constants, shape)
      y.add(operations.delta(part, shape), atRow: segment.lowerBound, column: 0)
      read.add(part, atRow: segment.lowerBound)
    }
    return (y, Tape(given: given, read: read))
  }

  /// The gradient of what matrices gave from that of the result.
  func backward(
    _ dy: FloatMatrix, _ tape: Tape, _ stop: Stop = {}
  ) throws(BaseModelError) -> DeltaValues {
    var result = DeltaValues(shape, rows: dy.rows)
    for segment in segments {
      try stop()
      var part = operations.deltaGradient(
        dy.part(rows: segment, columns: 0..<dy.columns), tape.read.rows(segment), shape)
      let (given, read) = (tape.given.rows(segment), tape.read.rows(segment))
      part.channels = channels(part.channels, given.channels)
      gates(&part, given, read)
      result.add(part, atRow: segment.lowerBound)
    }
    return result
  }

  /// kept = exp(rate · softplus(x + bias)) and added = sigmoid(x).
  private func gates(_ part: inout DeltaValues, _ given: DeltaValues, _ read: DeltaValues) {
    let (rate, bias) = (constants.rate.values, constants.bias.values)
    for index in part.kept.values.indices {
      let head = index % shape.valueHeads
      let x = given.kept.values[index] + bias[head]
      part.kept.values[index] *=
        read.kept.values[index] * rate[head] / (1 + Mathematics.exponential(-x))
      let added = read.added.values[index]
      part.added.values[index] *= added * (1 - added)
    }
  }

  /// The gradient of what the convolution was given: back through the lengths of queries and keys, silu, and sums over rows.
  private func channels(_ dy: FloatMatrix, _ given: FloatMatrix) -> FloatMatrix {
    let sums = sums(given)
    var bent = FloatMatrix(rows: dy.rows, columns: dy.columns)
    for index in bent.values.indices {
      let x = sums.values[index]
      bent.values[index] = x / (1 + Mathematics.exponential(-x))
    }
    var gradient = dy
    lengths(&gradient, bent)
    for index in gradient.values.indices {
      let share = 1 / (1 + Mathematics.exponential(-sums.values[index]))
      gradient.values[index] *= share * (1 + sums.values[index] * (1 - share))
    }
    let (taps, columns) = (constants.kernel.count / shape.channels, shape.channels)
    var result = FloatMatrix(rows: dy.rows, columns: columns)
    let (kernel, source) = (constants.kernel.values, gradient.values.span)
    var target = result.values.mutableSpan
    for row in 0..<dy.rows {
      for later in row..<min(row + taps, dy.rows) {
        let weight = (taps - 1 - later + row) * columns
        for column in 0..<columns {
          target[row * columns + column] +=
            kernel[weight + column] * source[later * columns + column]
        }
      }
    }
    return result
  }

  /// y = factor · x / |x| of the heads of queries and keys: dx = factor (dy - x (x · dy) / |x|²) / |x|.
  private func lengths(_ dy: inout FloatMatrix, _ x: FloatMatrix) {
    let (size, columns) = (shape.keySize, x.columns)
    for row in 0..<x.rows {
      for start in stride(from: row * columns, to: row * columns + 2 * shape.keyWidth, by: size) {
        let isQuery = start - row * columns < shape.keyWidth
        let head = start..<start + size
        let square = head.reduce(Float(1e-6)) { $0 + x.values[$1] * x.values[$1] }
        let product = head.reduce(Float(0)) { $0 + x.values[$1] * dy.values[$1] }
        let scale = 1 / (square * (isQuery ? Float(size) : 1)).squareRoot()
        for index in head {
          dy.values[index] = scale * (dy.values[index] - x.values[index] * product / square)
        }
      }
    }
  }

  /// What the convolution sums.
  private func sums(_ x: FloatMatrix) -> FloatMatrix {
    let (taps, columns) = (constants.kernel.count / shape.channels, shape.channels)
    var result = FloatMatrix(rows: x.rows, columns: columns)
    let (kernel, source) = (constants.kernel.values, x.values.span)
    var target = result.values.mutableSpan
    for row in 0..<x.rows {
      for earlier in max(0, row + 1 - taps)...row {
        let weight = (taps - 1 - row + earlier) * columns
        for column in 0..<columns {
          target[row * columns + column] +=
            kernel[weight + column] * source[earlier * columns + column]
        }
      }
    }
    return result
  }
}
