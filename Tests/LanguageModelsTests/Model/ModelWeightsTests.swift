import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

/// The tensors that a base has to have, and the forms in which it may have them.
@Suite struct ModelWeightsTests {
  @Test func aFileThatIsNoBaseIsAFileError() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("GGUF", to: "short.gguf")
    let error = #expect(throws: BaseModelError.self) { try BaseModel(path: path) }
    guard case .file = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Regular layers have keys and values, shared layers must not.
  @Test func sharedLayersHaveNoKeys() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.afm, shared: 1)
    tiny.set("afm.attention.shared_kv_layers", .uint32(2))
    let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
    #expect(
      error == .unknownTensor(file: folder.path("base.gguf"), tensor: "blk.1.attn_k.weight"))
    tiny.set("afm.attention.shared_kv_layers", .uint32(3))
    #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
  }

  /// Ollama has all parts of a model in one file, and one name for the last norm.
  @Test func filesOfOllamaAreRead() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.lfm2)
    let usual = try tiny.open(in: folder).weights.outputNorm.values
    let index = try #require(tiny.tensors.firstIndex { $0.name == "token_embd_norm.weight" })
    tiny.tensors[index].name = "output_norm.weight"
    for name in ["v.blk.0.attn_q.weight", "a.conv1d.0.weight", "mm.input_projection.weight"] {
      tiny.tensors.append((name, [2, 2], [1, 2, 3, 4]))
    }
    #expect(try tiny.open(in: folder).weights.outputNorm.values == usual)
    tiny.tensors.append(("vision.weight", [2], [1, 2]))
    #expect(
      throws: BaseModelError.unknownTensor(
        file: folder.path("base.gguf"), tensor: "vision.weight")
    ) { try tiny.open(in: folder) }
  }

  @Test func aQuantizedNormIsRefused() throws {
    let folder = try TemporaryDirectory()
    let tiny = TinyModel(.llama)
    var head = GGUFWriter()
    for (key, value) in tiny.metadata { head.set(key, value) }
    for tensor in tiny.tensors {
      head.append(
        .init(
          name: tensor.name, type: tensor.name == "output_norm.weight" ? .q8_0 : .f32,
          dimensions: tensor.dimensions))
    }
    var stream = try GGUFStream(head, path: folder.path("base.gguf"))
    for tensor in head.tensors { try stream.write([UInt8](repeating: 0, count: tensor.size)) }
    try stream.commit()
    #expect(
      throws: BaseModelError.wrongType(
        file: folder.path("base.gguf"), tensor: "output_norm.weight", type: "Q8_0")
    ) { try BaseModel(path: folder.path("base.gguf")) }
  }

  /// One matrix for Q, K and V is the same model as three.
  @Test func fusedProjectionsAreTheSame() throws {
    let folder = try TemporaryDirectory()
    let split = TinyModel(.qwen2)
    var fused = split
    for index in 0..<3 {
      for part in ["weight", "bias"] {
        let names = ["q", "k", "v"].map { "blk.\(index).attn_\($0).\(part)" }
        let parts = names.compactMap { name in split.tensors.first { $0.name == name } }
        fused.tensors.removeAll { names.contains($0.name) }
        let dimensions = part == "weight" ? [32, 64] : [64]
        fused.tensors.append(
          ("blk.\(index).attn_qkv.\(part)", dimensions, parts.flatMap(\.values)))
      }
    }
    let hashes = try [split.open(in: folder, "split.gguf"), fused.open(in: folder, "fused.gguf")]
      .map { model in
        let session = try ModelSession(model)
        try session.evaluate([1, 2, 3])
        return session.logitsHash
      }
    #expect(hashes[0] == hashes[1])
  }

  /// Norms and biases may be stored in 16 bits.
  @Test func halfPrecisionNormsAreConverted() throws {
    let vector = FloatVector(
      WeightMatrix(
        type: .bf16, rows: 1, columns: 2, bytes: TensorBytes([0x80, 0x3f, 0x00, 0xc0])))
    #expect(vector.values == [1, -2])
  }
}
