extension Array where Element == UInt8 {
  /// Appends a copy of `bytes`.
  package mutating func append(copying bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
