package import Adapters
import Kernels
import SystemFiles
import TensorFiles

/// Writes a base file again with adapters as a part of its weights: W + scale · B A.
///
/// Every tensor keeps its type, so that what is quantized is quantized again. All metadata stay but for the signature:
/// the result is another base, and its own signature is made of the source's and of the adapters.
package struct BaseMerger {
  /// What is added to a tensor of the file.
  package struct Update {
    /// The tensor's first row that is changed.
    let firstRow: Int
    let pair: LowRankPair
    let scale: Double

    /// The update of `pair`, times `scale`, from `firstRow` on.
    package init(firstRow: Int, pair: LowRankPair, scale: Double) {
      (self.firstRow, self.pair, self.scale) = (firstRow, pair, scale)
    }
  }

  /// By the tensors' names.
  let updates: [String: [Update]]
  /// What was merged, a line each: the signature follows from it.
  let contents: [String]

  /// Expects updates for matrices of the file.
  package init(_ updates: [String: [Update]], contents: [String]) {
    (self.updates, self.contents) = (updates, contents)
  }

  /// Writes the base at `input` with the updates to `output`, which appears complete or not at all.
  ///
  /// - Returns: What rounding to the tensors' types took from the updates, as a share of their norm.
  /// - Throws: `BaseModelError`: `.base(.notFinite)`, `.file`, or `.cancelled`.
  @discardableResult package func merge(
    _ input: String, to output: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> Double {
    let file: GGUFFile
    do { file = try GGUFFile(path: input) } catch { throw .file(error) }
    var head = GGUFWriter(alignment: file.alignment)
    head.set(file.metadata)
    let listing =
      (["fmadapter merged base 1", BaseSignature.compute(file)] + contents)
      .joined(separator: "\n") + "\n"
    head.set(BaseSignature.key, .text(String(SHA256.hex(Array(listing.utf8)).prefix(40))))
    let operations = Operations(pool: .shared(threads: nil))
    let sources = file.tensors.map { tensor in
      var source = TensorSource(
        name: tensor.name, dimensions: tensor.dimensions, type: tensor.type, parts: [tensor.bytes])
      source.updates = (updates[tensor.name] ?? []).map { RowUpdate($0, operations) }
      return source
    }
    return try BaseWriter(
      head: head, sources: sources, plan: nil, sourcePath: input, checkSource: file.checkUnchanged
    ).write(to: output, progress: progress, isCancelled: isCancelled)
  }
}

/// A low-rank matrix that is added to rows of a tensor while they are written.
struct RowUpdate {
  private let rows: Range<Int>
  /// A `(rank, in)`.
  private let a: FloatMatrix
  /// B `(out, rank)`, with the scale.
  private var b: FloatMatrix
  private let operations: Operations

  init(_ update: BaseMerger.Update, _ operations: Operations) {
    (a, b) = (update.pair.aMatrix, update.pair.bMatrix)
    b.values = b.values.map { Float(Double($0) * update.scale) }
    rows = update.firstRow..<update.firstRow + b.rows
    self.operations = operations
  }

  /// Adds what belongs to the rows of `values`, the first of which is row `first`.
  func add(to values: inout FloatMatrix, first: Int) {
    let shared = rows.clamped(to: first..<first + values.rows)
    guard !shared.isEmpty else { return }
    let part = b.view(
      rows: shared.lowerBound - rows.lowerBound..<shared.upperBound - rows.lowerBound,
      columns: 0..<b.columns)
    operations.addProduct(part, a, to: &values, atRow: shared.lowerBound - first)
  }
}

extension TensorSource {
  /// Adds the updates to whole rows of `values`, the first of which is value `index` of the tensor.
  func update(_ values: inout [Float], from index: Int) {
    let columns = dimensions[0]
    var matrix = FloatMatrix(rows: values.count / columns, columns: columns, values: values)
    for update in updates { update.add(to: &matrix, first: index / columns) }
    values = matrix.values
  }
}
