import Adapters
package import Kernels
import SystemFiles
import TensorFiles

/// A base of architecture `llama` with random weights: as fast as a real one of its shape, and it says nothing.
///
/// It has 0.43 billion parameters unless told otherwise.
package struct RandomBase: Sendable {
  /// Number of layers.
  package var layers = 24
  /// Width of the residual stream.
  package var width = 1024
  /// Width inside the feed-forward network.
  package var hiddenWidth = 4096
  /// Query heads.
  package var heads = 16
  /// Key/value heads.
  package var keyValueHeads = 4
  /// Pieces in the vocabulary.
  package var vocabularySize = 32_000
  /// Tokens of context.
  var contextLength = 4096
  /// Type of all matrices.
  package var type = TensorType.q4_0

  package init() {}

  /// Becomes a draft of 20 million parameters with the same tokens.
  package mutating func makeDraft() {
    (layers, width, hiddenWidth, heads, keyValueHeads) = (4, 256, 1024, 4, 2)
  }

  /// Writes the base to `path`: the same bytes each time.
  package func write(to path: String) throws(BaseModelError) {
    do {
      var head = GGUFWriter()
      for (key, value) in metadata { head.set(key, value) }
      for tensor in tensors { head.append(tensor) }
      var stream = try GGUFStream(head, path: path)
      var random = SplitMix64(seed: 1)
      for tensor in tensors {
        let rows = tensor.dimensions.dropFirst().reduce(1, *)
        let rowsPerPiece = max(1, (1 << 20) / (tensor.size / rows))
        for first in stride(from: 0, to: rows, by: rowsPerPiece) {
          let count = min(rowsPerPiece, rows - first) * tensor.dimensions[0]
          try stream.write(
            RandomBlocks(tensor.type, columns: tensor.dimensions[0]).bytes(count, &random))
        }
      }
      try stream.commit()
    } catch {
      throw .file(error)
    }
  }

  private var metadata: [(String, GGUFValue)] {
    [
      ("general.architecture", .text("llama")),
      ("general.name", .text("random")),
      ("llama.context_length", .uint32(UInt32(contextLength))),
      ("llama.embedding_length", .uint32(UInt32(width))),
      ("llama.block_count", .uint32(UInt32(layers))),
      ("llama.feed_forward_length", .uint32(UInt32(hiddenWidth))),
      ("llama.attention.head_count", .uint32(UInt32(heads))),
      ("llama.attention.head_count_kv", .uint32(UInt32(keyValueHeads))),
      ("llama.attention.layer_norm_rms_epsilon", .float32(1e-5)),
      ("llama.rope.freq_base", .float32(10_000)),
      ("llama.vocab_size", .uint32(UInt32(vocabularySize))),
      ("tokenizer.ggml.model", .text("none")),
    ]
  }

  private var tensors: [GGUFWriter.Tensor] {
    let keyValueWidth = width / heads * keyValueHeads
    func matrix(_ name: String, _ rows: Int, _ columns: Int) -> GGUFWriter.Tensor {
      GGUFWriter.Tensor(name: name + ".weight", type: type, dimensions: [columns, rows])
    }
    func norm(_ name: String) -> GGUFWriter.Tensor {
      GGUFWriter.Tensor(name: name + ".weight", type: .f32, dimensions: [width])
    }
    let layers = (0..<layers).flatMap { index in
      let stem = "blk.\(index)."
      return [
        norm(stem + "attn_norm"), matrix(stem + "attn_q", width, width),
        matrix(stem + "attn_k", keyValueWidth, width),
        matrix(stem + "attn_v", keyValueWidth, width),
        matrix(stem + "attn_output", width, width), norm(stem + "ffn_norm"),
        matrix(stem + "ffn_gate", hiddenWidth, width), matrix(stem + "ffn_up", hiddenWidth, width),
        matrix(stem + "ffn_down", width, hiddenWidth),
      ]
    }
    return [matrix("token_embd", vocabularySize, width), norm("output_norm")] + layers
      + [matrix("output", vocabularySize, width)]
  }
}

/// Random weights of any type whose products keep activations at ordinary sizes.
struct RandomBlocks {
  private let type: TensorType
  /// The standard deviation to aim for.
  private let deviation: Float

