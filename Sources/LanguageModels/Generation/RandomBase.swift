public import Kernels
import TensorFiles

/// A base of architecture `llama` with random weights: as fast as a real one of its shape, and it says nothing.
public struct RandomBase: Sendable {
  /// Number of layers.
  public var layers = 24
  /// Width of the residual stream.
  public var width = 1024
  /// Width inside the feed-forward network.
  public var hiddenWidth = 4096
  /// Query heads.
  public var heads = 16
  /// Key/value heads.
  public var keyValueHeads = 4
  /// Pieces in the vocabulary.
  public var vocabularySize = 32_000
  /// Tokens of context.
  public var contextLength = 4096
  /// Type of all matrices.
  public var type = TensorType.q4_0

  /// 0.43 billion parameters in Q4_0.
  public init() {}

  /// Writes the base to `path`: the same bytes each time.
  ///
  /// - Throws: `.tensorFile` when the file cannot be written.
  public func write(to path: String) throws(LanguageModelError) {
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
      throw .tensorFile(error)
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
