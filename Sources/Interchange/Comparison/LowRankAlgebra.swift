import Kernels

/// The update B A of one projection in double precision, never multiplied out: its rank is far below its sizes.
struct LowRank {
  /// Rows of A, `(rank)(in)`.
  var a: [[Double]]
  /// Columns of B, `(rank)(out)`; the scale is a part of them.
  var b: [[Double]]

  /// Nothing yet.
  init() { (a, b) = ([], []) }

  private init(a: [[Double]], b: [[Double]]) { (self.a, self.b) = (a, b) }

  /// The update of a pair, times `scale`.
  init(a: FloatMatrix, b: FloatMatrix, scale: Double) {
    let columns = b.transposed()
    self.a = (0..<a.rows).map { row in a.values[a.range(row)].map(Double.init) }
    self.b = (0..<columns.rows).map { row in
      columns.values[columns.range(row)].map { Double($0) * scale }
    }
  }

  var rank: Int { a.count }

  /// The sum with `other`: all components of both.
  mutating func append(_ other: LowRank) {
    a += other.a
    b += other.b
  }

  /// The sum of all products of values at the same place: ⟨B A, B′ A′⟩ = Σ (Bᵀ B′) ∘ (A A′ᵀ).
  func product(with other: LowRank) -> Double {
    var sum = 0.0
    for (first, column) in zip(a, b) {
      for (second, otherColumn) in zip(other.a, other.b) {
        sum += dot(first, second) * dot(column, otherColumn)
      }
    }
    return sum
  }

  /// Frobenius norm, squared.
  ///
  /// Rounding may leave a little less than nothing of a sum of updates that cancel out.
  var squaredNorm: Double { max(0, product(with: self)) }

  /// The update of rank `limit` that comes closest, and the squared norm of what is missing.
  ///
  /// With B = Q R and Aᵀ = Q′ R′ the singular values of B A are those of R R′ᵀ, a matrix of the rank's size
  /// (Eckart and Young 1936); each factor gets their root.
  func cut(to limit: Int) -> (update: LowRank, lost: Double) {
    guard rank > limit else { return (self, 0) }
    let (left, right) = (Orthogonalization(b), Orthogonalization(a))
    var core = [[Double]](
      repeating: [Double](repeating: 0, count: left.basis.count), count: right.basis.count)
    // Column j of the core: how much of left basis vectors goes with right basis vector j.
    for component in 0..<rank {
      for j in right.basis.indices {
        for i in left.basis.indices {
          core[j][i] += left.coefficients[component][i] * right.coefficients[component][j]
        }
      }
    }
    let decomposition = SingularValues(columns: core)
    let order = decomposition.values.indices.sorted {
      decomposition.values[$0] > decomposition.values[$1]
    }
    let kept = order.prefix(limit).filter { decomposition.values[$0] > 0 }
    let lost = order.dropFirst(limit).reduce(0) {
      $0 + decomposition.values[$1] * decomposition.values[$1]
    }
    let roots = kept.map { decomposition.values[$0].squareRoot() }
    return (
      LowRank(
        a: zip(kept, roots).map { right.combined(decomposition.right[$0], times: $1) },
        b: zip(kept, roots).map { left.combined(decomposition.left[$0], times: $1) }), lost
    )
  }

  /// The factors in full precision, with `b` divided by `scale`.
  func matrices(
    rows: Int, columns: Int, scale: Double
  ) -> (a: FloatMatrix, b: FloatMatrix) {
    let first = FloatMatrix(rows: rank, columns: columns, values: a.flatMap { $0.map(Float.init) })
    let second = FloatMatrix(
      rows: rank, columns: rows, values: b.flatMap { $0.map { Float($0 / scale) } })
    return (first, second.transposed())
  }
}

