import Adapters
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// A random base of one layer that speaks bytes, with an adapter for it: a store to try commands on.
struct SampleBase {
  static let signature = String(repeating: "c", count: 40)
  private static let (width, hidden, context) = (16, 32, 256)
  /// The unknown, begin and end tokens, 256 bytes, and the two of the chat format.
  private static let vocabulary = 3 + 256 + 2

  let folder: TemporaryDirectory
  let base: String
  let package: String

  /// The first of `adapters` is the package; all stand in the folder under their names.
  ///
  /// `stated` are further keys of the base.
  init(
    context: Int = SampleBase.context, signature: String = SampleBase.signature,
    adapters: [String] = ["echo"], stated: [(String, GGUFValue)] = []
  ) throws {
    folder = try TemporaryDirectory()
    base = folder.path("sample.gguf")
    let metadata = Self.metadata(context: context, signature: signature) + stated
    try Self.write(metadata, to: base)
    var packages: [String] = []
    for name in adapters {
      packages.append(
        try Self.writeAdapter(name, to: folder.path(name), signature: signature))
    }
    package = packages[0]
  }

  /// Puts base and adapter into the store of this folder.
  @discardableResult
  func install() throws -> SampleBase {
    for arguments in [["base", "install", base], ["install", package]] {
      try Tool.run(arguments, store: folder).expectSuccess()
    }
    return self
  }

  /// Makes the metadata of the installed adapter a text that is no JSON.
  func spoilMetadata() throws {
    let file = "store/adapters/fmadapter-echo-ccccccc/package.fmadapter/metadata.json"
    try FileSystem.makeWritable(folder.path(file))
    try folder.write("{", to: file)
  }

  private static func write(_ metadata: [(String, GGUFValue)], to path: String) throws {
    var head = GGUFWriter()
    for (key, value) in metadata { head.set(key, value) }
    var random = SeededGenerator(seed: 3)
    var contents: [[UInt8]] = []
    for (name, dimensions) in tensors {
      head.append(.init(name: name, type: .f32, dimensions: dimensions))
      let count = dimensions.reduce(1, *)
      let range: Range<Float> = dimensions.count == 1 ? 0.5..<1.5 : -0.6..<0.6
      var values = random.floats(count, in: range)
      if name == "token_embd.weight" { Self.silenceMarks(&values) }
      contents.append(littleEndian(values))
    }
    var stream = try GGUFStream(head, path: path)
    for bytes in contents { try stream.write(bytes) }
    try stream.commit()
  }

  /// Zeroes the rows of all tokens but bytes, so that none of them is ever the likeliest: answers do not end by themselves.
  private static func silenceMarks(_ values: inout [Float]) {
    for token in [0, 1, 2, 259, 260] {
      for column in 0..<width { values[token * width + column] = 0 }
    }
  }

  private static var tensors: [(String, [Int])] {
    [
      ("token_embd.weight", [width, vocabulary]), ("output_norm.weight", [width]),
      ("blk.0.attn_norm.weight", [width]), ("blk.0.ffn_norm.weight", [width]),
      ("blk.0.attn_q.weight", [width, width]), ("blk.0.attn_k.weight", [width, width / 2]),
      ("blk.0.attn_v.weight", [width, width / 2]), ("blk.0.attn_output.weight", [width, width]),
      ("blk.0.ffn_gate.weight", [width, hidden]), ("blk.0.ffn_up.weight", [width, hidden]),
      ("blk.0.ffn_down.weight", [hidden, width]),
    ]
  }

  private static func metadata(context: Int, signature: String) -> [(String, GGUFValue)] {
    let bytes = (0..<256).map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return "<0x\(digits.count == 1 ? "0" : "")\(digits)>"
    }
    let pieces = ["<unk>", "<s>", "</s>"] + bytes + ["<|im_start|>", "<|im_end|>"]
    // Kinds of GGUF: 2 unknown, 3 control, 6 byte.
    let kinds: [Int32] = [2, 3, 3] + Array(repeating: 6, count: 256) + [3, 3]
    return [
      ("general.architecture", .text("llama")), ("general.name", .text("sample")),
      ("fmadapter.base.signature", .text(signature)),
      ("llama.context_length", .uint32(UInt32(context))),
      ("llama.embedding_length", .uint32(UInt32(width))), ("llama.block_count", .uint32(1)),
      ("llama.feed_forward_length", .uint32(UInt32(hidden))),
      ("llama.attention.head_count", .uint32(4)), ("llama.attention.head_count_kv", .uint32(2)),
      ("llama.attention.layer_norm_rms_epsilon", .float32(1e-5)),
      ("tokenizer.ggml.model", .text("llama")), ("tokenizer.ggml.add_space_prefix", .bool(false)),
      ("tokenizer.ggml.tokens", .strings(pieces.map { Array($0.utf8) })),
      ("tokenizer.ggml.scores", .floats(pieces.map { _ in 0 })),
      ("tokenizer.ggml.token_type", .integers(kinds)),
      ("tokenizer.ggml.bos_token_id", .uint32(1)), ("tokenizer.ggml.eos_token_id", .uint32(2)),
      (
        "tokenizer.chat_template",
        .text(
          "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + "
            + "message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
            + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
      ),
    ]
  }

  private static func writeAdapter(
    _ name: String, to path: String, signature: String
  ) throws -> String {
    let shapes: [LoRATarget: MatrixShape] = [
      .query: MatrixShape(rows: width, columns: width),
      .down: MatrixShape(rows: width, columns: hidden),
    ]
    var random = SeededGenerator(seed: 5)
    func halves(_ count: Int) -> TensorBytes {
      TensorBytes(littleEndianHalves(random.floats(count)))
    }
    let layer = shapes.sorted { $0.key.rawValue < $1.key.rawValue }.reduce(
      into: [LoRATarget: LowRankPair]()
    ) { layer, entry in
      layer[entry.key] = LowRankPair(
        a: halves(2 * entry.value.columns), b: halves(2 * entry.value.rows), rank: 2,
        shape: entry.value)
    }
    var metadata = try AdapterMetadata(
      name: name, baseModelSignature: signature, loraRank: 2, author: "a test",
      description: "random changes")
    metadata.statedSettings = AdapterSettings(
      alpha: 4, targets: [.query, .down], architecture: "llama")
    return try AdapterWriter.write(metadata, layers: [layer], to: path)
  }
}
