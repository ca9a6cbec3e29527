public import Kernels

/// Which type each tensor of a base is written in.
///
/// Vectors, such as norms and biases, are F32, and so is what chooses experts or sums in a convolution; what makes the layers'
/// own embeddings of tokens is F16 at least. Matrices are of `type`, but for those that a
/// mix makes finer; embedding and output head of `embedding` when that is given, else also of `type`, but of Q4_0 beside
/// Q2_B, as in Apple's model. A matrix whose rows are not whole blocks falls back: K-quants (rows of 256) to Q8_0, Q2_K and
/// Q2_B to Q4_0, and the types of 32 to F16.
public struct TensorTypePlan: Sendable, Equatable {
  /// For matrices.
  package let type: TensorType
  /// For `token_embd.weight` and `output.weight`; nil leaves it to `type` and `mix`.
  package let embedding: TensorType?
  /// What is finer than `type`.
  let mix: Mix?

  /// Which matrices are finer than the others, as in llama.cpp's files of these names.
  public enum Mix: String, Sendable, CaseIterable {
    case q4_K_S, q4_K_M, q5_K_S, q5_K_M

    /// That of most matrices.
    var type: TensorType { self == .q4_K_S || self == .q4_K_M ? .q4_K : .q5_K }
    /// The name in files and commands, such as `q4_k_m`.
    package var name: String { rawValue.lowercased() }
  }

  /// That of the mix, or of `type`, as in `Q4_K_M`.
  package var name: String { mix?.name.uppercased() ?? type.name }

  /// Whether all matrices are of `type`, as far as their rows are whole blocks.
  package var isUniform: Bool { mix == nil && embedding == nil && type != .q2_B }

  /// Traps when a type can only be read.
  public init(type: TensorType, embedding: TensorType? = nil) {
    precondition(type.isWritable && embedding?.isWritable ?? true, "a type that can only be read")
    (self.type, self.embedding, mix) = (type, embedding, nil)
  }

  /// Traps when the type of the embedding can only be read.
  public init(_ mix: Mix, embedding: TensorType? = nil) {
    precondition(embedding?.isWritable ?? true, "a type that can only be read")
    (type, self.embedding, self.mix) = (mix.type, embedding, mix)
  }

  /// What chooses experts, and the few numbers of convolutions.
  private static let exact = [
    "ffn_gate_inp.weight", "shortconv.conv.weight", "ssm_conv1d.weight",
  ]

  /// The types of all tensors of a base: names, and sizes with the fastest first.
  package func types(of tensors: [(name: String, dimensions: [Int])]) -> [TensorType] {
    let layers = 1 + (tensors.compactMap { Self.layer(of: $0.name) }.max() ?? -1)
    // The embedding is the head, too, where there is no other.
    let hasHead = tensors.contains { $0.name == "output.weight" }
    return tensors.map { name, dimensions in
      guard dimensions.count > 1, !Self.exact.contains(where: name.hasSuffix) else { return .f32 }
      if name == "per_layer_model_proj.weight" { return type.blockLength > 1 ? .f16 : type }
      // Those of all layers, and the layers' own.
      let isEmbedding = name.hasSuffix("token_embd.weight")
      let isHead = hasHead ? name == "output.weight" : isEmbedding
      let type =
        isEmbedding || isHead
        ? embedding ?? (mix != nil && isHead ? .q6_K : type == .q2_B ? .q4_0 : type)
        : mixed(name, layers: layers)
      return TensorTypePlan.fitting(type, columns: dimensions[0])
    }
  }

  /// The type of a matrix within a layer: what values are made with and the end of the feed-forward step bear least.
  private func mixed(_ name: String, layers: Int) -> TensorType {
    guard let mix, let layer = Self.layer(of: name) else { return type }
    let isValue = name.hasSuffix(".attn_v.weight") || name.hasSuffix(".attn_qkv.weight")
    guard isValue || name.contains(".ffn_down") else { return type }
    let eighth = layers / 8
    switch mix {
    case .q4_K_M, .q5_K_M:
      let isFiner =
        layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2
      return isFiner ? .q6_K : type
    case .q4_K_S: return layer < (isValue ? 4 : eighth) ? .q5_K : type
    case .q5_K_S: return type
    }
  }

  /// The number in `blk.3.ffn_down.weight`.
  private static func layer(of name: String) -> Int? {
    let parts = name.split(separator: ".")
    return parts.count > 2 && parts[0] == "blk" ? Int(parts[1]) : nil
  }

  private static func fitting(_ type: TensorType, columns: Int) -> TensorType {
    if columns.isMultiple(of: type.blockLength) { return type }
    switch type {
    case .q2_K, .q2_B: return fitting(.q4_0, columns: columns)
    case .q3_K, .q4_K, .q5_K, .q6_K: return fitting(.q8_0, columns: columns)
    default: return .f16
    }
  }

  /// The number of `general.file_type` for files that are mostly of `type`; llama.cpp has none for Q2_B.
  package var fileType: UInt32 {
    switch mix {
    case .q4_K_M: return 15
    case .q5_K_M: return 17
    case .q4_K_S, .q5_K_S, nil: break
    }
    return switch type {
    case .f32: 0
    case .f16: 1
    case .q4_0: 2
    case .q4_1: 3
    case .q8_0: 7
    case .q5_0: 8
    case .q5_1: 9
    case .q2_K: 10
    case .q3_K: 12
    case .q4_K: 14
    case .q5_K: 16
    case .q6_K: 18
    case .bf16: 32
    case .iq2_XXS: 19
    case .iq2_XS: 20
    case .iq3_XXS: 23
    case .iq4_NL: 25
    case .iq3_S: 26
    case .iq2_S: 28
    case .iq4_XS: 30
    case .tq2_0: 37
    case .mxfp4: 38
    case .q2_0: 41
    case .q2_B: type.rawValue
    }
  }
}
