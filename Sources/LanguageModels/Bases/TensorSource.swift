import Kernels

/// A tensor to be written: where its values come from and in which order.
struct TensorSource {
  let name: String
  /// Fastest first, as in the file to be written.
  let dimensions: [Int]
  let type: TensorType
  /// All rows, in the source's order.
  let bytes: TensorBytes
  /// How rows (of a vector: values) are to be re-ordered.
  var order: RotaryOrder?

  var count: Int { dimensions.reduce(1, *) }

  /// What moves as a whole: rows of a matrix; single values of a vector that is re-ordered.
  private var unit: Int { dimensions.count == 1 && order != nil ? 1 : dimensions[0] }

  private var unitCount: Int { count / unit }

  /// Calls `body` with pieces of whole rows, first to last, of about a million values each.
  func forEachPiece<E: Error>(_ body: (TensorBytes) throws(E) -> Void) throws(E) {
    let step = max(1, (1 << 20) / unit)
    for start in stride(from: 0, to: unitCount, by: step) {
      try body(piece(start..<min(unitCount, start + step)))
    }
  }

  private func piece(_ range: Range<Int>) -> TensorBytes {
    let size = bytes.count / unitCount
    guard let order else {
      return bytes.slice(range.lowerBound * size..<range.upperBound * size)
    }
    var gathered: [UInt8] = []
    gathered.reserveCapacity(range.count * size)
    for index in range {
      let row = order.source(of: index)
      gathered += bytes.slice(row * size..<(row + 1) * size).array
    }
    return TensorBytes(gathered)
  }
}
