import JSON
import SystemFiles
import TensorFiles

/// Number and sizes of the blobs are those of the base's layers at the stated rank.
enum WeightLayoutRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let scan = package.scan, scan.version == 2, scan.end == .file,
      let metadata = package.metadata?.metadata
    else { return [] }
    let sizes = scan.records.compactMap { $0.data?.count }
    guard sizes.count == scan.records.count else { return [] }
    guard let layout = package.layout else {
      return [unknownLayout(package, metadata, sizes)]
    }
    if let finding = missingTargets(package, layout, metadata) { return [finding] }
    guard layout.tensors.count == sizes.count else {
      return [count(package, layout, sizes)]
    }
    if let rank = actualRank(layout, sizes, metadata) {
      return [self.rank(package, rank, metadata)]
    }
    return zip(layout.tensors, scan.records).compactMap { tensor, record in
      record.data?.count == tensor.byteCount ? nil : shape(tensor, record)
    }
  }

  /// Targets that the base has in no layer, such as those of a feed-forward network that consists of experts.
  private static func missingTargets(
    _ package: PackageReading, _ layout: AdapterLayout, _ metadata: AdapterMetadata
  ) -> Finding? {
    guard layout.source == .base else { return nil }
    let present = Set(layout.contract.layers.flatMap(\.keys))
    let missing = LoRATarget.allCases.filter {
      metadata.settings.targets.contains($0) && !present.contains($0)
    }
    guard !missing.isEmpty else { return nil }
    return Finding(
      "layout.targets", .error, .compatibility,
      at: package.metadata?.place("creatorDefined.fmadapter.targets")
        ?? .init(PackageFile.metadata),
      "No layer of the base has \(missing.map(\.rawValue).choice).",
      remedy:
        "Train the adapter on the projections that the base has; a package has no names for those of experts."
    )
  }

  private static func count(
    _ package: PackageReading, _ layout: AdapterLayout, _ sizes: [Int]
  ) -> Finding {
    let first = zip(layout.tensors, sizes).first { $0.byteCount != $1 }?.0.name
    let rest = first.map { " From \($0) on the sizes differ too." } ?? ""
    return Finding(
      "layout.count", at: .init(PackageFile.weights, offset: 0),
      "The file holds \(Figures.grouped(sizes.count)) tensors; an adapter for \(describe(layout)) has "
        + "\(Figures.grouped(layout.tensors.count)).\(rest)",
      remedy: package.metadata?.settings == nil
        ? "Export all seven targets of every layer, or state the targets in "
          + "creatorDefined.fmadapter."
        : "Make creatorDefined.fmadapter.targets and the exported tensors agree.")
  }

  private static func describe(_ layout: AdapterLayout) -> String {
    switch layout.source {
    case .apple: "Apple's on-device model of OS 26"
    case .base, .sizes: "its base of \(layout.contract.layers.count) layers"
    }
  }

  /// The rank at which all sizes fit, when it is not the stated one.
  private static func actualRank(
    _ layout: AdapterLayout, _ sizes: [Int], _ metadata: AdapterMetadata
  ) -> Int? {
    guard layout.source != .sizes, let first = layout.tensors.first, let size = sizes.first else {
      return nil
    }
    let rank = size / (2 * first.shape.columns)
    guard rank != metadata.loraRank, RankRule.range.contains(rank) else { return nil }
    let fits = zip(layout.tensors, sizes).allSatisfy { tensor, size in
      2 * rank * (tensor.side == .a ? tensor.shape.columns : tensor.shape.rows) == size
    }
    return fits ? rank : nil
  }

  private static func rank(
    _ package: PackageReading, _ rank: Int, _ metadata: AdapterMetadata
  ) -> Finding {
    Finding(
      "layout.rank", at: package.metadata?.place("loraRank") ?? .init(PackageFile.metadata),
      "loraRank is \(metadata.loraRank), but every tensor has rank \(rank).",
      remedy: "Write \(rank), and check alpha: the update is scaled by alpha / rank.")
  }

  private static func shape(_ tensor: AdapterTensor, _ record: BlobScan.Record) -> Finding {
    Finding(
      "layout.shape",
      at: .init(PackageFile.weights, tensor: tensor.name, offset: record.offset + 8),
      "The tensor has \(Figures.bytes(record.size)); (\(tensor.shape.rows), \(tensor.shape.columns)) in "
        + "float16 are \(Figures.grouped(tensor.byteCount ?? 0)).",
      remedy: "Export the adapter again from the base that its signature names.")
  }

  private static func unknownLayout(
    _ package: PackageReading, _ metadata: AdapterMetadata, _ sizes: [Int]
  ) -> Finding {
    let place = Finding.Place(PackageFile.weights, offset: 0)
    let remedy = "Check loraRank and the targets, or name the base to compare with."
    if !sizes.count.isMultiple(of: 2) || sizes.isEmpty {
      return Finding(
        "layout.count", at: place,
        "The file holds \(Figures.grouped(sizes.count)) tensors; they have to come in pairs of A and B.",
        remedy: "Export the adapter again.")
    }
    let step = 2 * metadata.loraRank
    if let odd = sizes.firstIndex(where: { $0 == 0 || !$0.isMultiple(of: step) }) {
      return Finding(
        "layout.rank", at: package.metadata?.place("loraRank") ?? .init(PackageFile.metadata),
        "Blob \(odd) has \(Figures.bytes(sizes[odd])), which is no whole number of rows of rank "
          + "\(metadata.loraRank).",
        remedy: remedy)
    }
    return Finding(
      "layout.count", at: place,
      "The \(Figures.grouped(sizes.count)) tensors are no whole number of layers with the stated targets.",
      remedy: remedy)
  }
}

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

/// The weights are those whose digest the author recorded.
enum WeightDigestRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let recorded = package.metadata?.settings?["weightsSHA256"]?.string
    guard let recorded, let actual = package.weightsDigest, recorded != actual,
      recorded.utf8.count == 64, recorded.utf8.allSatisfy(isLowercaseHex)
    else { return [] }
    return [
      Finding(
        "identity.weights", .error, .integrity, at: .init(PackageFile.weights),
        "The SHA-256 is \(actual); \(PackageFile.metadata) records \(recorded).",
        remedy: "Get the package again from its source: the weights are not the ones that were "
          + "measured.")
    ]
  }
}
