import Kernels
import SystemFiles
import TensorFiles

/// Turns a checkpoint into a base file.
///
/// An AFM checkpoint is a directory with `config.json` and `base.safetensors` under the names of AFM text version 7 in
/// Apple's `tamm` package, and optionally `tokenizer.model`. A Hugging Face folder has a `config.json` with a
/// `model_type`, `model.safetensors` or the files that `model.safetensors.index.json` names, and a tokenizer. The signature
/// is the SHA-1 of all weights; every base made from them carries that.
public struct BaseConverter: Sendable {
  private let plan: TensorTypePlan

  /// Writes weights in the types of `plan`.
  public init(plan: TensorTypePlan) { self.plan = plan }

  /// Converts the checkpoint in `directory` to the file `output`, which appears complete or not at all.
  ///
  /// `progress` is called for each piece of about a million values; `isCancelled` is asked as often.
  ///
  /// - Throws: `BaseModelError`: `.base` for a defect of the checkpoint, `.file`, or `.cancelled`.
  public func convert(
    _ directory: String, to output: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    let settings = try CheckpointFiles.settings(in: directory)
    var head = GGUFWriter()
    let sources: [TensorSource]
    let check: () throws(FileError) -> Void
    let weightsPath: String
    if HuggingFaceFolder.has(settings) {
      let folder = try HuggingFaceFolder(directory, settings)
      head.begin(folder.configuration.architecture, name: FilePath.name(of: directory), plan)
      // The tokenizer is filled up to the rows of an embedding, which has to be there.
      sources = try folder.sources()
      try folder.setKeys(of: &head)
      (check, weightsPath) = (folder.checkUnchanged, folder.weights[0].path)
    } else {
      weightsPath = FilePath.join(directory, "base.safetensors")
      guard FileSystem.kind(of: weightsPath) != nil || settings.has("num_kv_reuse_layers") else {
        throw .base(.noModelType, file: settings.path)
      }
      let (map, weights) = try CheckpointFiles.weights(weightsPath)
      head.begin(.afm, name: FilePath.name(of: directory), plan)
      head.set(BaseSignature.key, .text(SHA1.hex(map.bytes)))
      sources = try setAFM(settings, weights, in: directory, of: &head)
      check = map.checkUnchanged
    }
    try BaseWriter(
      head: head, sources: sources, plan: plan, sourcePath: weightsPath, checkSource: check
    ).write(to: output, progress: progress, isCancelled: isCancelled)
  }

  /// Looks at a Hugging Face folder that may lack the weights: whether its settings and its tokenizer can be a base's, and do not
  /// say that the weights are quantized.
  package func examine(_ directory: String) throws(BaseModelError) {
    let settings = try CheckpointFiles.settings(in: directory)
    guard HuggingFaceFolder.has(settings) else {
      throw .base(.noModelType, file: settings.path)
    }
    let configuration = try HuggingFaceConfiguration(settings)
    try HuggingFaceFolder.refuseQuantized(settings)
    var head = GGUFWriter()
    for (name, value) in try configuration.keys() { head.set(name, value) }
    try HuggingFaceTokenizer(in: directory, of: settings, configuration).set(on: &head)
  }

  /// The keys and tensors of an AFM checkpoint.
  private func setAFM(
    _ settings: CheckpointSettings, _ weights: SafetensorsFile, in directory: String,
    of head: inout GGUFWriter
  ) throws(BaseModelError) -> [TensorSource] {
    let configuration = try CheckpointConfiguration(settings)
    head.set(configuration)
    let sources = try CheckpointTensors.sources(of: weights, configuration)
    try setTokenizer(in: directory, vocabulary: configuration.vocabularySize, of: &head)
    return sources
  }

  private func setTokenizer(
    in directory: String, vocabulary: Int, of head: inout GGUFWriter
  ) throws(BaseModelError) {
    let path = FilePath.join(directory, "tokenizer.model")
    let info: FileSystem.Info?
    do { info = try FileSystem.info(path) } catch { throw .file(error) }
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
  /// Sets what every base says first.
  fileprivate mutating func begin(
    _ architecture: Architecture, name: String, _ plan: TensorTypePlan
  ) {
    set("general.architecture", .text(architecture.rawValue))
    set("general.name", .text(name))
    set("general.file_type", .uint32(plan.fileType))
    if plan.type.blockLength > 1 { set("general.quantization_version", .uint32(2)) }
  }

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
    if !c.languages.isEmpty {
      set("general.languages", .strings(c.languages.map { Array($0.utf8) }))
    }
  }
}
