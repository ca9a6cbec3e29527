import Kernels

extension TensorBytes {
  /// Bytes on the heap instead of in a mapped file.
  package init(_ bytes: [UInt8]) {
    let owner = HeapBytes(bytes)
    unsafe self.init(base: UnsafeRawPointer(owner.start), count: bytes.count, owner: owner)
  }

  /// The bytes as an array.
  package var array: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}

// Sound to share: the memory is written once, before the reference is handed out.
private final class HeapBytes: @unchecked Sendable {
  let start: UnsafeMutableRawPointer

  init(_ bytes: [UInt8]) {
    // 64 bytes of alignment, as mapped tensors have.
    start = .allocate(byteCount: max(bytes.count, 1), alignment: 64)
    bytes.withUnsafeBytes { source in
      if let from = source.baseAddress { start.copyMemory(from: from, byteCount: source.count) }
    }
  }

  deinit { start.deallocate() }
}
