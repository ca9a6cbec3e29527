package import SystemFiles

/// A reading position in untrusted bytes: every read is checked against what is left, and a failed one moves nothing.
package struct ByteCursor: Sendable {
  package let bytes: TensorBytes
  /// Named in errors.
  package let path: String
  /// Bytes from the start of the file.
  package private(set) var offset: Int

  package init(_ bytes: TensorBytes, path: String, offset: Int = 0) {
    precondition(offset >= 0 && offset <= bytes.count, "cursor outside the bytes")
    self.bytes = bytes
    self.path = path
    self.offset = offset
  }

  /// Bytes after the position.
  package var left: Int { bytes.count - offset }

  /// Reads a little-endian number; `field` is its name in errors.
  package mutating func read<T: BitwiseCopyable & FixedWidthInteger>(
    _ type: T.Type, _ field: @autoclosure () -> String
  ) throws(FileError) -> T {
    try require(UInt64(MemoryLayout<T>.size), field())
    let value = loadInteger(bytes, at: offset, as: type)
    offset += MemoryLayout<T>.size
    return value
  }

  /// Takes the next `count` bytes without copying them.
  package mutating func take(
    _ count: UInt64, _ field: @autoclosure () -> String
  ) throws(FileError) -> TensorBytes {
    try require(count, field())
    defer { offset += Int(count) }
    return bytes.slice(offset..<offset + Int(count))
  }

  /// Steps over strings that are preceded by their length in 8 bytes, up to the first that is longer than `limit` or
  /// does not fit; returns how many of `count` are left.
  ///
  /// One bounds-checked pass: vocabularies have hundreds of thousands of strings.
  package mutating func skipStrings(_ count: Int, limit: Int) -> Int {
    let start = offset
    let (position, left) = bytes.withSpan { span in
      var position = start
      var left = count
      while left > 0, span.byteCount - position >= 8 {
        let length = UInt64(
          littleEndian: unsafe span.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
        guard length <= UInt64(limit), length <= UInt64(span.byteCount - position - 8) else {
          break
        }
        position += 8 + Int(length)
        left -= 1
      }
      return (position, left)
    }
    offset = position
    return left
  }

  /// Throws unless `count` more bytes are there.
  package func require(
    _ count: UInt64, _ field: @autoclosure () -> String
  ) throws(FileError) {
    guard count <= UInt64(left) else {
      throw .truncated(path: path, offset: offset, field: field(), needed: count, left: left)
    }
  }

  /// Throws unless `count` items of at least `size` bytes each can still follow.
  package func require(
    _ count: UInt64, of size: UInt64, _ field: @autoclosure () -> String
  ) throws(FileError) {
    let (total, overflow) = count.multipliedReportingOverflow(by: size)
    try require(overflow ? .max : total, field())
  }
}

/// The little-endian integer at byte `offset` of `bytes`; traps when it is not inside them.
package func loadInteger<T: BitwiseCopyable & FixedWidthInteger>(
  _ bytes: TensorBytes, at offset: Int, as type: T.Type
) -> T {
  precondition(
    offset >= 0 && offset <= bytes.count - MemoryLayout<T>.size, "load outside the bytes")
  return bytes.withSpan { span in
    T(littleEndian: unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }
}

/// `value` rounded up to a multiple of `alignment`, or nil when that does not fit.
package func roundUp(_ value: Int, to alignment: Int) -> Int? {
  let (sum, overflow) = value.addingReportingOverflow(alignment - 1)
  return overflow ? nil : sum - sum % alignment
}

/// Appends little-endian values to a growing run of bytes.
struct ByteEncoder {
  private(set) var bytes: [UInt8] = []

  mutating func append<T: FixedWidthInteger>(_ value: T) {
    for shift in stride(from: 0, to: T.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
    }
  }

  mutating func append(raw: some Sequence<UInt8>) {
    bytes.append(contentsOf: raw)
  }

  /// Appends a GGUF string: its length in 8 bytes, then its bytes.
  mutating func appendString(_ string: [UInt8]) {
    append(UInt64(string.count))
    append(raw: string)
  }

  /// Appends zeros up to the next multiple of `alignment`.
  mutating func pad(to alignment: Int) {
    while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
  }
}
