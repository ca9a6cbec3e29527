import SystemFiles
import Testing

@testable import TensorFiles

@Suite struct GGUFFileTests {
  @Test(arguments: [2, 3] as [UInt32])
  func readsEveryKindOfValue(version: UInt32) throws {
    let sample = GGUFSample(
      version: version,
      keys: [
        key("u8", 0) { $0.u8(200) }, key("i8", 1) { $0.u8(0xFF) },
        key("u16", 2) { $0.raw([1, 2]) }, key("i16", 3) { $0.raw([0xFE, 0xFF]) },
        key("u32", 4) { $0.u32(7) }, key("i32", 5) { $0.u32(.max) },
        key("f32", 6) { $0.u32(Float(1.5).bitPattern) }, key("yes", 7) { $0.u8(1) },
        key("text", 8) { $0.string("héllo") }, key("u64", 10) { $0.u64(1 << 40) },
        key("i64", 11) { $0.u64(.max) }, key("f64", 12) { $0.u64((2.25).bitPattern) },
        key("ints", 9) { out in
          out.u32(5)
          out.u64(3)
          for value in [1, 2, UInt32.max] { out.u32(value) }
        },
        key("floats", 9) { out in
          out.u32(6)
          out.u64(2)
          for value in [0.5, -1] as [Float] { out.u32(value.bitPattern) }
        },
        key("words", 9) { out in
          out.u32(8)
          out.u64(3)
          for word in ["a", "", "ccc"] { out.string(word) }
        },
      ])
    let metadata = try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m.gguf").metadata
    #expect(metadata.keys.count == 15)
    #expect(metadata.keys.first == "u8")
    let integers = try ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"].map {
      try metadata.integer($0)
    }
    #expect(integers == [200, -1, 513, -2, 7, -1, 1 << 40, -1])
    #expect(try metadata.float("f32") == 1.5)
    #expect(try metadata.float("f64") == 2.25)
    #expect(try metadata.float("u32") == 7)
    #expect(try metadata.bool("yes") == true)
    #expect(try metadata.string("text") == "héllo")
    #expect(try metadata.integers("ints") == [1, 2, -1])
    #expect(try metadata.floats("floats") == [0.5, -1])
    #expect(try metadata.strings("words").map(Array.init) == [[97], [], [99, 99, 99]])
    #expect(try metadata.integer("missing") == nil)
  }

  @Test func placesTensors() throws {
    var sample = GGUFSample(tensors: [
      .init(name: "a", dimensions: [4, 2], type: 0, offset: 0),
      .init(name: "b", dimensions: [32], type: 8, offset: 32),
    ])
    sample.data = (0..<66).map { UInt8($0) }
    let file = try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m.gguf")
    #expect(file.tensors.map(\.name) == ["a", "b"])
    let b = try #require(file.tensor(named: "b"))
    #expect(b.type == .q8_0 && b.rows == 1 && b.columns == 32)
    #expect(b.bytes.array == Array(sample.data[32...]))
    #expect(file.tensor(named: "a")?.rows == 2)
    #expect(file.tensor(named: "c") == nil)
    #expect(file.alignment == 32 && file.version == 3)
  }

  @Test func acceptsTensorsInAnyOrderWithGaps() throws {
    var sample = GGUFSample(
      keys: [key("general.alignment", 4) { $0.u32(8) }],
      tensors: [
        .init(name: "late", dimensions: [2], offset: 32), .init(name: "early", dimensions: [2]),
      ], alignment: 8)
    sample.data = (0..<40).map { UInt8($0) }
    let file = try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m.gguf")
    #expect(file.tensor(named: "late")?.bytes.array == Array(32..<40))
    #expect(file.tensor(named: "early")?.bytes.array == Array(0..<8))
  }
}
