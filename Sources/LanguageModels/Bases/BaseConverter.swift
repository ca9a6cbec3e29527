import Kernels
import TensorFiles

/// Turns an AFM checkpoint into a base file.
///
/// A checkpoint is a directory with `config.json` and `base.safetensors` under the names of AFM text version 7 in Apple's
/// `tamm` package, and optionally `tokenizer.model`. Its signature is the SHA-1 of `base.safetensors`; every base
/// made from it carries that.
public struct BaseConverter: Sendable {
  /// The types of the weights in the base.
  public let plan: TensorTypePlan

  /// Expects a plan of writable types.
  public init(plan: TensorTypePlan) {
    self.plan = plan
  }

  /// Converts the checkpoint in `directory` to the file `output`, which appears complete or not at all.
  ///
  /// `progress` is called for each piece of about a million values; `isCancelled` is asked as often.
  ///
  /// - Throws: `LanguageModelError`: `.base` for a defect of the checkpoint, `.tensorFile`, or `.cancelled`.
  public func convert(
    _ directory: String, to output: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(LanguageModelError) {
    let configuration = try CheckpointConfiguration(
      path: FilePath.join(directory, "config.json"))
    let file: SafetensorsFile
    let weights: MappedFile
    let weightsPath = FilePath.join(directory, "base.safetensors")
    do throws(TensorFileError) {
      weights = try MappedFile(path: weightsPath)
      file = try SafetensorsFile(bytes: weights.bytes, path: weightsPath, file: weights)
    } catch {
      throw .tensorFile(error)
    }
    var head = GGUFWriter()
    head.set("general.architecture", .text("afm"))
    head.set("general.name", .text(FilePath.name(of: directory)))
    head.set("general.file_type", .uint32(plan.fileType))
    if plan.type.blockLength > 1 { head.set("general.quantization_version", .uint32(2)) }
    head.set(BaseSignature.key, .text(SHA1.hex(weights.bytes)))
    head.set(configuration)
    try setTokenizer(in: directory, vocabulary: configuration.vocabularySize, of: &head)
    let sources = try CheckpointTensors.sources(of: file, configuration)
    try BaseWriter(
      head: head, sources: sources, plan: plan, sourcePath: weightsPath,
      checkSource: weights.checkUnchanged
    ).write(to: output, progress: progress, isCancelled: isCancelled)
  }

  private func setTokenizer(
    in directory: String, vocabulary: Int, of head: inout GGUFWriter
  ) throws(LanguageModelError) {
    let path = FilePath.join(directory, "tokenizer.model")
    let info: FileSystem.Info?
    do { info = try FileSystem.info(path) } catch { throw .tensorFile(error) }
    guard info != nil else { return head.set("tokenizer.ggml.model", .text("none")) }
    let model = try SentencePieceModel(path: path)
    guard model.pieces.count <= vocabulary else {
      throw .base(
        .tooManyPieces(count: model.pieces.count, vocabulary: vocabulary), file: path)
    }
    head.set(model, vocabulary: vocabulary)
    head.set("tokenizer.chat_template", .text(afmChatTemplate))
  }
}

/// Version 6 of the AFM chat format in short; ChatTemplates takes it for the whole one.
private let afmChatTemplate = """
  {%- for message in messages -%}
  {{- '<turn_start> ' + message['role'] + '<n>' + message['content'] + '<turn_end>' -}}
  {%- endfor -%}
  {%- if add_generation_prompt -%}{{- '<turn_start> assistant<n>' -}}{%- endif -%}
  """

extension GGUFWriter {
  /// Sets the hyperparameters under the names that llama.cpp gives them.
  fileprivate mutating func set(_ configuration: CheckpointConfiguration) {
    let c = configuration
    let integers = [
      ("vocab_size", c.vocabularySize), ("context_length", c.contextLength),
      ("embedding_length", c.width), ("block_count", c.layers),
      ("feed_forward_length", c.hiddenWidth), ("attention.head_count", c.heads),
      ("attention.head_count_kv", c.keyValueHeads), ("attention.key_length", c.headSize),
      ("attention.value_length", c.headSize), ("attention.shared_kv_layers", c.sharedLayers),
      ("rope.dimension_count", c.headSize),
    ]
    for (name, value) in integers { set("afm." + name, .uint32(UInt32(value))) }
    set("afm.attention.layer_norm_rms_epsilon", .float32(Float(c.epsilon)))
    set("afm.rope.freq_base", .float32(Float(c.rotationBase)))
  }
}
