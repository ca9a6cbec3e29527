import Kernels
import LanguageModels

/// y = W x + bias + scale · B (A x), where W and the bias may be quantized, and are frozen but in a small model of our own.
///
/// With dropout, A gets x without some of its values. Rows that the adapter does not act on are those of the base.
struct AdaptedLinear {
  /// `(outputs, inputs)`.
  let weights: WeightMatrix
  /// `(outputs)`.
  let bias: FloatVector?
  /// alpha / rank.
  let scale: Float
  var dropout: Dropout?
  /// 1 for rows that the adapter acts on, 0 for others; nil where it acts on all.
  var active: [Float]?
  let operations: Operations

  /// What the gradient needs of a forward step.
  struct Tape {
    /// What was multiplied, `(rows, inputs)`.
    let x: FloatMatrix
    /// A x, `(rows, rank)`; nil without an adapter.
    let u: FloatMatrix?
    /// What each value of x was multiplied by on its way into A; nil without dropout.
    var mask: FloatMatrix?
  }

  func forward(_ x: FloatMatrix, _ pair: FactorPair?) -> (y: FloatMatrix, tape: Tape) {
    var y = operations.roundedProduct(x, weights, turned: true)
    if let bias { y.addToRows(bias.values) }
    guard let pair else { return (y, Tape(x: x, u: nil)) }
    let mask = dropout?.mask(rows: x.rows, columns: x.columns)
    var u = operations.product(x.multiplied(by: mask), pair.a.turned)
    if let active { u.multiplyRows(by: active) }
    operations.addProduct(u, pair.b.turned, times: scale, to: &y)
    return (y, Tape(x: x, u: u, mask: mask))
  }

  /// The gradient of x; those of what is learnt are added to `gradient`.
  func backward(
    _ dy: FloatMatrix, _ tape: Tape, _ pair: FactorPair?, gradient: inout LinearGradient
  ) -> FloatMatrix {
    var dx = operations.roundedProduct(dy, weights)
    if var sum = gradient.weights {
      gradient.weights = nil
      operations.addProduct(dy.turned, tape.x, to: &sum)
      gradient.weights = sum
    }
    gradient.bias?.addRows(of: dy)
    guard let pair, let u = tape.u, var sum = gradient.pair else { return dx }
    gradient.pair = nil
    var du = operations.product(dy, pair.b, times: scale)
    if let active { du.multiplyRows(by: active) }
    // Turned, as reading the columns of dy would miss the cache at every value.
    sum.b.add(operations.product(u.turned, dy, times: scale).transposed())
    operations.addProduct(du.turned, tape.x.multiplied(by: tape.mask), to: &sum.a)
    if let mask = tape.mask {
      dx.add(operations.product(du, pair.a).multiplied(by: mask))
    } else {
      operations.addProduct(du, pair.a, to: &dx)
    }
    gradient.pair = sum
    return dx
  }
}

/// Leaves out values at random, and makes the others larger by as much; Srivastava and others 2014.
///
/// What is left out follows from the seed and from how many values were asked for before.
final class Dropout {
  /// Share of the values that are left out, 0 up to 1.
  private let share: Double
  private var random: SplitMix64

  init(_ share: Double, seed: UInt64) {
    (self.share, random) = (share, SplitMix64(seed: seed))
  }

  /// Another one that will leave out the same.
  var copy: Dropout { Dropout(share, random) }

  private init(_ share: Double, _ random: SplitMix64) {
    (self.share, self.random) = (share, random)
  }

  /// What to multiply values by.
  func mask(rows: Int, columns: Int) -> FloatMatrix {
    let kept = Float(1 / (1 - share))
    return FloatMatrix(
      rows: rows, columns: columns,
      values: (0..<rows * columns).map { _ in random.unit() < share ? 0 : kept })
  }
}

/// The gradients of a projection, as far as they are learnt; nil for what is frozen.
struct LinearGradient {
  /// Of the adapter's factors.
  var pair: FactorPair?
  /// `(outputs, inputs)`.
  var weights: FloatMatrix?
  /// `(outputs)`.
  var bias: [Float]?
}

extension [Float] {
  /// Adds each row of `matrix`.
  fileprivate mutating func addRows(of matrix: FloatMatrix) {
    precondition(count == matrix.columns, "a vector of another length")
    let source = matrix.values.span
    var target = mutableSpan
    for row in 0..<matrix.rows {
      for column in target.indices { target[column] += source[row * matrix.columns + column] }
    }
  }
}

extension FloatMatrix {
  /// Each value times that of `mask`, if there is one.
  fileprivate func multiplied(by mask: FloatMatrix?) -> FloatMatrix {
    guard let mask else { return self }
    var result = self
    let factors = mask.values.span
    var values = result.values.mutableSpan
    for index in values.indices { values[index] *= factors[index] }
    return result
  }

  /// Multiplies each row by its factor.
  mutating func multiplyRows(by factors: [Float]) {
    precondition(factors.count == rows, "a factor for each row")
    let columns = columns
    var target = values.mutableSpan
    for row in factors.indices {
      for column in 0..<columns { target[row * columns + column] *= factors[row] }
    }
  }

  /// Adds a vector to each row.
  fileprivate mutating func addToRows(_ vector: [Float]) {
    precondition(vector.count == columns, "a vector of another length")
    let (rows, columns) = (rows, columns)
    let vector = vector.span
    var target = values.mutableSpan
    for row in 0..<rows {
      for column in 0..<columns { target[row * columns + column] += vector[column] }
    }
  }
}
