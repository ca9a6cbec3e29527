/// The tensors that a package's weights have to be, and where that is known from.
struct AdapterLayout: Sendable {
  /// What the shapes were taken from.
  enum Source: Sendable, Equatable {
    /// The base that the caller named.
    case base
    /// Apple's contract, known here.
    case apple
    /// The sizes of the blobs themselves, because the base is not known.
    case sizes
  }

  let source: Source
  let contract: BaseContract
  let tensors: [AdapterTensor]

  /// The layout for the metadata and blobs of a package; nil when neither leads to one.
  init?(metadata: AdapterMetadata, sizes: [Int], base: BaseContract?) {
    let settings = metadata.settings
    let targets: Set<LoRATarget>
    if let base, base.signature == metadata.baseModelSignature {
      (source, contract, targets) = (.base, base, settings.targets)
    } else if metadata.baseModelSignature == BaseContract.appleSignature {
      (source, contract, targets) = (.apple, .apple, Set(LoRATarget.allCases))
    } else if let inferred = BaseContract(
      inferredFrom: sizes, targets: settings.targets, rank: metadata.loraRank,
      signature: metadata.baseModelSignature,
      architecture: settings.architecture ?? (metadata.statedSettings == nil ? "afm" : ""))
    {
      (source, contract, targets) = (.sizes, inferred, settings.targets)
    } else {
      return nil
    }
    tensors = contract.tensors(targets: targets, rank: metadata.loraRank)
  }
}

extension BaseContract {
  /// The base whose adapter would have blobs of these `sizes` in bytes; nil when there is none.
  ///
  /// The first layer has every target. Each further layer has the first one's shapes, or, where those do not fit,
  /// those of a layer that reuses keys and values.
  init?(
    inferredFrom sizes: [Int], targets: Set<LoRATarget>, rank: Int, signature: String,
    architecture: String
  ) {
    let step = 2 * rank
    guard sizes.count.isMultiple(of: 2), sizes.allSatisfy({ $0 > 0 && $0.isMultiple(of: step) })
    else { return nil }
    let shapes = stride(from: 0, to: sizes.count, by: 2).map {
      MatrixShape(rows: sizes[$0 + 1] / step, columns: sizes[$0] / step)
    }
    let regular = LoRATarget.allCases.filter(targets.contains)
    let reusing = regular.filter { $0 != .key && $0 != .value }
    guard !regular.isEmpty, shapes.count >= regular.count else { return nil }
    let model = Dictionary(uniqueKeysWithValues: zip(regular, shapes))
    var layers: [[LoRATarget: MatrixShape]] = []
    var rest = shapes[...]
    while !rest.isEmpty {
      let fitting = [regular, reusing].first { kinds in
        !kinds.isEmpty && rest.prefix(kinds.count).elementsEqual(kinds.compactMap { model[$0] })
      }
      guard let kinds = fitting else { return nil }
      layers.append(Dictionary(uniqueKeysWithValues: zip(kinds, rest)))
      rest = rest.dropFirst(kinds.count)
    }
    self.init(signature: signature, architecture: architecture, layers: layers)
  }
}
