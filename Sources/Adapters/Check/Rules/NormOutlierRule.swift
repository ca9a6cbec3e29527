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

  private static func rounded(_ value: Double) -> String {
    value < 1e15 ? "\((value * 1000).rounded() / 1000)" : "\(value)"
  }
}
