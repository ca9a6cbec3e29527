public import Kernels
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
    do { file = try GGUFFile(path: input) } catch { throw .tensorFile(error) }
    let sources = file.tensors.map { tensor in
      TensorSource(
        name: tensor.name, dimensions: tensor.dimensions, type: tensor.type, parts: [tensor.bytes])
    }
    try BaseWriter(
      head: head(of: file), sources: sources, plan: plan, sourcePath: input,
      checkSource: file.checkUnchanged
    ).write(to: output, progress: progress, isCancelled: isCancelled)
  }

  private func head(of file: GGUFFile) -> GGUFWriter {
    var head = GGUFWriter(alignment: file.alignment)
    // What is split over several files becomes one.
    let others = GGUFFile.partKeys.union(["general.alignment"])
    for key in file.metadata.keys where !others.contains(key) {
      if let value = file.metadata[key] { head.set(key, value) }
    }
    head.set("general.file_type", .uint32(plan.fileType))
    if plan.type.blockLength > 1 { head.set("general.quantization_version", .uint32(2)) }
    head.set(BaseSignature.key, .text(BaseSignature.compute(file)))
    return head
  }
}

/// Which type each tensor of a base is written in.
///
/// Vectors, such as norms and biases, are F32, and so is what chooses experts. Matrices are of `type`, embedding and output head of `embedding` when
/// that is given, else also of `type`, but of Q4_0 beside Q2_B, as in Apple's model. A matrix whose rows are not whole
/// blocks falls back: K-quants (rows of 256) to Q8_0, Q2_K and Q2_B to Q4_0, and the types of 32 to F16.
public struct TensorTypePlan: Sendable, Equatable {
  /// For matrices.
  public let type: TensorType
  /// For `token_embd.weight` and `output.weight`; nil leaves it to `type`.
  public let embedding: TensorType?

  /// Traps when a type can only be read.
  public init(type: TensorType, embedding: TensorType? = nil) {
    precondition(type.isWritable && embedding?.isWritable ?? true, "a type that can only be read")
    self.type = type
    self.embedding = embedding
  }

  /// The type of the tensor `name` with these sizes, fastest first.
  package func type(of name: String, dimensions: [Int]) -> TensorType {
    guard dimensions.count > 1, !name.hasSuffix("ffn_gate_inp.weight") else { return .f32 }
    let isEmbedding = name == "token_embd.weight" || name == "output.weight"
    return TensorTypePlan.fitting(
      isEmbedding ? embedding ?? (type == .q2_B ? .q4_0 : type) : type, columns: dimensions[0])
  }

  private static func fitting(_ type: TensorType, columns: Int) -> TensorType {
    if columns.isMultiple(of: type.blockLength) { return type }
    switch type {
    case .q2_K, .q2_B: return fitting(.q4_0, columns: columns)
    case .q3_K, .q4_K, .q5_K, .q6_K: return fitting(.q8_0, columns: columns)
    default: return .f16
    }
  }

  /// The number of `general.file_type` for files that are mostly of `type`; llama.cpp has none for Q2_B.
  package var fileType: UInt32 {
    switch type {
    case .f32: 0
    case .f16: 1
    case .q4_0: 2
    case .q4_1: 3
    case .q8_0: 7
    case .q5_0: 8
    case .q5_1: 9
    case .q2_K: 10
    case .q3_K: 12
    case .q4_K: 14
    case .q5_K: 16
    case .q6_K: 18
    case .bf16: 32
    case .iq2_XXS: 19
    case .iq2_XS: 20
    case .iq3_XXS: 23
    case .iq4_NL: 25
    case .iq3_S: 26
    case .iq2_S: 28
    case .iq4_XS: 30
    case .tq2_0: 37
    case .mxfp4: 38
    case .q2_0: 41
    case .q2_B: type.rawValue
    }
  }
}
