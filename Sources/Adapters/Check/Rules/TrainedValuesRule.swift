import Kernels

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
