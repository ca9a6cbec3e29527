import TensorFiles

/// Every tensor is Float16.
enum WeightTypeRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let scan = package.scan else { return [] }
    return scan.records.compactMap { record in
      guard let type = BlobType(rawValue: record.type), type != .float16 else { return nil }
      return Finding(
        "weights.type",
        at: .init(
          PackageFile.weights, tensor: package.name(ofBlob: record.index),
          offset: record.offset + 4),
        "Blob \(record.index) holds \(type) values; adapters have float16 only.",
        remedy: "Export the adapter again with float16 weights.")
    }
  }
}

extension PackageReading {
  /// Name of the tensor in blob `index`, when the layout says so.
  func name(ofBlob index: Int) -> String? {
    guard let layout, index < layout.tensors.count,
      layout.tensors.count == scan?.records.count
    else { return nil }
    return layout.tensors[index].name
  }
}
