import Kernels

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
        "Value \(index) is not a number, \(scan.nanCount) in all.",
        remedy: "Train again with a lower rate or in a wider precision; every answer would be "
          + "broken.")
    }
    let infinity = scan.firstInfinity.map { index in
      Finding(
        "values.infinity", at: place(index),
        "Value \(index) is infinite, \(scan.infinityCount) in all.",
        remedy: "Export again: float16 ends at 65,504, so clip before the conversion.")
    }
    return [nan, infinity].compactMap { $0 }
  }
}
