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
    // tamm keeps the layers with keys of their own in one segment, those that reuse keys in a second one.
    let reuses = regular > 0 && layer >= regular
    let stem = reuses ? "segment_1.layer_\(layer - regular)" : "segment_0.layer_\(layer)"
    let module = AFMNames.module(target, reusesKeys: reuses)
    return "layers.\(stem).\(module).\(side.rawValue)_transpose"
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
    }
  }
}
