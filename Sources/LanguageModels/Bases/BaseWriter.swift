import Kernels
import SystemFiles
import TensorFiles

/// How far the writing of a base has come.
public struct BaseProgress: Sendable, Equatable {
  /// The tensor that is being written.
  public let tensor: String
  /// Values written so far, of all tensors.
  public let done: Int
  /// Values of all tensors.
  public let total: Int
}

/// Writes a base tensor by tensor, a piece of one in memory at a time.
struct BaseWriter {
  /// Keys and values; the tensors are added here.
  var head: GGUFWriter
  let sources: [TensorSource]
  /// Nil where each tensor keeps its type.
  let plan: TensorTypePlan?
  /// Named in errors about values.
  let sourcePath: String
  /// Asks whether the source is still the one that was opened.
  let checkSource: () throws(FileError) -> Void

  /// Writes the file, or leaves what is there.
  ///
  /// - Returns: What rounding to the types took from the updates of the sources, as a share of their norm.
  /// - Throws: `BaseModelError`: `.cancelled`, `.base(.notFinite)`, `.base(.outsideHalves)` or `.file`.
  @discardableResult func write(
    to path: String, progress: (BaseProgress) -> Void, isCancelled: () -> Bool
  ) throws(BaseModelError) -> Double {
    var (head, loss) = (head, RoundingLoss())
    let types =
      plan?.types(of: sources.map { ($0.name, $0.dimensions) }) ?? sources.map(\.type)
    for (source, type) in zip(sources, types) {
      head.append(.init(name: source.name, type: type, dimensions: source.dimensions))
    }
    var stream: GGUFStream
    do { stream = try GGUFStream(head, path: path) } catch { throw .file(error) }
    let total = sources.reduce(0) { $0 + $1.count }
    var done = 0
    for (source, type) in zip(sources, types) {
      var index = 0
      try source.forEachPiece { piece throws(BaseModelError) in
        if isCancelled() { throw .cancelled }
        progress(BaseProgress(tensor: source.name, done: done + index, total: total))
        let bytes = try encode(piece, source, as: type, from: index, &loss)
        do throws(FileError) {
          try stream.write(bytes)
        } catch {
          throw BaseModelError.file(error)
        }
        index += piece.count / source.type.blockBytes * source.type.blockLength
      }
      done += source.count
    }
    if let last = sources.last {
      progress(BaseProgress(tensor: last.name, done: done, total: total))
    }
    if isCancelled() { throw .cancelled }
    do throws(FileError) {
      try checkSource()
      try stream.commit()
    } catch {
      throw .file(error)
    }
    return loss.share
  }

  /// What rounds to infinity in F16: 65504 and half a step more.
  private static let endOfHalves: Float = 65520

  private func encode(
    _ piece: TensorBytes, _ source: TensorSource, as type: TensorType, from index: Int,
    _ loss: inout RoundingLoss
  ) throws(BaseModelError) -> TensorBytes {
    // The same type is copied, so that nothing is rounded twice.
    let isCopy = type == source.type && source.shift == 0 && source.updates.isEmpty
    if isCopy, type.blockLength > 1 { return piece }
    var values = dequantize(source.type, bytes: piece)
    let before = values
    if !source.updates.isEmpty { source.update(&values, from: index) }
    if source.shift != 0 { values = values.map { $0 + source.shift } }
    if let wrong = values.firstIndex(where: { !$0.isFinite }) {
      throw .base(.notFinite(tensor: source.name, index: index + wrong), file: sourcePath)
    }
    if isCopy { return piece }
    if type == .f16, let large = values.firstIndex(where: { abs($0) >= Self.endOfHalves }) {
      throw .base(.outsideHalves(tensor: source.name, index: index + large), file: sourcePath)
    }
    guard source.importance.isEmpty else {
      return TensorBytes(source.quantize(type, values, from: index))
    }
    let bytes = TensorBytes(quantize(type, values: values))
    if !source.updates.isEmpty { loss.add(before, values, dequantize(type, bytes: bytes)) }
    return bytes
  }
}

/// How far what was written is from what was to be, beside what was to be changed.
private struct RoundingLoss {
  private var (lost, changed) = (0.0, 0.0)

  var share: Double { changed > 0 ? (lost / changed).squareRoot() : 0 }

  mutating func add(_ before: [Float], _ wanted: [Float], _ written: [Float]) {
    for place in before.indices {
      let (error, change) = (written[place] - wanted[place], wanted[place] - before[place])
      lost += Double(error) * Double(error)
      changed += Double(change) * Double(change)
    }
  }
}
