import Kernels

/// Rotation of the leading values of each head by the position of its row; Su and others 2021.
struct Rotation {
  /// Values per head.
  let headSize: Int
  /// Whether pairs are neighbours `(2i, 2i + 1)` instead of halves.
  let isAdjacent: Bool
  /// `(rows, rotated values / 2)`.
  private let cosine: FloatMatrix
  private let sine: FloatMatrix

  /// Angles for rows whose positions start anew in each of `segments`; `frequencies` are those of the pairs.
  init(_ frequencies: [Float], segments: [Range<Int>], headSize: Int, isAdjacent: Bool) {
    let rows = segments.last?.upperBound ?? 0
    var (cosine, sine) = (
      FloatMatrix(rows: rows, columns: frequencies.count),
      FloatMatrix(rows: rows, columns: frequencies.count)
    )
    for row in segments.flatMap({ segment in segment.map { ($0, $0 - segment.lowerBound) } }) {
      for (index, frequency) in frequencies.enumerated() {
        let angle = Float(row.1) * frequency
        cosine.values[row.0 * frequencies.count + index] = Mathematics.cosine(angle)
        sine.values[row.0 * frequencies.count + index] = Mathematics.sine(angle)
      }
    }
    (self.cosine, self.sine) = (cosine, sine)
    (self.headSize, self.isAdjacent) = (headSize, isAdjacent)
  }

  /// Each head of each row of `x`, turned.
  func forward(_ x: FloatMatrix) -> FloatMatrix { turned(x, direction: 1) }

  /// The gradient of x from that of the result: a rotation is undone by turning back.
  func backward(_ dy: FloatMatrix) -> FloatMatrix { turned(dy, direction: -1) }

  private func turned(_ x: FloatMatrix, direction: Float) -> FloatMatrix {
    var y = x
    let half = cosine.columns
    let (step, apart) = isAdjacent ? (2, 1) : (1, half)
    let cosine = cosine.values.span
    let sine = sine.values.span
    var values = y.values.mutableSpan
    for row in 0..<x.rows {
      for head in stride(from: row * x.columns, to: (row + 1) * x.columns, by: headSize) {
        for index in 0..<half {
          let (first, second) = (head + index * step, head + index * step + apart)
          let (a, b) = (values[first], values[second])
          let (c, s) = (cosine[row * half + index], direction * sine[row * half + index])
          values[first] = a * c - b * s
          values[second] = b * c + a * s
        }
      }
    }
    return y
  }
}
