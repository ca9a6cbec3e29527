import SystemFiles
import Testing

@testable import TensorFiles

/// A record of a blob file with every field open to change.
struct BlobSample {
  var sentinel: UInt32 = 0xDEAD_BEEF
  var type: UInt32 = 1
  var size: UInt64?
  var offset: UInt64?
  var padding: UInt64 = 0
  var data: [UInt8] = [1, 2, 3, 4]

  static func bytes(_ blobs: [BlobSample], count: UInt32? = nil, version: UInt32 = 2) -> [UInt8] {
    var out = ByteBuilder()
    out.u32(count ?? UInt32(blobs.count))
    out.u32(version)
    out.zeros(56)
    for blob in blobs {
      out.pad(to: 64)
      out.u32(blob.sentinel)
      out.u32(blob.type)
      out.u64(blob.size ?? UInt64(blob.data.count))
      out.u64(blob.offset ?? UInt64(out.bytes.count + 48))
      out.u64(blob.padding)
      out.zeros(32)
      out.raw(blob.data)
    }
    return out.bytes
  }
}

@Suite struct BlobFileTests {
  @Test func readsBlobsInOrder() throws {
    let bytes = BlobSample.bytes([
      BlobSample(), BlobSample(type: 11, padding: 4, data: [0x21, 3]),
    ])
    let file = try BlobFile(bytes: TensorBytes(bytes), path: "w.bin")
    #expect(file.blobs.map(\.type) == [.float16, .uint4])
    #expect(file.blobs.map(\.count) == [2, 3])
    #expect(file.blobs.map(\.metadataOffset) == [64, 192])
    #expect(file.blobs.map(\.dataOffset) == [128, 256])
    #expect(file.blobs[1].bytes.array == [0x21, 3])
  }

  @Test func acceptsZerosUpToTheNextMultipleOf64() throws {
    let bytes = BlobSample.bytes([BlobSample()]) + [UInt8](repeating: 0, count: 60)
    #expect(try BlobFile(bytes: TensorBytes(bytes), path: "w.bin").blobs.count == 1)
  }

  @Test func readsAFileWithoutBlobs() throws {
    #expect(try BlobFile(bytes: TensorBytes(BlobSample.bytes([])), path: "w.bin").blobs.isEmpty)
  }
}
