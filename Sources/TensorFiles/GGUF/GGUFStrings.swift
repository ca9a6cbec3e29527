public import Kernels

/// An array of strings that stay in the file until they are asked for.
///
/// Making one walks over all lengths once and allocates a single table, however many strings there are.
public struct GGUFStrings: Sendable, RandomAccessCollection {
  private let bytes: TensorBytes
  /// Where each string's bytes start, and at last where the next string's would.
  private let starts: [Int]

  /// Expects `count` checked strings back to back.
  init(bytes: TensorBytes, count: Int) {
    self.bytes = bytes
    starts = bytes.withSpan { span in
      unsafe [Int](unsafeUninitializedCapacity: count + 1) { table, written in
        var offset = 0
        for index in 0..<count {
          unsafe table[index] = offset + 8
          let length = unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
          offset += 8 + Int(UInt64(littleEndian: length))
        }
        unsafe table[count] = offset + 8
        written = count + 1
      }
    }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of strings.
  public var endIndex: Int { starts.count - 1 }

  /// A copy of the bytes of string `index`, which need not be UTF-8.
  public subscript(index: Int) -> [UInt8] {
    view(index).array
  }

  /// The bytes of string `index` in place.
  public func view(_ index: Int) -> TensorBytes {
    precondition(index >= 0 && index < count, "index outside the strings")
    return bytes.slice(starts[index]..<starts[index + 1] - 8)
  }
}
