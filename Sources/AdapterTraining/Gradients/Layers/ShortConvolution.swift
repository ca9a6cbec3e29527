import Kernels

/// y = c · s in each column, where s is the sum of kernel[k] · (b · x) over the last rows of a segment, and b, c and x lie
/// behind each other in a row; the kernel is frozen.
struct ShortConvolution {
  /// `(taps, columns)`, the row itself last.
  let kernel: [Float]
  /// Rows that see each other.
  let segments: [Range<Int>]

  /// `(rows, columns)` of `(rows, 3 columns)`.
  func forward(_ input: FloatMatrix) -> FloatMatrix {
    var y = sums(input)
    let columns = y.columns
    let source = input.values.span
    var values = y.values.mutableSpan
    for row in 0..<input.rows {
      for column in 0..<columns {
        values[row * columns + column] *= source[(3 * row + 1) * columns + column]
      }
    }
    return y
  }

  /// The gradient of the input from that of the result: dc = dy · s, ds = dy · c, and b · x gets the kernel's share of ds of
  /// itself and the rows after it.
  func backward(_ dy: FloatMatrix, _ input: FloatMatrix) -> FloatMatrix {
    let sums = sums(input)
    let columns = sums.columns
    let taps = kernel.count / columns
    var result = FloatMatrix(rows: input.rows, columns: input.columns)
    let (source, sum, gradient) = (input.values.span, sums.values.span, dy.values.span)
    let kernel = kernel.span
    var values = result.values.mutableSpan
    for segment in segments {
      for row in segment {
        let (b, c, x) = (3 * row * columns, (3 * row + 1) * columns, (3 * row + 2) * columns)
        for column in 0..<columns {
          values[c + column] = gradient[row * columns + column] * sum[row * columns + column]
          var share: Float = 0
          for later in row..<min(row + taps, segment.upperBound) {
            let weight = kernel[(taps - 1 - later + row) * columns + column]
            let c = source[(3 * later + 1) * columns + column]
            share += weight * gradient[later * columns + column] * c
          }
          values[b + column] = share * source[x + column]
          values[x + column] = share * source[b + column]
        }
      }
    }
    return result
  }

  /// s of every row.
  private func sums(_ input: FloatMatrix) -> FloatMatrix {
    let columns = input.columns / 3
    let taps = kernel.count / columns
    var result = FloatMatrix(rows: input.rows, columns: columns)
    let (source, kernel) = (input.values.span, kernel.span)
    var values = result.values.mutableSpan
    for segment in segments {
      for row in segment {
        for earlier in max(segment.lowerBound, row + 1 - taps)...row {
          let weight = (taps - 1 - row + earlier) * columns
          for column in 0..<columns {
            let product =
              source[3 * earlier * columns + column] * source[(3 * earlier + 2) * columns + column]
            values[row * columns + column] += kernel[weight + column] * product
          }
        }
      }
    }
    return result
  }
}
