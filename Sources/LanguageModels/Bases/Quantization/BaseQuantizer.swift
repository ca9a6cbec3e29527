import Kernels
import TensorFiles

/// Writes a base file again with its weights in other types.
///
/// All metadata stay, known or not, but for `general.file_type` and `general.quantization_version`; the signature of the
/// source is stamped into the result.
public struct BaseQuantizer: Sendable {
  private let plan: TensorTypePlan
  private let importance: ImportanceMatrix?

  /// Writes weights in the types of `plan`; `importance` says what errors count in each column, all alike if nil.
  public init(plan: TensorTypePlan, importance: ImportanceMatrix? = nil) {
    (self.plan, self.importance) = (plan, importance)
  }

  /// Quantizes the base at `input` to the file `output`, which appears complete or not at all.
  ///
  /// `progress` is called for each piece of about a million values; `isCancelled` is asked as often.
  ///
  /// - Throws: `BaseModelError`: what opening throws for a file that is no base, `.base` for a defect of the source,
  ///   `.importance` for a matrix of another model, `.file`, or `.cancelled`.
  public func quantize(
    _ input: String, to output: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    let file: GGUFFile
    do { file = try GGUFFile(path: input) } catch { throw .file(error) }
    // Projectors of pictures, vocabularies alone and adapters are GGUF files, too.
    _ = try HyperparameterReader(file).vocabularySize()
    var sources = file.tensors.map { tensor in
      TensorSource(
        name: tensor.name, dimensions: tensor.dimensions, type: tensor.type, parts: [tensor.bytes])
    }
    try importance?.apply(to: &sources, plan, of: file)
    try BaseWriter(
      head: head(of: file), sources: sources, plan: plan, sourcePath: input,
      checkSource: file.checkUnchanged
    ).write(to: output, progress: progress, isCancelled: isCancelled)
  }

  private func head(of file: GGUFFile) -> GGUFWriter {
    var head = GGUFWriter(alignment: file.alignment)
    head.set(file.metadata) { !$0.hasPrefix(ImportanceMatrix.keys) }
    head.set("general.file_type", .uint32(plan.fileType))
    if plan.type.blockLength > 1 { head.set("general.quantization_version", .uint32(2)) }
    importance?.describe(in: &head)
    head.set(BaseSignature.key, .text(BaseSignature.compute(file)))
    return head
  }
}

extension ImportanceMatrix {
  /// What llama.cpp's keys about it begin with.
  fileprivate static let keys = "quantize.imatrix."

  /// Says in a base what it was quantized by, as llama.cpp does; of paths the last part.
  fileprivate func describe(in head: inout GGUFWriter) {
    func name(_ path: String) -> GGUFValue {
      .text(String(path.split(separator: "/").last ?? ""))
    }
    head.set(Self.keys + "file", name(path))
    if let text = texts.first { head.set(Self.keys + "dataset", name(text)) }
    head.set(Self.keys + "entries_count", .uint32(UInt32(clamping: entries.count)))
    if chunks > 0 { head.set(Self.keys + "chunks_count", .uint32(UInt32(clamping: chunks))) }
  }

  /// Gives its entry to each tensor whose type in `plan` weighs errors: those of layers have to have one, embedding and
  /// head may.
  fileprivate func apply(
    to sources: inout [TensorSource], _ plan: TensorTypePlan, of file: GGUFFile
  ) throws(BaseModelError) {
    let inLayers = entries.keys.filter { $0.hasPrefix("blk.") }.sorted()
    if let other = inLayers.first(where: { file.tensor(named: $0) == nil }) {
      throw .importance(.otherModel(other, base: file.path), file: path)
    }
    let types = plan.types(of: sources.map { ($0.name, $0.dimensions) })
    for (index, type) in types.enumerated() {
      let (name, dimensions) = (sources[index].name, sources[index].dimensions)
      guard entries[name] != nil || type.weighsErrors && name.hasPrefix("blk.") else { continue }
      // Also where a type does not weigh: widths of another model are told before it is written.
      let weights = try columns(
        of: name, count: dimensions[0], matrices: dimensions.dropFirst(2).reduce(1, *))
      if type.weighsErrors { sources[index].importance = weights }
    }
  }
}
