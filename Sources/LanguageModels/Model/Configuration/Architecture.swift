package import Kernels
import SystemFiles

/// The model families that the forward pass knows, by their names in `general.architecture`.
///
/// What sets one apart is said here and in the metadata of a file; the pass has the same steps for all.
public enum Architecture: String, CaseIterable, Sendable {
  /// Apple Foundation Models text: heads are normalized after the rotation, and the last layers share the
  /// keys and values of one layer.
  case afm
  /// Gemma 2: layers with and without a window in turn, norms before and after each block, capped scores and logits.
  case gemma2
  /// Gemma 3 text: five layers with a window and angles of their own, then one without.
  case gemma3
  /// Gemma 4 text: layers with a window and those without have heads of other sizes, each layer may get an embedding of its
  /// own, and experts beside its feed-forward network.
  case gemma4
  /// Granite 3 without experts: embeddings, blocks, scores and logits have constant factors.
  case granite
  /// LFM 2 without experts: short convolutions in the place of most layers' attention.
  case lfm2
  /// Llama and what shares its form: Mistral, SmolLM, TinyLlama.
  case llama
  /// Phi 3, 3.5 and 4: projections are fused, and long contexts have angles of their own.
  case phi3
  /// Qwen 2 and 2.5: queries, keys and values have biases.
  case qwen2
  /// Qwen 3: heads are normalized before the rotation.
  case qwen3
  /// Qwen 3.5 without experts: gated delta rules in the place of most layers' attention, whose result has a gate.
  case qwen35
  /// Qwen 3 with experts.
  case qwen3moe
  /// SmolLM 3: every fourth layer knows no positions.
  case smollm3

  /// Whether embeddings are scaled by the root of the width, and results normalized.
  var isGemma: Bool { self == .gemma2 || self == .gemma3 || self == .gemma4 }

  /// Whether a checkpoint's norms multiply by 1 + weight; a base has the sum.
  var centresNorms: Bool { [.gemma2, .gemma3, .qwen35].contains(self) }

  /// Whether the rotation pairs neighbours instead of halves: such files have their Q and K rows permuted.
  package var rotatesAdjacentPairs: Bool { [.granite, .llama, .smollm3].contains(self) }

  /// Whether Q and K have a norm per head.
  var normalizesHeads: Bool {
    [.afm, .gemma3, .gemma4, .lfm2, .qwen3, .qwen35, .qwen3moe].contains(self)
  }

  /// Whether that norm comes before the rotation.
  package var normalizesBeforeRotation: Bool { self != .afm && normalizesHeads }

  /// Whether values have one, too, without a weight.
  var normalizesValues: Bool { self == .gemma4 }

  /// Whether layers differ in their heads and widths, get embeddings of their own, and are scaled at their end.
  var hasUnlikeLayers: Bool { self == .gemma4 }

  /// Whether Q, K and V must have biases; any architecture may.
  var requiresBiases: Bool { self == .qwen2 }

  /// Whether what attention and feed-forward network give is normalized before it is added.
  var normalizesResults: Bool { isGemma }

  /// Whether some layers have a convolution in the place of attention: those that have no key/value heads.
  var hasConvolutions: Bool { self == .lfm2 }

  /// Whether some layers have a gated delta rule in the place of attention: all but every n-th.
  var hasDeltaRules: Bool { self == .qwen35 }

  /// Whether each head's query is followed by a gate of what the head gives.
  package var gatesHeads: Bool { self == .qwen35 }

  /// The stem of the norm before a layer's feed-forward network.
  var feedForwardNorm: String { self == .qwen35 ? "post_attention_norm" : "ffn_norm" }

  /// The stem of the norm behind the last layer.
  var outputNorm: String { self == .lfm2 ? "token_embd_norm" : "output_norm" }

  /// Whether each layer's feed-forward network consists of experts.
  package var hasExperts: Bool { self == .qwen3moe }

  /// Whether layers may have experts beside it.
  var mayAddExperts: Bool { self == .gemma4 }

  /// Whether the file has gate and up as one matrix, the gate's rows first.
  var fusesGate: Bool { self == .phi3 }

  /// The window, and the caps of scores and logits, of files that do not say them.
  var defaultWindow: Int? { self == .gemma2 ? 4096 : nil }
  var defaultCaps: (scores: Double, logits: Double)? { self == .gemma2 ? (50, 30) : nil }

  /// What bends the gate.
  package var activation: GateActivation { isGemma ? .gelu : .silu }

  /// Whether the layer at `index` sees no more than the window, in a model that has one and says no more.
  func hasWindow(layer index: Int) -> Bool {
    switch self {
    case .gemma2: index.isMultiple(of: 2)
    case .gemma3: !(index + 1).isMultiple(of: 6)
    default: true
    }
  }

  /// What turns the heads of the layer at `index`, which has a window or not; files do not say it.
  func rotation(layer index: Int, hasWindow: Bool) -> LayerRotation? {
    switch self {
    case .gemma3, .gemma4: hasWindow ? .local : .main
    case .smollm3: (index + 1).isMultiple(of: 4) ? nil : .main
    default: .main
    }
  }

  /// What the scores of attention are divided by the root of: the head size, but for two models, of which files do not
  /// say it either.
  func scoreSize(layers: Int, width: Int, heads: Int, headSize: Int) -> Int {
    if self == .gemma4 { return 1 }
    let isLargest = (self, layers) == (.gemma2, 46) || (self, layers) == (.gemma3, 62)
    return isLargest ? width / heads : headSize
  }

  /// Names of llama.cpp's for models that give vectors, and write nothing.
  private static let encoders: Set<String> = [
    "bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "llama-embed",
    "modern-bert", "neo-bert", "nomic-bert", "nomic-bert-moe", "t5encoder",
  ]

  /// The architecture that the GGUF file `file` calls `name`.
  ///
  /// - Throws: `BaseModelError`: `.isProjector`, `.writesNothing` or `.unsupportedArchitecture`.
  package init(named name: String, in file: String) throws(BaseModelError) {
    guard let known = Architecture(rawValue: name) else {
      if name == "clip" { throw .isProjector(file: file) }
      throw Self.encoders.contains(name)
        ? .writesNothing(file: file) : .unsupportedArchitecture(file: file, name: name)
    }
    self = known
  }

  /// What to do about a base of an architecture that is not here.
  static func advice(for name: String) -> String {
    func shared(_ first: String, _ second: String) -> Int {
      zip(first, second).prefix { $0 == $1 }.count
    }
    let known = allCases.map(\.rawValue)
    let nearest = known.max { shared($0, name) < shared($1, name) }
    guard let nearest, shared(nearest, name) > 2 else {
      return "use a base of \(known.choice)"
    }
    return "use a base of \(nearest), which is the nearest, or of \(known.choice)"
  }
}
