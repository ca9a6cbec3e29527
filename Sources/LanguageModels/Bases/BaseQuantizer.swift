import Kernels
import TensorFiles

/// Writes a base file again with its weights in other types.
///
/// All metadata stay, known or not, but for `general.file_type` and `general.quantization_version`; the signature of the
/// source is stamped into the result.
public struct BaseQuantizer: Sendable {
  /// The types of the weights in the result.
  public let plan: TensorTypePlan

  /// Expects a plan of writable types.
  public init(plan: TensorTypePlan) {
    self.plan = plan
  }

  /// Quantizes the base at `input` to the file `output`, which appears complete or not at all.
  ///
  /// `progress` is called for each piece of about a million values; `isCancelled` is asked as often.
  ///
  /// - Throws: `LanguageModelError`: `.base` for a defect of the source, `.tensorFile`, or `.cancelled`.
  public func quantize(
    _ input: String, to output: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(LanguageModelError) {
    let file: GGUFFile
    let parts: Int?
    do throws(TensorFileError) {
      file = try GGUFFile(path: input)
      parts = try file.metadata.integer("split.count")
    } catch {
      throw .tensorFile(error)
    }
    guard parts ?? 1 <= 1 else { throw .base(.splitFile, file: input) }
    let sources = file.tensors.map { tensor in
      TensorSource(
        name: tensor.name, dimensions: tensor.dimensions, type: tensor.type, bytes: tensor.bytes)
    }
    try BaseWriter(head: head(of: file), sources: sources, plan: plan, sourcePath: input)
      .write(to: output, progress: progress, isCancelled: isCancelled)
  }

  private func head(of file: GGUFFile) -> GGUFWriter {
    var head = GGUFWriter(alignment: file.alignment)
    for key in file.metadata.keys where key != "general.alignment" {
      if let value = file.metadata[key] { head.set(key, value) }
    }
    head.set("general.file_type", .uint32(plan.fileType))
    if plan.type.blockLength > 1 { head.set("general.quantization_version", .uint32(2)) }
    head.set(BaseSignature.key, .text(BaseSignature.compute(file)))
    return head
  }
}
