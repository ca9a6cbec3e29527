import SystemFiles
import Testing

@testable import TensorFiles

private let again = "; export the file again"

private func cut(_ bytes: [UInt8], to count: Int) -> [UInt8] { Array(bytes.prefix(count)) }

private let cases: [DefectCase] = [
  .init(
    "empty file", [],
    "byte 0: the file ends inside the header, which needs 64 bytes where 0 are left; "
      + "copy or download the file again"),
  .init(
    "short header", cut(BlobSample.bytes([]), to: 63),
    "byte 0: the file ends inside the header, which needs 64 bytes where 63 are left; "
      + "copy or download the file again"),
  .init(
    "version 1", BlobSample.bytes([BlobSample()], version: 1),
    "byte 4: blob storage version 1 is no longer read, only version 2; export the file again with "
      + "coremltools 5 or later"),
  .init(
    "version 3", BlobSample.bytes([BlobSample()], version: 3),
    "byte 4: this is not a blob storage file of version 2: its version field is 3" + again),
  .init(
    "raw numbers", [UInt8](repeating: 0x3C, count: 128),
    "byte 4: this is not a blob storage file of version 2: its version field is 1010580540" + again),
  .init(
    "count beyond the file", BlobSample.bytes([BlobSample()], count: .max),
    "byte 64: the file ends inside the records of 4,294,967,295 blobs, which needs 274,877,906,880 "
      + "bytes where 68 are left; copy or download the file again"),
  .init(
    "one record missing",
    BlobSample.bytes([BlobSample(data: .init(repeating: 0, count: 64))], count: 2),
    "byte 192: the file ends inside the record of blob 1, which needs 64 bytes where 0 are left; "
      + "copy or download the file again"),
  .init(
    "record cut by the end",
    cut(
      BlobSample.bytes([BlobSample(data: .init(repeating: 0, count: 64)), BlobSample()]), to: 222),
    "byte 192: the file ends inside the record of blob 1, which needs 64 bytes where 30 are left; "
      + "copy or download the file again"),
  .init(
    "wrong sentinel", BlobSample.bytes([BlobSample(sentinel: 0xBAD)]),
    "byte 64: blob 0 starts with 00000bad instead of deadbeef" + again),
  .init(
    "wrong sentinel of the second blob",
    BlobSample.bytes([BlobSample(), BlobSample(sentinel: 0xEFBE_ADDE)]),
    "byte 192: blob 1 starts with efbeadde instead of deadbeef" + again),
  .init(
    "data type 0", BlobSample.bytes([BlobSample(type: 0)]),
    "byte 68: blob 0 has the unknown data type 0; update this program"),
  .init(
    "data type 18", BlobSample.bytes([BlobSample(type: 18)]),
    "byte 68: blob 0 has the unknown data type 18; update this program"),
  .init(
    "data elsewhere", BlobSample.bytes([BlobSample(offset: 192)]),
    "byte 80: blob 0 says that its data starts at byte 192 instead of 128" + again),
  .init(
    "data offset of -1", BlobSample.bytes([BlobSample(offset: .max)]),
    "byte 80: blob 0 says that its data starts at byte 18,446,744,073,709,551,615 instead of 128"
      + again),
  .init(
    "size beyond the file", BlobSample.bytes([BlobSample(size: 6)]),
    "byte 72: blob 0 has 6 bytes where 4 are left; copy or download the file again"),
  .init(
    "size of -1", BlobSample.bytes([BlobSample(size: .max)]),
    "byte 72: blob 0 has 18,446,744,073,709,551,615 bytes where 4 are left; "
      + "copy or download the file again"),
  .init(
    "half a value", BlobSample.bytes([BlobSample(data: [1, 2, 3])]),
    "byte 72: blob 0 has 3 bytes, which is not a whole number of float16 values" + again),
  .init(
    "part of a packed value", BlobSample.bytes([BlobSample(type: 12, padding: 2, data: [1, 2])]),
    "byte 72: blob 0 has 2 bytes, which is not a whole number of uint3 values; export the file again"
  ),
  .init(
    "padding of whole bytes", BlobSample.bytes([BlobSample(padding: 4)]),
    "byte 88: blob 0 of float16 values claims 4 unused bits" + again),
  .init(
    "padding of a byte", BlobSample.bytes([BlobSample(type: 11, padding: 8)]),
    "byte 88: blob 0 of uint4 values claims 8 unused bits" + again),
  .init(
    "padding of -1", BlobSample.bytes([BlobSample(type: 11, padding: .max)]),
    "byte 88: blob 0 of uint4 values claims 18,446,744,073,709,551,615 unused bits" + again),
  .init(
    "padding of nothing", BlobSample.bytes([BlobSample(type: 11, padding: 4, data: [])]),
    "byte 88: blob 0 of uint4 values claims 4 unused bits" + again),
  .init(
    "one byte too many", BlobSample.bytes([BlobSample()]) + [1],
    "byte 132: the file goes on for 1 byte after the last of 1 blob" + again),
  .init(
    "zeros beyond the padding", BlobSample.bytes([BlobSample()]) + [UInt8](repeating: 0, count: 61),
    "byte 132: the file goes on for 61 bytes after the last of 1 blob" + again),
  .init(
    "zeros after a full line",
    BlobSample.bytes([BlobSample(data: .init(repeating: 1, count: 64))]) + [0],
    "byte 192: the file goes on for 1 byte after the last of 1 blob" + again),
  .init(
    "a blob more than counted", BlobSample.bytes([BlobSample(), BlobSample()], count: 1),
    "byte 132: the file goes on for 128 bytes after the last of 1 blob" + again),
]

@Suite struct BlobDefectTests {
  @Test(arguments: cases)
  func namesTheDefect(test: DefectCase) {
    let error = #expect(throws: FileError.self) {
      try BlobFile(bytes: TensorBytes(test.bytes), path: "w.bin")
    }
    #expect(error?.description == "w.bin: " + test.text)
  }
}