  init(_ type: TensorType, columns: Int) {
    self.type = type
    deviation = 1 / Float(columns).squareRoot()
  }

  /// The bytes of `count` weights: random codes under fixed scales; F32 weights are all 1.
  func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    let blocks = count / type.blockLength
    var bytes = [UInt8](repeating: 0, count: blocks * type.blockBytes)
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let word = random.next()
      for index in start..<min(start + 8, bytes.count) {
        bytes[index] = UInt8(truncatingIfNeeded: word >> ((index - start) * 8))
      }
    }
    for block in 0..<blocks { setScales(&bytes, block * type.blockBytes) }
    return bytes
  }

  private func setScales(_ bytes: inout [UInt8], _ start: Int) {
    func set(_ offset: Int, _ value: Float) {
      let bits = halfFromFloat(value)
      bytes[start + offset] = UInt8(truncatingIfNeeded: bits)
      bytes[start + offset + 1] = UInt8(truncatingIfNeeded: bits >> 8)
    }
    // Deviation of scale times code, and for types with a minimum what its mean has to be multiplied with.
    switch type {
    case .f32: bytes.replaceSubrange(start..<start + 4, with: [0, 0, 0x80, 0x3f])
    case .f16, .bf16:
      // Clears the upper exponent bits: below 2^-7 in magnitude.
      bytes[start + 1] &= type == .f16 ? 0xa3 : 0xbb
    case .q4_0: set(0, deviation / 4.6)
    case .q2_B: set(0, deviation / 1.118)
    case .q5_0: set(0, deviation / 9.2)
    case .q8_0: set(0, deviation / 74)
    case .q4_1:
      set(0, deviation / 4.6)
      set(2, deviation / 4.6 * -7.5)
    case .q5_1:
      set(0, deviation / 9.2)
      set(2, deviation / 9.2 * -15.5)
    case .q2_K:
      set(80, deviation / 14)
      set(82, deviation / 14 * 1.5)
    case .q3_K: set(108, deviation / 43)
    case .q4_K:
      set(0, deviation / 240)
      set(2, deviation / 240 * 7.5)
    case .q5_K:
      set(0, deviation / 480)
      set(2, deviation / 480 * 15.5)
    case .q6_K: set(208, deviation / 1370)
    case .iq4_NL: set(0, deviation / 71)
    case .iq4_XS: set(0, deviation / 1310)
    case .mxfp4: bytes[start] = UInt8(clamping: 127 + (deviation / 2.6).exponent)
    case .q2_0: set(0, deviation / 1.12)
    case .tq2_0: set(64, deviation / 1.12)
    case .iq2_XXS, .iq2_XS, .iq2_S: set(0, deviation / 60)
    case .iq3_XXS: set(0, deviation / 170)
    case .iq3_S: set(0, deviation / 160)
    }
  }
}

/// An adapter with random weights for all seven projections of a base: as fast as a trained one of its rank.
package struct RandomAdapter: Sendable {
  /// Rank of every pair.
  package var rank = 32
  /// Adapters with other seeds have other weights.
  package var seed: UInt64 = 1

  package init() {}

  /// The adapter as sessions over `model` apply it.
  package func applied(to model: BaseModel) -> AppliedAdapter {
    var random = SplitMix64(seed: seed)
    let layers = model.weights.layers.map { layer in
      LoRATarget.allCases.reduce(into: [LoRATarget: LowRankPair]()) { pairs, target in
        guard let shape = layer.shapes[target] else { return }
        pairs[target] = LowRankPair(
          a: Self.halves(rank * shape.columns, &random),
          b: Self.halves(rank * shape.rows, &random), rank: rank, shape: shape)
      }
    }
    return AppliedAdapter(
      identifier: "random-\(rank)-\(seed)", contentHash: "random-\(rank)-\(seed)", layers: layers,
      scale: 0.5)
  }

  /// Halves between -1/64 and 1/64.
  private static func halves(_ count: Int, _ random: inout SplitMix64) -> TensorBytes {
    TensorBytes(
      (0..<count).flatMap { _ in
        let bits = random.next()
        let half = UInt16(truncatingIfNeeded: bits) & 0x83FF | UInt16(bits >> 32 & 7 + 1) << 10
        return [UInt8(truncatingIfNeeded: half), UInt8(half >> 8)]
      })
  }
}
