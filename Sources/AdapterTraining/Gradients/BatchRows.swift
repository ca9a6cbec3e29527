import Kernels
import Tokenization

/// The sequences of a batch, one behind the other.
struct BatchRows {
  private(set) var tokens: [Token] = []
  private(set) var segments: [Range<Int>] = []
  /// Rows from which a token is foretold, and that token.
  private(set) var places: [Int] = []
  private(set) var targets: [Token] = []

  init(_ batch: TrainingBatch) {
    for sequence in batch.sequences {
      let start = tokens.count
      tokens += sequence.tokens
      segments += sequence.segments.map { $0.lowerBound + start..<$0.upperBound + start }
      for (index, target) in sequence.targets.enumerated() {
        guard let target else { continue }
        places.append(start + index)
        targets.append(target)
      }
    }
  }

  /// The rows of `x` from which a token is foretold.
  func chosen(_ x: FloatMatrix) -> FloatMatrix {
    FloatMatrix(
      rows: places.count, columns: x.columns, values: places.flatMap { x.values[x.range($0)] })
  }

  /// The inverse: `x` at those rows, zero at all others.
  func spread(_ x: FloatMatrix) -> FloatMatrix {
    var result = FloatMatrix(rows: tokens.count, columns: x.columns)
    for (row, place) in places.enumerated() {
      result.values.replaceSubrange(result.range(place), with: x.values[x.range(row)])
    }
    return result
  }
}
