import Kernels
import SystemFiles

/// Brings the factors of updates into the range in which half precision has all of its digits.
///
/// Below 2⁻¹⁴ a half has fewer digits the smaller it is, and from 2⁻²⁵ down it is zero. A row of A times 2ᵏ and the column of B
/// by 2ᵏ are the same update to the bit, so a factor that is too small gets what the other one can spare. What keeps its digits
/// stays as it is.
struct HalfBalance {
  /// Tensors that lose more than rounding takes all the same, and the share of its norm that the worst one loses.
  private(set) var lossCount = 0
  private(set) var worst: (name: String, share: Double) = ("", 0)

  /// Moves powers of two between A and B of `pairs`, whose scale is no part of them any more.
  init(_ pairs: inout [PairUpdate]) {
    var groups: [String: [Int]] = [:]
    for (index, pair) in pairs.enumerated() {
      groups["\(pair.layer) \(pair.names.a)", default: []].append(index)
    }
    for group in groups.values {
      // What a fused matrix had in common stays so, or it would not come together again.
      let isShared = group.allSatisfy { pairs[$0].a == pairs[group[0]].a }
      for part in isShared ? [group] : group.map({ [$0] }) {
        Self.balance(part, &pairs)
      }
    }
    for pair in pairs {
      note(FactorRange(pair.a.values), pair.names.a)
      note(FactorRange(pair.b.values), pair.names.b)
    }
  }

  private mutating func note(_ range: FactorRange, _ name: String) {
    guard range.losesMuch else { return }
    lossCount += 1
    if range.lostShare > worst.share { worst = (name, range.lostShare) }
  }

  /// Moves what is to be moved of the pairs at `places`, which have one A.
  private static func balance(_ places: [Int], _ pairs: inout [PairUpdate]) {
    let a = pairs[places[0]].a
    let factors = [a.values] + places.map { pairs[$0].b.values }
    guard factors.contains(where: { FactorRange($0).lost > 0 }) else { return }
    for component in 0..<a.rows {
      let row = FactorRange(a.values[a.range(component)])
      let columns = places.map { FactorRange(pairs[$0].b.column(component)) }
      let shift = FactorRange.shift(row, columns)
      guard shift != 0 else { continue }
      for place in places {
        pairs[place].a.scale(row: component, by: Self.power(shift))
        pairs[place].b.scale(column: component, by: Self.power(-shift))
      }
    }
  }

  private static func power(_ exponent: Int) -> Float {
    Float(sign: .plus, exponent: exponent, significand: 1)
  }

  /// What is lost, as a sentence without an end; what only moved from one factor to the other is the same update.
  var remarks: [String] {
    guard lossCount > 0 else { return [] }
    return [
      "\(Figures.count(lossCount, "tensor")) with values too small for half precision, most “\(worst.name)”, which loses "
        + "\((10_000 * worst.share).rounded() / 100) % of its norm; a smaller alpha in the training makes them larger"
    ]
  }
}

/// How large the values of a factor are, and what half precision takes from those that are too small for it.
struct FactorRange {
  /// Squares of what the values below the range lose, and of all values.
  private(set) var lost = 0.0
  private var squares = 0.0
  /// Values that are not zero, by their binary exponents.
  private var counts = [Int](repeating: 0, count: Self.exponents.count)

  private static let exponents = -149...127
  /// Exponents of the smallest normal half, and of the largest one that is far from infinity after any rounding.
  private static let (smallest, largest) = (-14, 14)
  /// Powers of two that a float can be multiplied by, and divided by.
  private static let shifts = -126...126
  /// Square of the rounding of a half in its range.
  private static let rounding = power(-22)

  init(_ values: some Sequence<Float>) {
    for value in values where value != 0 {
      counts[Int(value.exponent) - Self.exponents.lowerBound] += 1
      squares += Double(value) * Double(value)
      guard value.exponent < Self.smallest else { continue }
      let change = Double(value) - Double(floatFromHalf(halfFromFloat(value)))
      lost += change * change
    }
  }

  /// Whether more is lost than rounding takes from values that are in the range.
  var losesMuch: Bool { lost > squares * Self.rounding }

  /// Norm of what is lost, as a share of that of the values.
  var lostShare: Double { squares > 0 ? (lost / squares).squareRoot() : 0 }

  private var lowest: Int { exponent(counts.firstIndex { $0 > 0 }) }
  private var highest: Int { exponent(counts.lastIndex { $0 > 0 }) }

  private func exponent(_ index: Int?) -> Int { (index ?? 0) + Self.exponents.lowerBound }

  /// The power of two for `a`, by which each of `others` is to be divided: the smallest one with which nothing is lost; where there
  /// is none and much is lost, the one that is expected to lose least of the update that loses most.
  static func shift(_ a: FactorRange, _ others: [FactorRange]) -> Int {
    let others = others.filter { $0.squares > 0 }
    guard a.squares > 0, let highest = others.map(\.highest).max(),
      let lowest = others.map(\.lowest).min(), ([a] + others).contains(where: { $0.lost > 0 })
    else { return 0 }
    let room = (
      low: max(highest - largest, shifts.lowerBound),
      high: min(largest - a.highest, shifts.upperBound)
    )
    let least = max(smallest - a.lowest, room.low)
    let most = min(lowest - smallest, room.high)
    if least <= most { return min(max(0, least), most) }
    guard ([a] + others).contains(where: \.losesMuch), room.low <= room.high else { return 0 }
    func loss(_ shift: Int) -> Double {
      a.loss(shifted: shift) + (others.map { $0.loss(shifted: -shift) }.max() ?? 0)
    }
    let losses = (room.low...room.high).map { (shift: $0, loss: loss($0)) }
    let best = losses.min { $0.loss < $1.loss }
    return best.flatMap { $0.loss < loss(0) / 2 ? $0.shift : nil } ?? 0
  }

  /// What the values are expected to lose after they were multiplied by a power of two, as a share of their squares.
  private func loss(shifted shift: Int) -> Double {
    var sum = 0.0
    for (index, count) in counts.enumerated() where count > 0 {
      let exponent = index + Self.exponents.lowerBound + shift
      guard exponent < Self.smallest else { break }
      // What is rounded differs evenly within half a step, and what becomes zero is lost: 7/3 is the mean square from 1 to 2.
      sum +=
        Double(count) * (exponent < -25 ? Self.power(2 * exponent) * 7 / 3 : Self.power(-48) / 12)
    }
    return sum / (squares * Self.power(2 * shift))
  }

  private static func power(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}

extension FloatMatrix {
  fileprivate func column(_ index: Int) -> [Float] {
    stride(from: index, to: values.count, by: columns).map { values[$0] }
  }

  fileprivate mutating func scale(row index: Int, by factor: Float) {
    for place in range(index) { values[place] *= factor }
  }

  fileprivate mutating func scale(column index: Int, by factor: Float) {
    for place in stride(from: index, to: values.count, by: columns) { values[place] *= factor }
  }
}
