import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct BaseQuantizerTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A small file with one tensor of each kind that the plan tells apart.
  private func makeSource(_ change: (inout GGUFWriter) -> Void = { _ in }) throws -> String {
    var head = GGUFWriter()
    head.set("general.architecture", .text("llama"))
    head.set("general.file_type", .uint32(0))
    head.set("some.unknown", .strings([[0xFF], []]))
    change(&head)
    let tensors: [(String, [Int])] = [
      ("token_embd.weight", [256, 4]), ("output_norm.weight", [256]),
      ("blk.0.attn_q.weight", [256, 3]), ("blk.0.ffn_up.weight", [96, 2]),
      ("blk.0.ffn_down.weight", [40, 2]),
    ]
    for (name, dimensions) in tensors {
      head.append(.init(name: name, type: .f32, dimensions: dimensions))
    }
    var generator = SeededGenerator(seed: 5)
    let path = folder.path("source.gguf")
    var stream = try GGUFStream(head, path: path)
    for (_, dimensions) in tensors {
      try stream.write(Kernels.quantize(.f32, values: generator.floats(dimensions.reduce(1, *))))
    }
    try stream.commit()
    return path
  }

  private func quantize(
    _ source: String, _ type: TensorType, embedding: TensorType? = nil, to name: String = "out"
  ) throws -> GGUFFile {
    try BaseQuantizer(plan: .init(type: type, embedding: embedding))
      .quantize(source, to: folder.path(name))
    return try GGUFFile(path: folder.path(name))
  }

  @Test(
    arguments: [
      (.q4_K, nil, [.q4_K, .f32, .q4_K, .q8_0, .f16]),
      (.q6_K, .q8_0, [.q8_0, .f32, .q6_K, .q8_0, .f16]),
      (.q2_K, .q4_K, [.q4_K, .f32, .q2_K, .q4_0, .f16]),
      (.q2_B, nil, [.q4_0, .f32, .q2_B, .q4_0, .f16]),
      (.q2_B, .q2_B, [.q2_B, .f32, .q2_B, .q4_0, .f16]),
      (.q4_0, nil, [.q4_0, .f32, .q4_0, .q4_0, .f16]),
      (.bf16, nil, [.bf16, .f32, .bf16, .bf16, .bf16]),
    ] as [(TensorType, TensorType?, [TensorType])])
  func givesEachTensorItsType(
    type: TensorType, embedding: TensorType?, expected: [TensorType]
  ) throws {
    let file = try quantize(try makeSource(), type, embedding: embedding)
    #expect(file.tensors.map(\.type) == expected)
  }

  /// As llama.cpp chooses for 16 layers: finer at both ends and in every third layer between.
  @Test(
    arguments: [
      (.q4_K_M, [.q6_K: [0, 1, 4, 7, 10, 13, 14, 15]], [.q6_K: [0, 1, 4, 7, 10, 13, 14, 15]]),
      (.q5_K_M, [.q6_K: [0, 1, 4, 7, 10, 13, 14, 15]], [.q6_K: [0, 1, 4, 7, 10, 13, 14, 15]]),
      (.q4_K_S, [.q5_K: [0, 1, 2, 3]], [.q5_K: [0, 1]]),
      (.q5_K_S, [:], [:]),
    ] as [(TensorTypePlan.Mix, [TensorType: [Int]], [TensorType: [Int]])])
  func mixesMakeSomeMatricesFiner(
    mix: TensorTypePlan.Mix, values: [TensorType: [Int]], ends: [TensorType: [Int]]
  ) {
    let stems = ["attn_v", "attn_k", "ffn_down", "ffn_up"]
    let layers = (0..<16).flatMap { layer in stems.map { "blk.\(layer).\($0).weight" } }
    func types(_ others: [String]) -> [String: TensorType] {
      let names = layers + others
      let plan = TensorTypePlan(mix)
      return Dictionary(
        uniqueKeysWithValues: zip(names, plan.types(of: names.map { ($0, [256, 4]) })))
    }
    let found = types(["token_embd.weight"])
    func finer(_ stem: String) -> [TensorType: [Int]] {
      Dictionary(grouping: 0..<16) { found["blk.\($0).\(stem).weight"] ?? .f32 }
        .filter { $0.key != mix.type }
    }
    #expect(finer("attn_v") == values && finer("ffn_down") == ends)
    #expect(finer("attn_k").isEmpty && finer("ffn_up").isEmpty)
    #expect(found["token_embd.weight"] == .q6_K)
    let apart = types(["token_embd.weight", "output.weight"])
    #expect(apart["token_embd.weight"] == mix.type && apart["output.weight"] == .q6_K)
  }

  /// Experts are matrices, and what chooses them stays as it is.
  @Test func expertsAreQuantizedAndTheirRouterIsNot() throws {
    let tiny = TinyModel(.qwen3moe, width: 256, hidden: 32, layers: 1)
    let source = folder.path("experts.gguf")
    try tiny.write(to: source)
    let file = try quantize(source, .q4_K)
    let types = Dictionary(uniqueKeysWithValues: file.tensors.map { ($0.name, $0.type) })
    #expect(types["blk.0.ffn_gate_inp.weight"] == .f32)
    #expect(types["blk.0.ffn_gate_exps.weight"] == .q4_K)
    #expect(types["blk.0.ffn_up_exps.weight"] == .q4_K)
    #expect(types["blk.0.ffn_down_exps.weight"] == .q8_0)
    let (before, after) = (try BaseModel(path: source), try BaseModel(path: file.path))
    #expect(try before.signature() == after.signature())
    // Of five experts a pass reads two.
    let experts = [2 * 32 * 256 * 144 / 256, 32 * 256 * 34 / 32].reduce(0, +)
    let all = file.tensors.filter { $0.name.contains("_exps") }.reduce(0) { $0 + $1.bytes.count }
    #expect(all == 5 * experts)
    let read = file.tensors.filter { $0.dimensions.count > 1 }.reduce(0) { $0 + $1.bytes.count }
    #expect(after.weights.bytesPerPass == read - 3 * experts)
    #expect(after.weights.parameters == before.weights.parameters)
  }

  @Test func keepsValuesCloseAndVectorsExact() throws {
    let source = try makeSource()
    let (before, after) = (try GGUFFile(path: source), try quantize(source, .q8_0))
    for (old, new) in zip(before.tensors, after.tensors) {
      let values = dequantize(old.type, bytes: old.bytes)
      let result = dequantize(new.type, bytes: new.bytes)
      #expect(zip(values, result).allSatisfy { abs($0 - $1) < 0.005 }, "\(old.name)")
      if old.dimensions.count == 1 { #expect(values == result) }
    }
  }

  @Test func keepsMetadataAndStampsTheSource() throws {
    let source = try makeSource()
    let signature = BaseSignature.compute(try GGUFFile(path: source))
    let first = try quantize(source, .q4_0, to: "first")
    let second = try quantize(folder.path("first"), .q8_0, to: "second")
    let third = try quantize(source, .q2_B, to: "third")
    for (file, type) in [(first, 2), (second, 7), (third, 0x425F_3251)] {
      #expect(BaseSignature.compute(file) == signature)
      #expect(try file.metadata.strings("some.unknown").map(Array.init) == [[0xFF], []])
      #expect(try file.metadata.integer("general.file_type") == type)
      #expect(try file.metadata.integer("general.quantization_version") == 2)
    }
  }

  @Test func copiesWhatHasTheTypeAlready() throws {
    let source = try makeSource()
    let first = try quantize(source, .q4_K, to: "first")
    let again = try quantize(folder.path("first"), .q4_K, to: "again")
    #expect(zip(first.tensors, again.tensors).allSatisfy { $0.bytes.array == $1.bytes.array })
  }

  @Test func keepsTheAlignment() throws {
    var head = GGUFWriter(alignment: 4096)
    head.set("general.architecture", .text("llama"))
    head.append(.init(name: "token_embd.weight", type: .f32, dimensions: [2, 1]))
    var stream = try GGUFStream(head, path: folder.path("source"))
    try stream.write([UInt8](repeating: 0, count: 8))
    try stream.commit()
    #expect(try quantize(folder.path("source"), .f16).alignment == 4096)
  }

  /// GGUF files that are something else.
  @Test(
    arguments: [
      ("general.type", "adapter", "this is an adapter, not a base"),
      (
        "general.architecture", "clip",
        "this is a projector of pictures or sounds (mmproj), not a base"
      ),
      ("general.architecture", "mamba", "architecture 'mamba' is not supported"),
    ])
  func onlyBasesAreQuantized(key: String, value: String, text: String) throws {
    let source = try makeSource { $0.set(key, .text(value)) }
    let error = #expect(throws: BaseModelError.self) { try quantize(source, .q8_0) }
    #expect(error?.description.hasPrefix("\(source): \(text); ") == true)
    #expect(try FileSystem.info(folder.path("out")) == nil)
  }

  @Test func aVocabularyAloneIsNoBase() throws {
    var head = GGUFWriter()
    head.set("general.architecture", .text("llama"))
    let source = folder.path("vocabulary.gguf")
    try GGUFStream(head, path: source).commit()
    #expect(
      throws: BaseModelError.missingTensor(file: source, tensor: "token_embd.weight")
    ) { try quantize(source, .q8_0) }
  }

  @Test(arguments: [(Float(65519), nil), (65520, 3), (-1e6, 3)] as [(Float, Int?)])
  func whatHalvesCannotHoldIsNamed(value: Float, index: Int?) throws {
    var tiny = TinyModel(.llama)
    tiny.tensors[0].values[3] = value
    let source = folder.path("large.gguf")
    try tiny.write(to: source)
    guard let index else { return _ = try quantize(source, .f16) }
    let error = #expect(throws: BaseModelError.self) { try quantize(source, .f16) }
    #expect(
      error?.description
        == "\(source): value \(index) of tensor “token_embd.weight” is beyond 65504, where F16 ends; "
        + "take BF16 or F32")
    for type in [TensorType.f32, .bf16, .q8_0] { _ = try quantize(source, type) }
  }

  @Test func whatIsCopiedIsLookedAtToo() throws {
    var tiny = TinyModel(.llama)
    tiny.tensors[0].values[3] = .nan
    let source = folder.path("damaged.gguf")
    try tiny.write(to: source)
    let failure = BaseModelError.base(
      .notFinite(tensor: "token_embd.weight", index: 3), file: source)
    for type in [TensorType.f32, .bf16, .f16] {
      #expect(throws: failure) { try quantize(source, type) }
    }
  }

  @Test func makesOneFileOfParts() throws {
    func path(_ name: String) -> String { Fixtures.path("TensorFilesTests", "split/\(name).gguf") }
    let whole = try quantize(path("tiny"), .q8_0, to: "whole")
    let file = try quantize(path("tiny-00001-of-00003"), .q8_0, to: "joined")
    #expect(file.parts == [folder.path("joined")])
    #expect(file.metadata.keys.filter { $0.hasPrefix("split.") } == [])
    #expect(BaseSignature.compute(file) == BaseSignature.compute(whole))
    #expect(
      try FileSystem.read(file.path, limit: 1 << 20)
        == FileSystem.read(whole.path, limit: 1 << 20))
  }

  @Test func mayReplaceItsOwnSource() throws {
    let source = try makeSource()
    try BaseQuantizer(plan: .init(type: .q8_0)).quantize(source, to: source)
    #expect(try GGUFFile(path: source).tensors[0].type == .q8_0)
  }

  @Test func leavesNothingWhenCancelled() throws {
    let source = try makeSource()
    #expect(throws: BaseModelError.cancelled) {
      try BaseQuantizer(plan: .init(type: .q8_0)).quantize(
        source, to: folder.path("out"), isCancelled: { true })
    }
    #expect(try FileSystem.list(folder.path).map(\.name) == ["source.gguf"])
  }
}
