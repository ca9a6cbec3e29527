import SystemFiles
import Testing

@testable import TensorFiles

/// The bytes of a safetensors file with the given header text.
func safetensorsBytes(_ header: String, data: [UInt8] = []) -> [UInt8] {
  var out = ByteBuilder()
  out.string(header)
  out.raw(data)
  return out.bytes
}

@Suite struct SafetensorsFileTests {
  @Test func readsTensorsAndMetadata() throws {
    let header = #"""
      {"__metadata__":{"format":"pt","é":"\u00e9\ud83d\ude00\n"}, "b":{"dtype":"F16","shape":[2,1],
      "data_offsets":[8,12]},"a":{"shape":[2],"dtype":"F32","data_offsets":[0,8]},
      "none":{"dtype":"I64","shape":[0,3],"data_offsets":[8,8]},
      "one":{"dtype":"U8","shape":[],"data_offsets":[12,13]}}
      """#
    let bytes = safetensorsBytes(header, data: Array(0..<13))
    let file = try SafetensorsFile(bytes: TensorBytes(bytes), path: "m.safetensors")
    #expect(file.tensors.map(\.name) == ["a", "none", "b", "one"])
    #expect(file.metadata == ["format": "pt", "é": "é😀\n"])
    let b = try #require(file.tensor(named: "b"))
    #expect(b.shape == [2, 1] && b.type == .float16 && b.count == 2)
    #expect(b.bytes.array == [8, 9, 10, 11])
    #expect(file.tensor(named: "one")?.count == 1)
  }

  /// As mlx writes it.
  @Test func metadataMayBeNull() throws {
    let text = #"{"__metadata__": null, "a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#
    let file = try SafetensorsFile(bytes: TensorBytes(safetensorsBytes(text)), path: "m")
    #expect(file.metadata.isEmpty)
    #expect(file.tensors.count == 1)
  }

  @Test func readsAnEmptyFile() throws {
    let file = try SafetensorsFile(bytes: TensorBytes(safetensorsBytes("{}  ")), path: "m")
    #expect(file.tensors.isEmpty)
  }
}
