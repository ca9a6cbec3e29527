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
      (source, contract, targets) = (.apple, .apple, LoRATarget.transformer)
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

/// One tensor of a package's weights: its place in the base and its shape.
public struct AdapterTensor: Sendable, Hashable {
  /// The two factors of a low-rank update.
  public enum Side: String, Sendable, Codable {
    /// A `(rank, in)`.
    case a
    /// B `(out, rank)`.
    case b
  }

  /// Layer of the base, from 0.
  public let layer: Int
  /// Projection of that layer.
  public let target: LoRATarget
  /// Which factor.
  public let side: Side
  /// `(rank, in)` for A, `(out, rank)` for B.
  public let shape: MatrixShape
  /// The name that messages use: the checkpoint's own for `afm`, else the GGUF stem's.
  public let name: String

  /// Bytes of the tensor in Float16; nil when that overflows.
  public var byteCount: Int? {
    let (values, overflow) = shape.rows.multipliedReportingOverflow(by: shape.columns)
    let (bytes, again) = values.multipliedReportingOverflow(by: 2)
    return overflow || again ? nil : bytes
  }
}

extension BaseContract {
  /// The tensors of an adapter in native order: layer by layer, in each the `targets` that it has, each A then B.
  public func tensors(targets: Set<LoRATarget>, rank: Int) -> [AdapterTensor] {
    let regular = layers.prefix { $0[.key] != nil }.count
    return layers.indices.flatMap { layer in
      LoRATarget.allCases.filter(targets.contains).flatMap { target -> [AdapterTensor] in
        guard let shape = layers[layer][target] else { return [] }
        return [
          AdapterTensor(
            layer: layer, target: target, side: .a,
            shape: MatrixShape(rows: rank, columns: shape.columns),
            name: tensorName(layer, target, .a, regular)),
          AdapterTensor(
            layer: layer, target: target, side: .b,
            shape: MatrixShape(rows: shape.rows, columns: rank),
            name: tensorName(layer, target, .b, regular)),
        ]
      }
    }
  }

  /// `regular` is the number of leading layers with keys of their own.
  private func tensorName(
    _ layer: Int, _ target: LoRATarget, _ side: AdapterTensor.Side, _ regular: Int
  ) -> String {
    guard architecture == "afm" else {
      return "blk.\(layer).\(target.rawValue).lora_\(side.rawValue)"
    }
    return Self.toolkitName(layer: layer, target, regularLayers: regular)
      + ".\(side.rawValue)_transpose"
  }

  /// The name that checkpoints of Apple's toolkit have for a pair, without its last part; the first `regularLayers` have
  /// keys of their own.
  package static func toolkitName(
    layer: Int, _ target: LoRATarget, regularLayers regular: Int
  ) -> String {
    // tamm keeps the layers with keys of their own in one segment, those that reuse keys in a second one.
    let reuses = regular > 0 && layer >= regular
    let stem = reuses ? "segment_1.layer_\(layer - regular)" : "segment_0.layer_\(layer)"
    return "layers.\(stem).\(AFMNames.module(target, reusesKeys: reuses))"
  }
}

/// The names of modules in AFM checkpoints.
private enum AFMNames {
  static func module(_ target: LoRATarget, reusesKeys: Bool) -> String {
    let adapter = "adapters.base_adapter"
    return switch target {
    case .query:
      reusesKeys
        ? "attention.q_transform.\(adapter)" : "attention.qkv_transform.\(adapter).lora_0"
    case .key: "attention.qkv_transform.\(adapter).lora_1"
    case .value: "attention.qkv_transform.\(adapter).lora_2"
    case .output: "attention.output_transform.\(adapter)"
    case .gate: "feed_forward.hidden_transform.linear_0.\(adapter)"
    case .up: "feed_forward.hidden_transform.linear_1.\(adapter)"
    case .down: "feed_forward.output_transform.\(adapter)"
    // No base of this family has them, but a package may say that it changes them.
    case .convolutionInput, .convolutionOutput, .deltaInput, .deltaGate, .deltaAlpha, .deltaBeta,
      .deltaOutput, .tokenGate, .tokenProjection:
      "\(target.rawValue).\(adapter)"
    }
  }
}
