import Kernels
import TestSupport
import Testing

@testable import TensorFiles

/// Files by coremltools 9.0, gguf 0.19.0 and safetensors 0.8.0, made by `tools/fixtures/make_tensor_files.py`.
@Suite struct OutsideFilesTests {
  private func path(_ name: String) -> String { Fixtures.path("TensorFilesTests", name) }
  /// Floats from zero on.
  private func rising(_ count: Int) -> [Float] { (0..<count).map { Float($0) } }

  @Test func readsWhatCoremltoolsWrote() throws {
    let blobs = try BlobFile(path: path("blobs.bin")).blobs
    #expect(
      blobs.map(\.type) == [
        .float16, .float32, .int8, .uint8, .uint4, .uint4, .int4, .uint1, .uint2, .uint3, .uint6,
        .int16, .uint16, .int32, .uint32, .float16, .float16,
      ])
    #expect(blobs.map(\.count) == [3, 16, 7, 64, 3, 16, 5, 3, 5, 11, 3, 2, 3, 1, 1, 0, 100])
    #expect(blobs.map(\.paddingBits) == [0, 0, 0, 0, 4, 0, 4, 5, 6, 7, 6, 0, 0, 0, 0, 0, 0])
    #expect(dequantize(.f16, bytes: blobs[0].bytes) == [1, -2, 0.5])
    #expect(dequantize(.f32, bytes: blobs[1].bytes) == rising(16))
    #expect(blobs[2].bytes.array == [253, 254, 255, 0, 1, 2, 3])
    #expect(blobs[4].bytes.array == [0x21, 3])
  }

  @Test func writesTheBytesOfCoremltools() throws {
    let file = try BlobFile(path: path("blobs.bin"))
    var writer = BlobWriter()
    for blob in file.blobs {
      let offset = writer.append(blob.type, blob.bytes, paddingBits: blob.paddingBits)
      #expect(offset == blob.metadataOffset)
    }
    #expect(try writer.encoded() == Fixtures.bytes("TensorFilesTests", "blobs.bin"))
  }

  @Test func readsWhatGGUFWrote() throws {
    let file = try GGUFFile(path: path("model.gguf"))
    let metadata = file.metadata
    #expect(file.version == 3 && file.alignment == 64)
    #expect(try metadata.string("general.architecture") == "llama")
    let integers = try ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"].map {
      try metadata.integer($0)
    }
    let large = 1 << 40
    #expect(integers == [200, -1, 513, -2, 7, -7, large, -large])
    #expect(try metadata.float("f32") == 1.5)
    #expect(try metadata.float("f64") == 0.1)
    #expect(try metadata.bool("yes") == true)
    #expect(try metadata.string("text") == "héllo 😀")
    #expect(
      try metadata.strings("words").map(Array.init) == ["a", "", "▁the"].map { Array($0.utf8) })
    #expect(try metadata.integers("ints") == [1, -2, 3])
    #expect(try metadata.floats("floats") == [0.5, -1])
    let matrix = try #require(file.tensor(named: "matrix"))
    #expect(matrix.dimensions == [4, 3])
    #expect(dequantize(matrix.type, bytes: matrix.bytes) == rising(12))
    let half = try #require(file.tensor(named: "half"))
    #expect(dequantize(half.type, bytes: half.bytes) == rising(12))
    let blocks = try #require(file.tensor(named: "blocks"))
    #expect(blocks.type == .q8_0 && blocks.rows == 2)
    #expect(blocks.bytes.array == quantize(.q8_0, values: rising(64)))
  }

  @Test func readsWhatSafetensorsWrote() throws {
    let file = try SafetensorsFile(path: path("model.safetensors"))
    #expect(file.metadata == ["format": "np", "who": "“quoted” \\ text\n"])
    #expect(file.tensors.map(\.name).sorted() == ["a", "b", "none", "é"])
    let b = try #require(file.tensor(named: "b"))
    #expect(b.shape == [2, 3])
    #expect(dequantize(.f16, bytes: b.bytes) == rising(6))
    #expect(file.tensor(named: "none")?.shape == [0, 4])
    #expect(file.tensor(named: "é")?.bytes.array == [7])
  }
}
