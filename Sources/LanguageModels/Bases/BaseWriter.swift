import Kernels
import TensorFiles

/// Writes a base tensor by tensor, a piece of one in memory at a time.
struct BaseWriter {
  /// Keys and values; the tensors are added here.
  var head: GGUFWriter
  let sources: [TensorSource]
  let plan: TensorTypePlan
  /// Named in errors about values.
  let sourcePath: String

  /// Writes the file, or leaves what is there.
  ///
  /// - Throws: `LanguageModelError`: `.cancelled`, `.base(.notFinite)` or `.tensorFile`.
  func write(
    to path: String, progress: (BaseProgress) -> Void, isCancelled: () -> Bool
  ) throws(LanguageModelError) {
    var head = head
    let types = sources.map { plan.type(of: $0.name, dimensions: $0.dimensions) }
    for (source, type) in zip(sources, types) {
      head.append(.init(name: source.name, type: type, dimensions: source.dimensions))
    }
    var stream: GGUFStream
    do { stream = try GGUFStream(head, path: path) } catch { throw .tensorFile(error) }
    let total = sources.reduce(0) { $0 + $1.count }
    var done = 0
    for (source, type) in zip(sources, types) {
      var index = 0
      try source.forEachPiece { piece throws(LanguageModelError) in
        if isCancelled() { throw .cancelled }
        progress(BaseProgress(tensor: source.name, done: done + index, total: total))
        let bytes = try encode(piece, source, as: type, from: index)
        do throws(TensorFileError) {
          try stream.write(bytes)
        } catch {
          throw LanguageModelError.tensorFile(error)
        }
        index += piece.count / source.type.blockBytes * source.type.blockLength
      }
      done += source.count
    }
    if let last = sources.last {
      progress(BaseProgress(tensor: last.name, done: done, total: total))
    }
    if isCancelled() { throw .cancelled }
    do { try stream.commit() } catch { throw .tensorFile(error) }
  }

  private func encode(
    _ piece: TensorBytes, _ source: TensorSource, as type: TensorType, from index: Int
  ) throws(LanguageModelError) -> TensorBytes {
    // The same type is copied, so that nothing is rounded twice.
    if type == source.type { return piece }
    let values = dequantize(source.type, bytes: piece)
    if let wrong = values.firstIndex(where: { !$0.isFinite }) {
      throw .base(.notFinite(tensor: source.name, index: index + wrong), file: sourcePath)
    }
    return TensorBytes(quantize(type, values: values))
  }
}
