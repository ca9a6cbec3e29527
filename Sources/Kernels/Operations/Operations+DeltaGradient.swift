import CKernels

/// What a gated delta rule reads of the rows of a sequence, or the gradients of that.
package struct DeltaValues: Sendable {
  /// Queries, keys and values, `(rows, channels)`.
  package var channels: FloatMatrix
  /// How much of the state stays, `(rows, value heads)`.
  package var kept: FloatMatrix
  /// How much of what the state lacks is added, `(rows, value heads)`.
  package var added: FloatMatrix

  package init(channels: FloatMatrix, kept: FloatMatrix, added: FloatMatrix) {
    (self.channels, self.kept, self.added) = (channels, kept, added)
  }

  /// Zeros.
  package init(_ shape: DeltaShape, rows: Int) {
    channels = FloatMatrix(rows: rows, columns: shape.channels)
    kept = FloatMatrix(rows: rows, columns: shape.valueHeads)
    added = FloatMatrix(rows: rows, columns: shape.valueHeads)
  }

  /// Those of some rows.
  package func rows(_ rows: Range<Int>) -> DeltaValues {
    DeltaValues(
      channels: channels.part(rows: rows, columns: 0..<channels.columns),
      kept: kept.part(rows: rows, columns: 0..<kept.columns),
      added: added.part(rows: rows, columns: 0..<added.columns))
  }

  /// Adds those of other rows, the first of which is `row`.
  package mutating func add(_ other: DeltaValues, atRow row: Int) {
    channels.add(other.channels, atRow: row, column: 0)
    kept.add(other.kept, atRow: row, column: 0)
    added.add(other.added, atRow: row, column: 0)
  }

  fileprivate func rows(of shape: DeltaShape) -> DeltaRows {
    let rows = DeltaRows(shape, capacity: channels.rows)
    for row in 0..<channels.rows {
      rows.channels.setRow(row, to: Array(channels.values[channels.range(row)]))
      rows.kept.setRow(row, to: Array(kept.values[kept.range(row)]))
      rows.added.setRow(row, to: Array(added.values[added.range(row)]))
    }
    return rows
  }
}

extension FloatMatrix {
  fileprivate init(_ rows: Activations) {
    self.init(
      rows: rows.capacity, columns: rows.columns, values: (0..<rows.capacity).flatMap(rows.row))
  }
}

// The gated delta rule over a whole sequence, which begins without a state.
extension Operations {
  /// What the rule reads of what matrices give; see ``deltaInput(_:_:_:into:first:batch:)``.
  package func deltaInput(
    _ given: DeltaValues, _ constants: DeltaConstants, _ shape: DeltaShape
  ) -> DeltaValues {
    let rows = given.channels.rows
    let read = DeltaRows(shape, capacity: rows)
    // A ring of few rows has to have all that a sum goes over.
    let ring = given.padded(to: constants.kernel.count / shape.channels).rows(of: shape)
    deltaInput(ring, constants, shape, into: read, first: 0, batch: rows)
    return DeltaValues(
      channels: FloatMatrix(read.channels), kept: FloatMatrix(read.kept),
      added: FloatMatrix(read.added))
  }

  /// What the rule gives, `(rows, value width)`.
  package func delta(_ read: DeltaValues, _ shape: DeltaShape) -> FloatMatrix {
    let rows = read.channels.rows
    let state = Activations(
      capacity: shape.valueHeads * shape.keySize, columns: shape.valueSize)
    let result = Activations(capacity: rows, columns: shape.valueWidth)
    delta(read.rows(of: shape), shape, from: state, to: state, into: result, batch: rows)
    return FloatMatrix(result)
  }

  /// The gradient of what the rule read from that of what it gave.
  package func deltaGradient(
    _ dy: FloatMatrix, _ read: DeltaValues, _ shape: DeltaShape
  ) -> DeltaValues {
    let rows = dy.rows
    precondition(dy.columns == shape.valueWidth && read.channels.rows == rows)
    var result = DeltaValues(shape, rows: rows)
    let width = 2 * shape.keySize + shape.valueSize
    var heads = FloatMatrix(rows: rows * shape.valueHeads, columns: width)
    var code = shape.code
    let floats = unsafe shape.valueHeads * ck_delta_scratch(&code, rows)
    let scratch = PageMemory(count: floats * MemoryLayout<Float>.stride)
    unsafe read.channels.values.withUnsafeBufferPointer { x in
      unsafe read.kept.values.withUnsafeBufferPointer { kept in
        unsafe read.added.values.withUnsafeBufferPointer { added in
          unsafe dy.values.withUnsafeBufferPointer { dy in
            unsafe heads.values.withUnsafeMutableBufferPointer { dx in
              unsafe result.kept.values.withUnsafeMutableBufferPointer { dkept in
                unsafe result.added.values.withUnsafeMutableBufferPointer { dadded in
                  let job = unsafe ck_delta_gradient_job(
                    cpu: variant.code, shape: code, rows: rows, x: x.baseAddress,
                    kept: kept.baseAddress, added: added.baseAddress, dy: dy.baseAddress,
                    dx: dx.baseAddress, dkept: dkept.baseAddress, dadded: dadded.baseAddress,
                    scratch: scratch.base.assumingMemoryBound(to: Float.self))
                  unsafe run(ck_delta_gradient_chunk, job, chunks: shape.valueHeads)
                }
              }
            }
          }
        }
      }
    }
    result.channels.gather(heads, shape)
    return result
  }
}

extension DeltaValues {
  /// The same with rows of zeros, so that there are at least `rows`.
  fileprivate func padded(to rows: Int) -> DeltaValues {
    func padded(_ x: FloatMatrix) -> FloatMatrix {
      let missing = max(0, rows - x.rows) * x.columns
      return FloatMatrix(
        rows: max(rows, x.rows), columns: x.columns,
        values: x.values + Array(repeating: 0, count: missing))
    }
    return DeltaValues(channels: padded(channels), kept: padded(kept), added: padded(added))
  }
}

extension FloatMatrix {
  /// Sums the gradients of each head's query, key and value, `(rows · value heads, 2 key size + value size)`, where they were read.
  fileprivate mutating func gather(_ heads: FloatMatrix, _ shape: DeltaShape) {
    let (keySize, valueSize) = (shape.keySize, shape.valueSize)
    let source = heads.values.span
    let width = columns
    var target = values.mutableSpan
    for place in 0..<heads.rows {
      let (row, head) = (place / shape.valueHeads, place % shape.valueHeads)
      let key = row * width + head % shape.keyHeads * keySize
      let value = row * width + 2 * shape.keyWidth + head * valueSize
      for index in 0..<keySize {
        target[key + index] += source[place * heads.columns + index]
        target[key + shape.keyWidth + index] += source[place * heads.columns + keySize + index]
      }
      for index in 0..<valueSize {
        target[value + index] += source[place * heads.columns + 2 * keySize + index]
      }
    }
  }
}
