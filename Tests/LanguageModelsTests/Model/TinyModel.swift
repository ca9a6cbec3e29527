import Adapters
import Kernels
import SystemFiles
import TensorFiles
import TestSupport

@testable import LanguageModels

/// A random base of any architecture, written to a file; tests bend it before they write it.
struct TinyModel {
  var architecture: Architecture
  var metadata: [(key: String, value: GGUFValue)]
  /// Name, dimensions (fastest first) and values.
  var tensors: [(name: String, dimensions: [Int], values: [Float])] = []

  /// Sizes that all weight types can store when `width` is 256.
  init(
    _ architecture: Architecture, width: Int = 32, heads: Int = 4, keyValueHeads: Int = 2,
    hidden: Int = 64, layers: Int = 3, shared: Int = 0, vocabulary: Int = 48, context: Int = 64,
    seed: UInt64 = 7
  ) {
    self.architecture = architecture
    let name = architecture.rawValue
    metadata = [
      ("general.architecture", .text(name)),
      ("fmadapter.base.signature", .text(String(repeating: "ab", count: 20))),
      ("\(name).context_length", .uint32(UInt32(context))),
      ("\(name).embedding_length", .uint32(UInt32(width))),
      ("\(name).block_count", .uint32(UInt32(layers))),
      ("\(name).feed_forward_length", .uint32(UInt32(hidden))),
      ("\(name).attention.head_count", .uint32(UInt32(heads))),
      ("\(name).attention.head_count_kv", .uint32(UInt32(keyValueHeads))),
      ("\(name).attention.layer_norm_rms_epsilon", .float32(1e-5)),
      ("\(name).rope.freq_base", .float32(10_000)),
    ]
    addSettings(
      width: width, hidden: hidden, keyValueHeads: keyValueHeads, layers: layers, shared: shared)
    var random = SeededGenerator(seed: seed)
    let headSize = width / heads
    addMatrix("token_embd.weight", vocabulary, width, &random)
    addVector(architecture.outputNorm + ".weight", width, &random)
    if architecture.hasUnlikeLayers {
      addTokenEmbeddings(width, headSize: headSize, layers: layers, vocabulary, &random)
    }
    for index in 0..<layers {
      let stem = "blk.\(index)."
      addVector(stem + "attn_norm.weight", width, &random)
      addVector(stem + architecture.feedForwardNorm + ".weight", width, &random)
      if isConvolution(index) {
        addConvolution(stem, width, hidden, &random)
        continue
      }
      if architecture.hasDeltaRules, (index + 1) % 3 > 0 {
        addDeltaRule(stem, width, hidden, &random)
        continue
      }
      if architecture.hasUnlikeLayers {
        addUnlikeLayer(index, of: layers, width, heads: heads, keyValueHeads, hidden, &random)
        continue
      }
      addAttentionLayer(
        stem, width, headSize: headSize, keyValueHeads, hidden, hasKeys: index < layers - shared,
        &random)
    }
  }

  private mutating func addAttentionLayer(
    _ stem: String, _ width: Int, headSize: Int, _ keyValueHeads: Int, _ hidden: Int, hasKeys: Bool,
    _ random: inout SeededGenerator
  ) {
    let queries = architecture.gatesHeads ? 2 * width : width
    addMatrix(stem + "attn_q.weight", queries, width, &random)
    addMatrix(stem + "attn_output.weight", width, width, &random)
    addFeedForward(stem, width, hidden, &random)
    if architecture.normalizesResults {
      addVector(stem + "post_attention_norm.weight", width, &random)
      addVector(stem + "post_ffw_norm.weight", width, &random)
    }
    if !architecture.hasExperts { addMatrix(stem + "ffn_down.weight", width, hidden, &random) }
    if architecture.normalizesHeads { addVector(stem + "attn_q_norm.weight", headSize, &random) }
    if architecture.requiresBiases { addVector(stem + "attn_q.bias", width, &random) }
    guard hasKeys else { return }
    for part in ["k", "v"] {
      addMatrix(stem + "attn_\(part).weight", keyValueHeads * headSize, width, &random)
      if architecture.requiresBiases {
        addVector(stem + "attn_\(part).bias", keyValueHeads * headSize, &random)
      }
    }
    if architecture.normalizesHeads { addVector(stem + "attn_k_norm.weight", headSize, &random) }
  }

