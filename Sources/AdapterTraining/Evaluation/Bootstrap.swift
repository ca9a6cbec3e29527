import LanguageModels

/// A figure with the interval in which it lies, as far as the lines that were measured tell.
public struct Estimate: Sendable, Equatable {
  /// The figure.
  public let value: Double
  /// Lower end of the interval of 95 %.
  public let low: Double
  /// Upper end of it.
  public let high: Double
  /// Lines that it is made of.
  public let count: Int
}

/// Intervals by resampling the lines that were measured, with replacement: the 2.5th and the 97.5th of 100 parts of what
/// the resampled lines come to.
///
/// Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13 (percentile intervals).
public struct Bootstrap: Sendable {
  /// Decides which lines are drawn.
  private let seed: UInt64
  /// How often the lines are resampled.
  package let resamples: Int

  /// Intervals that follow from `seed`.
  public init(seed: UInt64, resamples: Int = 2000) {
    precondition(resamples > 0, "nothing would be drawn")
    (self.seed, self.resamples) = (seed, resamples)
  }

  /// The mean of `values`, one for each line, such as 1 where its answer keeps a rule; nil where there are none.
  public func mean(of values: [Double]) -> Estimate? {
    estimate(values.enumerated().map { Part(unit: $0, sum: $1, weight: 1) })
  }

  /// What a line adds to a figure: the figure is the sum of `sum` over that of `weight`.
  struct Part: Sendable, Equatable {
    /// Which line it is of.
    let unit: Int
    let sum: Double
    let weight: Double
  }

  /// The figure of `parts`, one for each line, with `map` over it; nil without any weight.
  func estimate(_ parts: [Part], map: (Double) -> Double = { $0 }) -> Estimate? {
    guard let value = Self.ratio(parts[...]) else { return nil }
    let found = resampled(parts.count) { draw in Self.ratio(draw.lazy.map { parts[$0] }).map(map) }
    return Estimate(
      value: map(value), low: Self.quantile(found, 0.025), high: Self.quantile(found, 0.975),
      count: parts.count)
  }

  /// How much the figure of `parts` is above that of `others`, by the lines that both have, drawn together.
  func difference(
    _ parts: [Part], _ others: [Part], map: (Double) -> Double = { $0 }
  ) -> Estimate? {
    let known = Dictionary(others.map { ($0.unit, $0) }) { first, _ in first }
    let pairs = parts.compactMap { part in known[part.unit].map { (part, $0) } }
    func above(_ draw: some Collection<Int>) -> Double? {
      guard let first = Self.ratio(draw.lazy.map { pairs[$0].0 }),
        let second = Self.ratio(draw.lazy.map { pairs[$0].1 })
      else { return nil }
      return map(first) - map(second)
    }
    guard let value = above(pairs.indices) else { return nil }
    let found = resampled(pairs.count) { above($0) }
    return Estimate(
      value: value, low: Self.quantile(found, 0.025), high: Self.quantile(found, 0.975),
      count: pairs.count)
  }

  /// What `body` finds in each resample of so many lines, sorted.
  private func resampled(_ count: Int, _ body: ([Int]) -> Double?) -> [Double] {
    var random = SplitMix64(seed: seed)
    var draw = [Int](repeating: 0, count: count)
    var found: [Double] = []
    for _ in 0..<resamples {
      for index in draw.indices {
        draw[index] = Int(random.next().multipliedFullWidth(by: UInt64(count)).high)
      }
      if let value = body(draw) { found.append(value) }
    }
    return found.sorted()
  }

  private static func ratio(_ parts: some Collection<Part>) -> Double? {
    var (sum, weight) = (0.0, 0.0)
    for part in parts {
      sum += part.sum
      weight += part.weight
    }
    return weight > 0 ? sum / weight : nil
  }

  /// The value below which `share` of the sorted `values` are, between neighbours on a line.
  static func quantile(_ values: [Double], _ share: Double) -> Double {
    guard let last = values.last else { return .nan }
    let place = share * Double(values.count - 1)
    let index = Int(place)
    guard index + 1 < values.count else { return last }
    return values[index] + (values[index + 1] - values[index]) * (place - Double(index))
  }
}
