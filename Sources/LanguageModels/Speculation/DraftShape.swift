package import TensorFiles

/// The sizes of a draft model that is trained: a small model in the layout of Llama.
public struct DraftShape: Sendable, Equatable {
  /// Number of layers.
  public let layers: Int
  /// Width of the residual stream.
  public let width: Int
  /// Width inside the feed-forward network: three times that, filled up to blocks of weights.
  package var hiddenWidth: Int { (3 * width + 31) / 32 * 32 }
  /// Query heads, each with keys and values of its own.
  package var heads: Int { width / headSize }
  /// Values per head: 64 where the width is above 128, and 32; less where that does not divide the width.
  package var headSize: Int {
    [64, 32, 16, 8].first { width.isMultiple(of: $0) && (width > 128 || $0 < 64) } ?? width
  }

  /// Numbers of layers that a draft may have.
  package static let layerRange = 1...32
  /// Widths that a draft may have: multiples of ``widthStep``.
  package static let widthRange = 8...4096
  /// Widths are multiples of it; those of 32 are whole blocks of quantized weights.
  package static let widthStep = 8

  /// Traps unless there are 1 to 32 layers, and the width is a multiple of 8 from 8 to 4,096.
  public init(layers: Int, width: Int) {
    precondition(
      Self.layerRange.contains(layers) && Self.widthRange.contains(width)
        && width.isMultiple(of: Self.widthStep), "no sizes of a draft")
    (self.layers, self.width) = (layers, width)
  }

  /// What suits `base`: an eighth of its layers, 1 to 4, and a quarter of its width, 64 to 512, but at most half of it.
  ///
  /// A pass of it then takes a few hundredths of one of a base that does not fit into a processor's caches.
  public init(for base: BaseModel) {
    let configuration = base.configuration
    let quarter = min(max((configuration.width / 4 + 31) / 32 * 32, 64), 512)
    let half = configuration.width / 2 / Self.widthStep * Self.widthStep
    self.init(
      layers: min(max(configuration.layers / 8, 1), 4),
      width: max(min(quarter, half), Self.widthRange.lowerBound))
  }

  /// Weights of all matrices for a vocabulary of `tokens`, of which `outputs` are proposed.
  package func parameters(tokens: Int, outputs: Int) -> Int {
    tensors(inputs: tokens, outputs: outputs).reduce(0) {
      $0 + ($1.rows > 1 ? $1.rows * $1.columns : 0)
    }
  }

  /// Names and sizes of all tensors, `(rows, columns)`, with `inputs` rows of the embedding and `outputs` of the head; of a
  /// vector one row.
  package func tensors(
    inputs: Int, outputs: Int
  ) -> [(name: String, rows: Int, columns: Int)] {
    let layers = (0..<layers).flatMap { index in
      let stem = "blk.\(index)."
      return [
        (stem + "attn_norm.weight", 1, width), (stem + "attn_q.weight", width, width),
        (stem + "attn_k.weight", width, width), (stem + "attn_v.weight", width, width),
        (stem + "attn_output.weight", width, width), (stem + "ffn_norm.weight", 1, width),
        (stem + "ffn_gate.weight", hiddenWidth, width),
        (stem + "ffn_up.weight", hiddenWidth, width),
        (stem + "ffn_down.weight", width, hiddenWidth),
      ]
    }
    return [("token_embd.weight", inputs, width), ("output_norm.weight", 1, width)] + layers
      + [("output.weight", outputs, width)]
  }

  /// The keys of a file, but for those of tokens.
  package func metadata(contextLength: Int) -> [(key: String, value: GGUFValue)] {
    [
      ("general.architecture", .text("llama")),
      ("llama.context_length", .uint32(UInt32(clamping: contextLength))),
      ("llama.embedding_length", .uint32(UInt32(width))),
      ("llama.block_count", .uint32(UInt32(layers))),
      ("llama.feed_forward_length", .uint32(UInt32(hiddenWidth))),
      ("llama.attention.head_count", .uint32(UInt32(heads))),
      ("llama.attention.head_count_kv", .uint32(UInt32(heads))),
      ("llama.attention.layer_norm_rms_epsilon", .float32(Self.epsilon)),
      ("llama.rope.freq_base", .float32(Self.rotaryBase)),
    ]
  }

  /// The hyperparameters of that file, as training needs them.
  package func configuration(contextLength: Int, vocabularySize: Int) -> ModelConfiguration {
    ModelConfiguration(
      architecture: .llama, layers: layers, sharedKeyValueLayers: 0, width: width,
      hiddenWidth: hiddenWidth, experts: nil, heads: heads, keyValueHeads: heads,
      headSize: headSize,
      rotary: RotarySettings(
        size: headSize, base: Self.rotaryBase, localBase: nil, scaling: .linear(1)),
      attention: Array(repeating: LayerAttention(window: nil, rotation: .main), count: layers),
      scales: ModelScales(attention: 1 / Float(headSize).squareRoot()), epsilon: Self.epsilon,
      contextLength: contextLength, vocabularySize: vocabularySize)
  }

  /// The angles of its heads.
  package var rotary: RotaryTables {
    RotaryTables(
      short: RotaryTable(
        size: headSize, base: Self.rotaryBase,
        divisors: Array(repeating: 1, count: headSize / 2)))
  }

  private static let epsilon: Float = 1e-5
  private static let rotaryBase: Float = 10_000
}
