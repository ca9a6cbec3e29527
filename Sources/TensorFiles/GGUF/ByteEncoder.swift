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