  mutating func addMatrix(
    _ name: String, _ rows: Int, _ columns: Int, _ random: inout SeededGenerator
  ) {
    let limit = name == "token_embd.weight" ? 1 : 2.5 / Float(columns).squareRoot()
    tensors.append((name, [columns, rows], random.floats(rows * columns, in: -limit..<limit)))
  }

  /// What only some architectures have.
  private mutating func addSettings(
    width: Int, hidden: Int, keyValueHeads: Int, layers: Int, shared: Int
  ) {
    let name = architecture.rawValue
    if architecture.hasExperts {
      metadata += [
        ("\(name).expert_count", .uint32(5)), ("\(name).expert_used_count", .uint32(2)),
        ("\(name).expert_feed_forward_length", .uint32(UInt32(hidden))),
      ]
    }
    if architecture.hasConvolutions {
      set(
        "\(name).attention.head_count_kv",
        .integers((0..<layers).map { isConvolution($0) ? 0 : Int32(keyValueHeads) }))
      metadata.append(("\(name).shortconv.l_cache", .uint32(3)))
    }
    if architecture.hasUnlikeLayers {
      addUnlikeSettings(hidden: hidden, keyValueHeads: keyValueHeads, layers: layers)
    }
    if architecture.hasDeltaRules {
      let settings: [(String, UInt32)] = [
        ("full_attention_interval", 3), ("ssm.conv_kernel", 4), ("ssm.state_size", 6),
        ("ssm.group_count", 2), ("ssm.time_step_rank", 4), ("ssm.inner_size", UInt32(width)),
        ("rope.dimension_count", 4),
      ]
      metadata += settings.map { ("\(name).\($0)", .uint32($1)) }
    }
    if architecture == .afm {
      metadata.append(("afm.attention.shared_kv_layers", .uint32(UInt32(shared))))
    }
  }

  /// Every other layer has a convolution, the first among them.
  private func isConvolution(_ layer: Int) -> Bool {
    architecture.hasConvolutions && layer.isMultiple(of: 2)
  }

  private mutating func addConvolution(
    _ stem: String, _ width: Int, _ hidden: Int, _ random: inout SeededGenerator
  ) {
    addMatrix(stem + "shortconv.in_proj.weight", 3 * width, width, &random)
    tensors.append((stem + "shortconv.conv.weight", [3, width], random.floats(3 * width)))
    addMatrix(stem + "shortconv.out_proj.weight", width, width, &random)
    addFeedForward(stem, width, hidden, &random)
    addMatrix(stem + "ffn_down.weight", width, hidden, &random)
  }

  /// Four heads of values over two of 6 keys, in all layers but every third.
  private mutating func addDeltaRule(
    _ stem: String, _ width: Int, _ hidden: Int, _ random: inout SeededGenerator
  ) {
    addMatrix(stem + "attn_qkv.weight", 24 + width, width, &random)
    addMatrix(stem + "attn_gate.weight", width, width, &random)
    addMatrix(stem + "ssm_alpha.weight", 4, width, &random)
    addMatrix(stem + "ssm_beta.weight", 4, width, &random)
    addMatrix(stem + "ssm_out.weight", width, width, &random)
    let channels = 24 + width
    tensors.append((stem + "ssm_conv1d.weight", [4, channels], random.floats(4 * channels)))
    tensors.append((stem + "ssm_a", [4], random.floats(4, in: -1..<(-0.1))))
    tensors.append((stem + "ssm_dt.bias", [4], random.floats(4)))
    addVector(stem + "ssm_norm.weight", width / 4, &random)
    addFeedForward(stem, width, hidden, &random)
    addMatrix(stem + "ffn_down.weight", width, hidden, &random)
  }

  /// What comes before `ffn_down`, or all of the experts.
  private mutating func addFeedForward(
    _ stem: String, _ width: Int, _ hidden: Int, _ random: inout SeededGenerator
  ) {
    if architecture.hasExperts {
      addExperts(stem, 5, width, hidden, &random)
    } else if architecture.fusesGate {
      addMatrix(stem + "ffn_up.weight", 2 * hidden, width, &random)
    } else {
      addMatrix(stem + "ffn_gate.weight", hidden, width, &random)
      addMatrix(stem + "ffn_up.weight", hidden, width, &random)
    }
  }

