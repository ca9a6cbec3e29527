import SystemFiles
import TestSupport
import Testing

@testable import TensorFiles

@Suite struct BlobWriterTests {
  @Test func readsBackWhatItWrote() throws {
    let folder = try TemporaryDirectory()
    var writer = BlobWriter()
    let offsets = [
      writer.append(.float16, TensorBytes([1, 2])),
      writer.append(.uint4, TensorBytes([0x21, 3]), paddingBits: 4),
      writer.append(.int8, TensorBytes([UInt8](repeating: 5, count: 64))),
      writer.append(.float32, TensorBytes([])),
    ]
    try writer.write(to: folder.path("w.bin"))
    let file = try BlobFile(path: folder.path("w.bin"))
    #expect(file.blobs.map(\.metadataOffset) == offsets)
    #expect(
      file.blobs.map(\.bytes.array) == [[1, 2], [0x21, 3], .init(repeating: 5, count: 64), []])
    #expect(file.blobs.map(\.type) == [.float16, .uint4, .int8, .float32])
    #expect(try FileSystem.read(folder.path("w.bin"), limit: 4096) == writer.encoded())
  }
}
