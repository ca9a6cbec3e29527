import Kernels
import SystemFiles

/// A tensor to be written: where its values come from and in which order.
struct TensorSource {
  let name: String
  /// Fastest first, as in the file to be written.
  let dimensions: [Int]
  let type: TensorType
  /// All rows, in the source's order; several parts of as many rows each, where the source has them apart.
  let parts: [TensorBytes]
  /// How rows (of a vector: values) are to be re-ordered.
  var order: RotaryOrder?
  /// The same of heads of values.
  var heads: ValueHeadOrder?
  /// Added to each value.
  var shift: Float = 0
  /// Added to some of the rows.
  var updates: [RowUpdate] = []
  /// What errors count in each column, `(matrices, columns)`; empty where all count alike.
  var importance: [Float] = []

  init(
    name: String, dimensions: [Int], type: TensorType, parts: [TensorBytes],
    order: RotaryOrder? = nil, heads: ValueHeadOrder? = nil, shift: Float = 0
  ) {
    (self.name, self.dimensions, self.type, self.parts) = (name, dimensions, type, parts)
    (self.order, self.heads, self.shift) = (order, heads, shift)
  }

  var count: Int { dimensions.reduce(1, *) }

  /// Whole rows from value `index` on as blocks of `type`, each weighed by the importance of its matrix.
  func quantize(_ type: TensorType, _ values: [Float], from index: Int) -> [UInt8] {
    let columns = dimensions[0]
    let (size, end) = (columns * dimensions[1], index + values.count)
    var (bytes, start): ([UInt8], Int) = ([], index)
    while start < end {
      let matrix = start / size
      let stop = min(end, (matrix + 1) * size)
      bytes += Kernels.quantize(
        type, values: Array(values[start - index..<stop - index]),
        importance: Array(importance[matrix * columns..<(matrix + 1) * columns]))
      start = stop
    }
    return bytes
  }

  /// What moves as a whole: rows of a matrix, or heads of them; single values of a vector that is re-ordered.
  private var unit: Int {
    heads?.unit ?? (dimensions.count == 1 && order != nil ? 1 : dimensions[0])
  }

  /// Of one part.
  private var unitCount: Int { count / unit / parts.count }

  /// Calls `body` with pieces of whole rows, first to last, of about a million values each.
  func forEachPiece<E: Error>(_ body: (TensorBytes) throws(E) -> Void) throws(E) {
    let step = max(1, (1 << 20) / dimensions[0]) * (dimensions[0] / unit)
    for part in parts {
      for start in stride(from: 0, to: unitCount, by: step) {
        try body(piece(start..<min(unitCount, start + step), of: part))
      }
    }
  }

  private func piece(_ range: Range<Int>, of bytes: TensorBytes) -> TensorBytes {
    let size = bytes.count / unitCount
    guard order != nil || heads != nil else {
      return bytes.slice(range.lowerBound * size..<range.upperBound * size)
    }
    var gathered: [UInt8] = []
    gathered.reserveCapacity(range.count * size)
    for index in range {
      let row = heads?.source(of: index) ?? order?.source(of: index) ?? index
      gathered += bytes.slice(row * size..<(row + 1) * size).array
    }
    return TensorBytes(gathered)
  }
}

/// The order of heads of values, several of which read one head of keys: side by side in a checkpoint, in a base one of each head
/// of keys, then the next of each.
package struct ValueHeadOrder: Equatable {
  let keyHeads: Int
  let valueHeads: Int
  /// Units of a head.
  let size: Int
  /// Units in front of the heads.
  let first: Int
  /// Values that move together.
  let unit: Int

  package init(keyHeads: Int, valueHeads: Int, size: Int, behind first: Int = 0, unit: Int = 1) {
    (self.keyHeads, self.valueHeads, self.size) = (keyHeads, valueHeads, size)
    (self.first, self.unit) = (first, unit)
  }

  /// The unit of the source that becomes unit `index` of the base; they begin anew behind the last head.
  package func source(of index: Int) -> Int {
    let place = index % (first + valueHeads * size)
    guard place >= first else { return index }
    let (head, inner) = ((place - first) / size, (place - first) % size)
    let (number, key) = head.quotientAndRemainder(dividingBy: keyHeads)
    let source = key * (valueHeads / keyHeads) + number
    return index - place + first + source * size + inner
  }
}

/// The order of Q and K rows: some keep the two rows of each rotary pair side by side, others all first rows of a head
/// before all second ones.
///
/// For head h of size D and pair i, these are the rows h D + 2 i + j and h D + j D / 2 + i (j = 0, 1). The weights of norms
/// that act on a head after the rotation move alike.
package struct RotaryOrder: Equatable {
  /// D, an even number.
  let headSize: Int
  /// Whether the file to be written has the pairs side by side, instead of the source.
  var makesNeighbours: Bool

  /// The order for heads of `headSize` values.
  package init(headSize: Int, makesNeighbours: Bool = false) {
    (self.headSize, self.makesNeighbours) = (headSize, makesNeighbours)
  }

  /// The row of the source that becomes row `index` of the base.
  package func source(of index: Int) -> Int {
    let place = index % headSize
    if makesNeighbours { return index - place + place % 2 * (headSize / 2) + place / 2 }
    let (half, pair) = place.quotientAndRemainder(dividingBy: headSize / 2)
    return index - place + 2 * pair + half
  }
}