/// The sum of the products of values at the same place.
func dot(_ x: [Double], _ y: [Double]) -> Double {
  let (x, y) = (x.span, y.span)
  var sums = (0.0, 0.0, 0.0, 0.0)
  var index = 0
  while index + 3 < x.count {
    sums.0 += x[index] * y[index]
    sums.1 += x[index + 1] * y[index + 1]
    sums.2 += x[index + 2] * y[index + 2]
    sums.3 += x[index + 3] * y[index + 3]
    index += 4
  }
  while index < x.count {
    sums.0 += x[index] * y[index]
    index += 1
  }
  return sums.0 + sums.1 + sums.2 + sums.3
}

/// Vectors as sums of orthogonal ones of length 1, by Gram and Schmidt's method, each step done twice.
private struct Orthogonalization {
  private(set) var basis: [[Double]] = []
  /// One entry per vector: how much it has of each vector of the basis.
  private(set) var coefficients: [[Double]] = []

  init(_ vectors: [[Double]]) {
    for vector in vectors {
      var rest = vector
      var parts = [Double](repeating: 0, count: basis.count)
      let length = dot(vector, vector).squareRoot()
      for _ in 0..<2 {
        for (index, other) in basis.enumerated() {
          let part = dot(rest, other)
          parts[index] += part
          subtract(other, times: part, from: &rest)
        }
      }
      let size = dot(rest, rest).squareRoot()
      // What is left of a vector that the others make up is noise.
      if size > 1e-13 * length, size > 0 {
        basis.append(rest.map { $0 / size })
        parts.append(size)
      }
      coefficients.append(parts)
    }
    for index in coefficients.indices {
      coefficients[index] += [Double](repeating: 0, count: basis.count - coefficients[index].count)
    }
  }

  /// The sum of the basis with `weights`.
  func combined(_ weights: [Double], times factor: Double) -> [Double] {
    var sum = [Double](repeating: 0, count: basis.first?.count ?? 0)
    for (weight, vector) in zip(weights, basis) {
      subtract(vector, times: -weight * factor, from: &sum)
    }
    return sum
  }

  private func subtract(_ other: [Double], times factor: Double, from vector: inout [Double]) {
    let source = other.span
    var target = vector.mutableSpan
    for index in target.indices { target[index] -= factor * source[index] }
  }
}

/// Singular values of a small matrix, by rotating its columns until all are orthogonal (Hestenes 1958).
private struct SingularValues {
  /// One entry per column, in no order.
  private(set) var values: [Double]
  /// Left vectors, by value.
  private(set) var left: [[Double]]
  /// Right vectors, by value.
  private(set) var right: [[Double]]

  init(columns: [[Double]]) {
    left = columns
    let count = columns.count
    right = (0..<count).map { index in (0..<count).map { $0 == index ? 1 : 0 } }
    values = []
    // Thirty sweeps are many times what any matrix needs.
    for _ in 0..<30 where sweep() {}
    values = left.map { dot($0, $0).squareRoot() }
    left = zip(left, values).map { vector, value in value > 0 ? vector.map { $0 / value } : vector }
  }

  /// Rotates each pair of columns; false once nothing was to be done.
  private mutating func sweep() -> Bool {
    var changed = false
    for p in left.indices {
      for q in left.indices where q > p {
        let (alpha, beta) = (dot(left[p], left[p]), dot(left[q], left[q]))
        let gamma = dot(left[p], left[q])
        guard abs(gamma) > 1e-15 * (alpha * beta).squareRoot(), gamma != 0 else { continue }
        changed = true
        let zeta = (beta - alpha) / (2 * gamma)
        let tangent = (zeta < 0 ? -1 : 1) / (abs(zeta) + (1 + zeta * zeta).squareRoot())
        let cosine = 1 / (1 + tangent * tangent).squareRoot()
        rotate(&left, p, q, cosine, cosine * tangent)
        rotate(&right, p, q, cosine, cosine * tangent)
      }
    }
    return changed
  }

  private func rotate(
    _ columns: inout [[Double]], _ p: Int, _ q: Int, _ cosine: Double, _ sine: Double
  ) {
    for index in columns[p].indices {
      let (first, second) = (columns[p][index], columns[q][index])
      columns[p][index] = cosine * first - sine * second
      columns[q][index] = sine * first + cosine * second
    }
  }
}
