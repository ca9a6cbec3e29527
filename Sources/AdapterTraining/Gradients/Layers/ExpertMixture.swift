import Kernels
import LanguageModels

/// y = Σ scale · weight · expert(x) over the experts that the router takes for each row; all of them are frozen.
///
/// The gradient goes through experts and weights, not through the choice: that does not change with x but where it jumps.
struct ExpertMixture {
  let experts: ExpertMatrices
  let unit: GatedUnit
  let operations: Operations

  /// What the gradient needs of a forward step.
  struct Tape {
    /// Shares of all experts, `(rows, experts)`.
    let shares: FloatMatrix
    /// Of each row the experts that it takes, and their weights without the experts' scales.
    let routes: [[(expert: Int, weight: Float)]]
    /// What each expert that has rows computed.
    let parts: [Part]
  }

  /// The rows of one expert.
  struct Part {
    let expert: Int
    /// Which rows, and the place of the expert in their routes.
    var rows: [(row: Int, place: Int)] = []
    /// `(rows, hidden width)`.
    var gate = FloatMatrix(rows: 0, columns: 0)
    /// `(rows, hidden width)`.
    var up = FloatMatrix(rows: 0, columns: 0)
  }

  /// The router reads `routed`, a row for each of x.
  func forward(
    _ x: FloatMatrix, routedBy routed: FloatMatrix, _ stop: Stop
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: Tape) {
    let shares = softmax(operations.product(routed, FloatMatrix(experts.router).turned))
    let routes = (0..<x.rows).map { route(shares.values[shares.range($0)]) }
    var parts = (0..<experts.count).map { Part(expert: $0) }
    for (row, route) in routes.enumerated() {
      for (place, taken) in route.enumerated() { parts[taken.expert].rows.append((row, place)) }
    }
    parts.removeAll { $0.rows.isEmpty }
    var y = FloatMatrix(rows: x.rows, columns: x.columns)
    for index in parts.indices {
      try stop()
      let (expert, rows) = (parts[index].expert, parts[index].rows)
      let own = x.rows(rows.map(\.row))
      parts[index].gate = operations.product(
        own, FloatMatrix(experts.gate[expert]).turned)
      parts[index].up = operations.product(
        own, FloatMatrix(experts.up[expert]).turned)
      let hidden = unit.forward(gate: parts[index].gate, up: parts[index].up)
      let result = operations.product(
        hidden, FloatMatrix(experts.down[expert]).turned)
      let scale = scale(of: expert)
      y.add(result, toRows: rows.map { ($0.row, scale * routes[$0.row][$0.place].weight) })
    }
    return (y, Tape(shares: shares, routes: routes, parts: parts))
  }

  /// What an expert's weight is multiplied by.
  private func scale(of expert: Int) -> Float { experts.scales?[expert] ?? 1 }

  /// The gradients of x, and of what the router reads.
  func backward(
    _ dy: FloatMatrix, _ tape: Tape, _ stop: Stop
  ) throws(BaseModelError) -> (x: FloatMatrix, routed: FloatMatrix) {
    var dx = FloatMatrix(rows: dy.rows, columns: dy.columns)
    var dWeights = tape.routes.map { [Float](repeating: 0, count: $0.count) }
    for part in tape.parts {
      try stop()
      let weights = part.rows.map { tape.routes[$0.row][$0.place].weight }
      let down = FloatMatrix(experts.down[part.expert])
      var dHidden = operations.product(
        dy.rows(part.rows.map(\.row)), down, times: scale(of: part.expert))
      // w s (down h) dy = w h (s downᵀ dy): its derivatives by w and by h.
      let hidden = unit.forward(gate: part.gate, up: part.up)
      for (index, place) in part.rows.enumerated() {
        for value in dHidden.range(index) {
          dWeights[place.row][place.place] += hidden.values[value] * dHidden.values[value]
          dHidden.values[value] *= weights[index]
        }
      }
      let parts = unit.backward(dHidden, gate: part.gate, up: part.up)
      var own = operations.product(parts.gate, FloatMatrix(experts.gate[part.expert]))
      operations.addProduct(parts.up, FloatMatrix(experts.up[part.expert]), to: &own)
      dx.add(own, toRows: part.rows.map { ($0.row, 1) })
    }
    return (dx, operations.product(routerGradient(dWeights, tape), FloatMatrix(experts.router)))
  }

  /// The gradient of the router's logits, `(rows, experts)`, from those of the weights.
  private func routerGradient(_ dWeights: [[Float]], _ tape: Tape) -> FloatMatrix {
    var result = FloatMatrix(rows: tape.shares.rows, columns: tape.shares.columns)
    for (row, route) in tape.routes.enumerated() {
      let start = result.range(row).lowerBound
      let mean = zip(dWeights[row], route).reduce(0) { $0 + $1.0 * $1.1.weight }
      // (p / s)' where s is the sum over the row's experts, or p' where weights are shares.
      let sum =
        experts.normalizes ? route.reduce(0) { $0 + tape.shares.values[start + $1.expert] } : 1
      let slopes = dWeights[row].map { experts.normalizes ? ($0 - mean) / sum : $0 }
      let total = zip(slopes, route).reduce(0) {
        $0 + $1.0 * tape.shares.values[start + $1.1.expert]
      }
      for expert in 0..<experts.count {
        result.values[start + expert] = -total * tape.shares.values[start + expert]
      }
      for (slope, taken) in zip(slopes, route) {
        result.values[start + taken.expert] += slope * tape.shares.values[start + taken.expert]
      }
    }
    return result
  }

  /// The experts with the largest shares, the largest first, of equal ones the first.
  private func route(_ shares: ArraySlice<Float>) -> [(expert: Int, weight: Float)] {
    let values = Array(shares)
    let taken = values.indices.sorted { (values[$1], $0) < (values[$0], $1) }.prefix(experts.used)
    let sum = experts.normalizes ? taken.reduce(0) { $0 + values[$1] } : 1
    return taken.map { ($0, values[$0] / sum) }
  }

  private func softmax(_ logits: FloatMatrix) -> FloatMatrix {
    var result = logits
    for row in 0..<logits.rows {
      let range = logits.range(row)
      let most = logits.values[range].max() ?? 0
      for index in range {
        result.values[index] = Mathematics.exponential(logits.values[index] - most)
      }
      let sum = result.values[range].reduce(0, +)
      for index in range { result.values[index] /= sum }
    }
    return result
  }
}

extension FloatMatrix {
  /// Adds each row of `other` times a factor to a row.
  fileprivate mutating func add(_ other: FloatMatrix, toRows rows: [(row: Int, factor: Float)]) {
    for (index, place) in rows.enumerated() {
      let (from, to) = (other.range(index).lowerBound, range(place.row).lowerBound)
      for column in 0..<columns {
        values[to + column] += place.factor * other.values[from + column]
      }
    }
  }
}
