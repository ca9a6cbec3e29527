package import Kernels
import TensorFiles

/// The hyperparameters of a base model; sizes are in values, lengths in tokens.
public struct ModelConfiguration: Sendable, Equatable {
  /// The model family.
  public let architecture: Architecture
  /// Number of layers.
  public let layers: Int
  /// Last layers that have no keys and values and read those of the last regular layer.
  package let sharedKeyValueLayers: Int
  /// Width of the residual stream.
  public let width: Int
  /// Width inside the feed-forward network.
  package let hiddenWidth: Int
  /// What a layer has in the place of one feed-forward network, or beside it; nil in models without experts.
  package let experts: ExpertSettings?
  /// Query heads.
  package let heads: Int
  /// Key/value heads; a divisor of `heads`.
  package let keyValueHeads: Int
  /// Values per head.
  package let headSize: Int
  /// How positions turn the heads.
  let rotary: RotarySettings
  /// What each layer sees.
  package let attention: [LayerAttention]
  /// Constant factors and limits.
  package let scales: ModelScales
  /// Added to the mean square by the norms.
  package let epsilon: Float
  /// Tokens that the model was trained to see at once.
  public let contextLength: Int
  /// Pieces in the vocabulary.
  public let vocabularySize: Int
  /// The layers with a convolution; nil in models without.
  var convolution: ConvolutionSettings?
  /// The layers with a gated delta rule; nil in models without.
  package internal(set) var deltaRule: DeltaRuleSettings?
  /// Blocks of the file behind the last layer, which foretell further tokens and are not used.
  var blocksBehind = 0
  /// What is not alike in all layers; nil in models where all is.
  var layerSizes: [LayerSizes]?
  /// Width of the embedding that each layer has of each token; nil in models where there is one for all layers.
  package internal(set) var tokenWidth: Int?

  /// Width of all query heads together, in layers whose heads are of `headSize`.
  package var queryWidth: Int { heads * headSize }
  /// Width of all key heads together, and of all value heads.
  package var keyValueWidth: Int { keyValueHeads * headSize }
  /// Layers that have keys and values of their own.
  var regularLayers: Int { layers - sharedKeyValueLayers }
  /// Bytes of keys and values that a token takes in a session's cache, in halves.
  var cacheBytes: Int {
    (0..<regularLayers).reduce(0) { sum, layer in
      hasAttention(layer: layer) ? sum + headShape(layer: layer).keyValueWidth * 2 * 2 : sum
    }
  }
  /// Whether the layer at `index` has attention, and nothing in the place of it.
  package func hasAttention(layer index: Int) -> Bool {
    !(convolution?.layers.contains(index) ?? false) && !(deltaRule?.layers.contains(index) ?? false)
  }
}

extension ModelConfiguration {
  /// The heads of the layer at `index`.
  package func headShape(layer index: Int) -> HeadShape {
    layerSizes?[index].shape
      ?? HeadShape(heads: heads, keyValueHeads: keyValueHeads, size: headSize)
  }

  /// Width inside the feed-forward network of the layer at `index`.
  package func hiddenWidth(layer index: Int) -> Int {
    layerSizes?[index].hiddenWidth ?? hiddenWidth
  }

  /// The layer whose keys and values the one at `index` reads: itself, or one before it.
  package func keyValueSource(layer index: Int) -> Int {
    layerSizes?[index].source ?? min(index, regularLayers - 1)
  }
}

extension ModelConfiguration {
  /// What attention of the layer at `index` computes with.
  package func attentionRule(layer index: Int) -> AttentionRule {
    AttentionRule(
      scale: scales.attention, window: attention[index].window, cap: scales.attentionCap)
  }
}

extension ModelConfiguration {
  /// Reads and bounds the hyperparameters of `file`; tensors are compared with them afterwards.
  ///
  /// - Throws: `BaseModelError`, for the first key that is missing or impossible.
  init(_ file: GGUFFile) throws(BaseModelError) {
    let reader = try HyperparameterReader(file)
    let architecture = reader.architecture
    let width = try reader.count("embedding_length", in: 1...1 << 20)
    let heads = try reader.count("attention.head_count", in: 1...4096)
    let (layers, behind) = try reader.layers()
    if architecture.hasUnlikeLayers {
      self = try reader.unlikeLayers(layers: layers, width: width, heads: heads)
      return
    }
    let (keyValueHeads, convolution) = try reader.keyValueHeads(default: heads, layers: layers)
    let headSize = try reader.headSize(width: width, heads: heads)
    let shared =
      architecture == .afm
      ? try reader.count("attention.shared_kv_layers", in: 0...layers - 1, default: 0) : 0
    let hiddenWidth = try reader.count("feed_forward_length", in: 1...1 << 22)
    self.init(
      architecture: architecture, layers: layers, sharedKeyValueLayers: shared, width: width,
      hiddenWidth: hiddenWidth, experts: try reader.experts(hiddenWidth: hiddenWidth), heads: heads,
      keyValueHeads: keyValueHeads, headSize: headSize,
      rotary: try reader.rotary(headSize: headSize),
      attention: try reader.attention(layers: layers),
      scales: try reader.scales(
        width: width,
        scoreSize: architecture.scoreSize(
          layers: layers, width: width, heads: heads, headSize: headSize)),
      epsilon: try reader.number("attention.layer_norm_rms_epsilon", above: 0),
      contextLength: try reader.count("context_length", in: 1...1 << 26),
      vocabularySize: try reader.vocabularySize(), convolution: convolution,
      deltaRule: try reader.deltaRule(layers: layers, behind: behind),
      blocksBehind: behind)
  }
}