  private mutating func addExperts(
    _ stem: String, _ count: Int, _ width: Int, _ hidden: Int, _ random: inout SeededGenerator
  ) {
    addMatrix(stem + "ffn_gate_inp.weight", count, width, &random)
    for (kind, rows, columns) in [
      ("gate", hidden, width), ("up", hidden, width), ("down", width, hidden),
    ] {
      addMatrix(stem + "ffn_\(kind)_exps.weight", count * rows, columns, &random)
      tensors[tensors.count - 1].dimensions = [columns, rows, count]
    }
  }

  mutating func addVector(_ name: String, _ count: Int, _ random: inout SeededGenerator) {
    tensors.append((name, [count], random.floats(count, in: 0.5..<1.5)))
  }

  /// Sets a key; nil removes it.
  mutating func set(_ key: String, _ value: GGUFValue?) {
    let index = metadata.firstIndex { $0.key == key }
    switch (index, value) {
    case (let index?, let value?): metadata[index].value = value
    case (let index?, nil): metadata.remove(at: index)
    case (nil, let value?): metadata.append((key, value))
    case (nil, nil): break
    }
  }

  /// Writes the base with F32 weights, or its matrices stored as `encode` says.
  func write(
    to path: String, encode: (([Float]) -> (TensorType, [UInt8]))? = nil
  ) throws {
    var head = GGUFWriter()
    for (key, value) in metadata { head.set(key, value) }
    var contents: [[UInt8]] = []
    for tensor in tensors {
      var (type, bytes) = (TensorType.f32, littleEndian(tensor.values))
      let isMatrix = tensor.dimensions.count > 1 && !tensor.name.contains("conv")
      if let encode, isMatrix { (type, bytes) = encode(tensor.values) }
      head.append(.init(name: tensor.name, type: type, dimensions: tensor.dimensions))
      contents.append(bytes)
    }
    var stream = try GGUFStream(head, path: path)
    for bytes in contents { try stream.write(bytes) }
    try stream.commit()
  }

  /// Writes the base into `folder` and opens it.
  func open(in folder: TemporaryDirectory, _ name: String = "base.gguf") throws -> BaseModel {
    try write(to: folder.path(name))
    return try BaseModel(path: folder.path(name))
  }
}

/// A random adapter of all projections of `model`.
func randomAdapter(
  _ model: BaseModel, rank: Int = 3, scale: Float = 1.5, seed: UInt64 = 11, zeroB: Bool = false,
  invocation: [Int32]? = nil
) -> AppliedAdapter {
  var random = SeededGenerator(seed: seed)
  func halves(_ count: Int, _ limit: Float) -> TensorBytes {
    TensorBytes(littleEndianHalves(random.floats(count, in: -limit..<limit)))
  }
  let layers = model.weights.layers.map { layer in
    var pairs: [LoRATarget: LowRankPair] = [:]
    for target in LoRATarget.allCases {
      guard let shape = layer.shapes[target] else { continue }
      let a = halves(rank * shape.columns, 0.4)
      let b = halves(shape.rows * rank, zeroB ? .leastNormalMagnitude : 0.4)
      pairs[target] = LowRankPair(
        a: a, b: zeroB ? TensorBytes([UInt8](repeating: 0, count: b.count)) : b, rank: rank,
        shape: shape)
    }
    return pairs
  }
  return AppliedAdapter(
    identifier: "fmadapter-test-abababa", contentHash: String(repeating: "\(seed % 10)", count: 64),
    layers: layers, scale: scale, invocation: invocation)
}

/// Tokens of the vocabulary that tiny models have.
func randomTokens(_ count: Int, _ random: inout SeededGenerator) -> [Int32] {
  (0..<count).map { _ in Int32.random(in: 0..<48, using: &random) }
}

/// The logits behind `tokens` of a session that has seen nothing else, as a hash.
func coldHash(
  _ model: BaseModel, _ tokens: [Int32], _ adapters: [AppliedAdapter] = []
) throws -> UInt32? {
  let session = try ModelSession(model, adapters: adapters, threads: 2)
  try session.evaluate(tokens)
  return session.logitsHash
}
