import Kernels
import SystemFiles

/// No value is infinite or not a number.
enum FiniteValuesRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    package.statistics.flatMap { pair in
      findings(pair.aScan, pair.a, pair.blob, package)
        + findings(pair.bScan, pair.b, pair.blob + 1, package)
    }
  }

  private static func findings(
    _ scan: HalfScan, _ tensor: AdapterTensor, _ blob: Int, _ package: PackageReading
  ) -> [Finding] {
    guard let record = package.scan?.records[blob] else { return [] }
    func place(_ index: Int) -> Finding.Place {
      .init(
        PackageFile.weights, tensor: tensor.name,
        offset: record.offset + BlobScan.alignment + 2 * index)
    }
    let nan = scan.firstNaN.map { index in
      Finding(
        "values.nan", at: place(index),
        "Value \(Figures.grouped(index)) is not a number, \(Figures.grouped(scan.nanCount)) in all.",
        remedy: "Train again with a lower rate or in a wider precision; every answer would be "
          + "broken.")
    }
    let infinity = scan.firstInfinity.map { index in
      Finding(
        "values.infinity", at: place(index),
        "Value \(Figures.grouped(index)) is infinite, \(Figures.grouped(scan.infinityCount)) in all.",
        remedy: "Export again: float16 ends at 65,504, so clip before the conversion.")
    }
    return [nan, infinity].compactMap { $0 }
  }
}

/// No factor is zero throughout, which is how training starts.
enum TrainedValuesRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let pairs = package.statistics
    let zero = pairs.filter { $0.bScan.isZero }
    guard zero.count < pairs.count || pairs.isEmpty else { return [untrained] }
    return pairs.flatMap { pair in
      [
        pair.bScan.isZero ? zeroB(pair, package) : nil,
        pair.aScan.isZero ? zeroA(pair, package) : nil,
      ].compactMap { $0 }
    }
  }

  private static let untrained = Finding(
    "values.untrained", .warning, at: .init(PackageFile.weights),
    "Every B is zero: the adapter changes nothing.",
    remedy: "Train it; this is the state before the first step.")

  private static func zeroB(_ pair: PairStatistics, _ package: PackageReading) -> Finding {
    Finding(
      "values.untrained", .warning, at: place(pair.b, pair.blob + 1, package),
      "B is zero throughout: this projection was not trained.",
      remedy: "Check that training reached every target, or leave the target out.")
  }

  private static func zeroA(_ pair: PairStatistics, _ package: PackageReading) -> Finding {
    Finding(
      "values.zero", .warning, at: place(pair.a, pair.blob, package),
      "A is zero throughout: this projection changes nothing and cannot learn.",
      remedy: "Start A with random values and train again.")
  }

  private static func place(
    _ tensor: AdapterTensor, _ blob: Int, _ package: PackageReading
  ) -> Finding.Place {
    .init(
      PackageFile.weights, tensor: tensor.name,
      offset: package.scan.map { $0.records[blob].offset + BlobScan.alignment })
  }
}

/// No layer changes its projection far more than the others do.
enum NormOutlierRule {
  /// How often the median of its target a norm may be.
  static let factor = 10.0
  /// Layers that a target needs for its median to say something.
  static let minimum = 5

  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    LoRATarget.allCases.flatMap { target -> [Finding] in
      let pairs = package.statistics.filter { $0.a.target == target }
      let norms = pairs.compactMap(\.norm).filter { $0 > 0 }.sorted()
      guard norms.count >= minimum else { return [] }
      let median = norms[norms.count / 2]
      return pairs.compactMap { pair in
        guard let norm = pair.norm, norm > factor * median else { return nil }
        return finding(pair, norm, median, package)
      }
    }
  }

  private static func finding(
    _ pair: PairStatistics, _ norm: Double, _ median: Double, _ package: PackageReading
  ) -> Finding {
    Finding(
      "values.outlier", .warning,
      at: .init(
        PackageFile.weights, tensor: pair.b.name,
        offset: package.scan.map { $0.records[pair.blob + 1].offset + BlobScan.alignment }),
      "The norm of the update, \(rounded(norm)), is more than \(Int(factor)) times the median of "
        + "\(pair.a.target.rawValue), \(rounded(median)).",
      remedy: "Look at the adapter's answers before shipping it; training may have diverged.")
  }

  static func rounded(_ value: Double) -> String {
    value < 1e15 ? "\((value * 1000).rounded() / 1000)" : "\(value)"
  }
}

/// No update is far out of the range of a trained one: training that diverged leaves such weights.
///
/// Measured is the gain, the norm that `info` shows divided by the root of the projection's outputs: how long the update
/// makes what it is added to, where the projection itself has a gain of about 1 (0.3 to 10 in the models that people
/// run). The two bundled adapters have gains of 0.3 to 1.2, one with random factors at tamm's initial scale 0.4 to 0.6,
/// and one whose values fill all of -2 to 2 at rank 32 and width 6656 below 50. From 100 on the update drowns what the
/// base knows, so that this is an error: nothing is written, published or run with it.
enum DivergedRule {
  static let name = "values.diverged"
  static let limit = 100.0

  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let diverged = package.statistics.filter { ($0.gain ?? 0) > limit }
    guard let worst = diverged.max(by: { ($0.gain ?? 0) < ($1.gain ?? 0) }),
      let norm = worst.norm, let gain = worst.gain
    else { return [] }
    return [
      Finding(
        name,
        at: .init(
          PackageFile.weights, tensor: worst.b.name,
          offset: package.scan.map { $0.records[worst.blob + 1].offset + BlobScan.alignment }),
        "The norm of the update, \(NormOutlierRule.rounded(norm)), makes vectors "
          + "\(Figures.grouped(Int(min(gain, 1e15)))) times as long; above \(Figures.grouped(Int(limit))) training has diverged, as in "
          + "\(diverged.count) of \(package.statistics.count) projections.",
        remedy: "Train again with a lower rate, or from an earlier checkpoint.")
    ]
  }
}
