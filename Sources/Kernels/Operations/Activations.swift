import CKernels

/// Scratch of one session: up to `capacity` rows of `columns` floats, and the same rows rounded to int8
/// as quantized weights multiply them.
@safe
package final class Activations {
  /// Rows that there is room for.
  package let capacity: Int
  /// Floats per row.
  package let columns: Int

  private let memory: PageMemory
  // Where the rounded rows begin; nil without them.
  private let blocks: Int?

  /// Allocates zeros; `types` are the types of the weights that will multiply these rows.
  package init(capacity: Int, columns: Int, types: Set<TensorType> = []) {
    self.capacity = capacity
    self.columns = columns
    let isRounded = types.contains { ck_form_of($0.rawValue) == CK_BLOCKS }
    let floats = (capacity * columns * MemoryLayout<Float>.stride + 63) / 64 * 64
    memory = PageMemory(
      count: floats + (isRounded ? capacity * ck_row_bytes(CK_BLOCKS, columns) : 0))
    blocks = isRounded ? floats : nil
  }

  var floats: UnsafeMutablePointer<Float> {
    unsafe memory.base.assumingMemoryBound(to: Float.self)
  }

  /// Where row `row` begins.
  func floats(row: Int) -> UnsafeMutablePointer<Float> { unsafe floats + row * columns }

  /// Where the rows are in `form`, and the bytes from row to row.
  func rows(_ form: ck_form) -> (base: UnsafeMutablePointer<UInt8>, bytes: Int) {
    guard let offset = form == CK_FLOATS ? 0 : blocks else {
      preconditionFailure("activations without this form")
    }
    let bytes = ck_row_bytes(form, columns)
    return unsafe ((memory.base + offset).assumingMemoryBound(to: UInt8.self), bytes)
  }

  /// The value at `(row, column)`.
  package subscript(row: Int, column: Int) -> Float {
    get {
      precondition((0..<capacity).contains(row) && (0..<columns).contains(column))
      return unsafe floats[row * columns + column]
    }
    set {
      precondition((0..<capacity).contains(row) && (0..<columns).contains(column))
      unsafe floats[row * columns + column] = newValue
    }
  }

  /// Calls `body` with row `row`.
  package func withRow<R>(_ row: Int, _ body: (Span<Float>) throws -> R) rethrows -> R {
    precondition((0..<capacity).contains(row))
    return try unsafe body(Span(_unsafeStart: floats + row * columns, count: columns))
  }

  /// A copy of row `row`.
  package func row(_ row: Int) -> [Float] {
    withRow(row) { span in (0..<columns).map { span[$0] } }
  }

  /// Replaces row `row`.
  package func setRow(_ row: Int, to values: [Float]) {
    precondition((0..<capacity).contains(row) && values.count == columns)
    unsafe values.withUnsafeBufferPointer { source in
      guard let from = source.baseAddress else { return }
      unsafe floats(row: row).update(from: from, count: columns)
    }
  }

  /// The column of the largest value of row `row`, the first of several; nil when a value is not finite.
  package func placeOfLargest(row: Int) -> Int? {
    precondition((0..<capacity).contains(row) && columns > 0)
    let place = unsafe ck_largest(floats + row * columns, columns)
    return place < columns ? place : nil
  }

  /// FNV-1a hash of the bytes of row `row`: changes when any bit of it does.
  package func hash(row: Int) -> UInt32 {
    precondition((0..<capacity).contains(row))
    return unsafe ck_hash(floats + row * columns, columns * 4)
  }

  /// Copies row `source` to row `target` of `other`.
  package func copyRow(_ source: Int, to other: Activations, at target: Int) {
    precondition((0..<capacity).contains(source) && (0..<other.capacity).contains(target))
    precondition(other.columns == columns && other !== self)
    unsafe other.floats(row: target).update(from: floats(row: source), count: columns)
  }

  /// Another one with the same rows, for no weights.
  package func copy() -> Activations {
    let copy = Activations(capacity: capacity, columns: columns)
    copy.copy(from: self)
    return copy
  }

  /// Takes over all rows of `other`, which has as many.
  package func copy(from other: Activations) {
    precondition(other.columns == columns && other.capacity == capacity && other !== self)
    unsafe floats.update(from: other.floats, count: capacity * columns)
  }

  /// Makes all values 0.
  package func clear() { unsafe floats.update(repeating: 0, count: capacity * columns) }

  /// Moves row `source` to row `target`.
  package func copyRow(_ source: Int, to target: Int) {
    precondition((0..<capacity).contains(source) && (0..<capacity).contains(target))
    guard source != target else { return }
    unsafe (floats + target * columns).update(from: floats + source * columns, count: columns)
  }
}
