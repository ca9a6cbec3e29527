// Loops over pointers: without an optimizer, closures over collections take a hundred times as long.

/// `count` elements, made one after the other.
package func filled<Element: BitwiseCopyable>(
  _ count: Int, by next: (_ index: Int) -> Element
) -> [Element] {
  [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
    guard let first = buffer.baseAddress else { return }
    while initialized < count {
      first.advanced(by: initialized).initialize(to: next(initialized))
      initialized += 1
    }
  }
}

/// The bytes of `values` as a file stores them.
package func littleEndian(_ values: [Float]) -> [UInt8] {
  filled(values.count) { values[$0].bitPattern.littleEndian }.withUnsafeBytes { Array($0) }
}

/// The bytes of `values` as a file stores them in half precision.
package func littleEndianHalves(_ values: [Float]) -> [UInt8] {
  filled(values.count) { Float16(values[$0]).bitPattern.littleEndian }
    .withUnsafeBytes { Array($0) }
}
