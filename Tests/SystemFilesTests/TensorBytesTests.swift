import Testing

@testable import SystemFiles

@Suite struct TensorBytesTests {
  @Test func copiesAndSlices() {
    let bytes = TensorBytes([1, 2, 3, 4])
    #expect(bytes.count == 4)
    #expect(bytes.slice(1..<3).array == [2, 3])
    #expect(bytes.slice(4..<4).array == [])
    #expect(bytes.withSpan { $0.byteCount } == 4)
  }

  @Test func slicesKeepTheMemory() {
    var slice = TensorBytes([9, 8, 7]).slice(1..<2)
    for value in 0..<100 { _ = TensorBytes([UInt8(value), 0, 0]) }
    #expect(slice.array == [8])
    slice = slice.slice(0..<0)
    #expect(slice.array.isEmpty)
  }

  @Test func isAlignedTo64Bytes() {
    let address = TensorBytes([1]).withSpan { span in
      span.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }
    #expect(address % 64 == 0)
  }
}
