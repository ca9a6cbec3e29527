import JSON
import SystemFiles
import TensorFiles
import Tokenization

/// The tokenizer in a Hugging Face folder, and the keys of a base that it becomes: those of llama.cpp's converter.
struct HuggingFaceTokenizer {
  let folder: String
  let configuration: CheckpointSettings?
  private let architecture: Architecture
  private let vocabulary: Int
  private let generation: CheckpointSettings?
  private let model: CheckpointSettings

  /// `model` is `config.json`.
  init(
    in folder: String, of model: CheckpointSettings, _ shape: HuggingFaceConfiguration
  ) throws(BaseModelError) {
    (self.folder, self.model) = (folder, model)
    (architecture, vocabulary) = (shape.architecture, shape.vocabularySize)
    configuration = try .ifPresent(FilePath.join(folder, "tokenizer_config.json"), limit: 8 << 20)
    generation = try .ifPresent(FilePath.join(folder, "generation_config.json"))
  }

  /// Sets the tokens, what they are, and the chat template.
  ///
  /// - Throws: `BaseModelError.base` for a tokenizer that a base cannot have.
  func set(on head: inout GGUFWriter) throws(BaseModelError) {
    let path = FilePath.join(folder, "tokenizer.json")
    let json = try CheckpointSettings.ifPresent(path, limit: 128 << 20)
    let named = try NamedTokens(folder, configuration)
    let added = try AddedTokens(folder, json, configuration, named)
    try refuseOptions(added, json)
    let pieces = FilePath.join(folder, "tokenizer.model")
    var model: SentencePieceModel?
    if architecture == .gemma4 {
      guard let json else { throw .base(.noTokenizer, file: folder) }
      try MergedVocabulary(json, vocabulary: vocabulary, added).set(on: &head)
    } else if json?.cutsBytes != true, FileSystem.kind(of: pieces) != nil {
      model = try SentencePieceModel(path: pieces)
    } else if let json, json.part("model")?.bool("byte_fallback") == true {
      model = try SentencePieceModel(json, vocabulary: vocabulary)
    } else if let json {
      try ByteLevelVocabulary(json, vocabulary: vocabulary, added).set(on: &head)
    } else {
      throw .base(.noTokenizer, file: folder)
    }
    if let model { try setPieces(model, added, named, json, on: &head) }
    try setSpecial(added, named, json, model, on: &head)
    let inside = added.tokens.filter { (0..<vocabulary).contains($0.id) }
    // The folder's name becomes that of the base, and has to say nothing about its tokens.
    let isPhi3 = OwnKeys.isPhi3(FilePath.name(of: folder))
    for (key, tokens) in [
      (OwnKeys.stripsLeft, inside.filter(\.stripsLeft)),
      (OwnKeys.stripsRight, inside.filter(\.stripsRight)),
    ] where isPhi3 || !tokens.isEmpty {
      head.set(key, .integers(tokens.map { Int32($0.id) }))
    }
    // Whatever its files say, as llama.cpp's.
    if architecture == .gemma4 { head.set("tokenizer.ggml.add_bos_token", .bool(true)) }
    try FolderTemplates(folder, configuration).set(on: &head)
  }

  private func setPieces(
    _ model: SentencePieceModel, _ added: AddedTokens, _ named: NamedTokens,
    _ json: CheckpointSettings?, on head: inout GGUFWriter
  ) throws(BaseModelError) {
    var pieces = model.padded(to: vocabulary)
    guard pieces.count <= vocabulary else {
      throw .base(.tooManyPieces(count: pieces.count, vocabulary: vocabulary), file: model.path)
    }
    let spaces = try spaces(model, json)
    try refuse(model, added, hasPrefix: spaces.prefix != .none)
    if let json, !isLlamas { try refuseNormalized(added, named, json) }
    for index in pieces.indices where pieces[index].type == 4 {
      pieces[index].text = Array(
        String(decoding: pieces[index].text, as: UTF8.self).withSpaces.utf8)
    }
    for token in added.tokens where pieces.indices.contains(token.id) {
      let text = token.isControl ? token.text : token.text.withSpaces
      pieces[token.id] = .init(
        text: Array(text.utf8), score: -1000, type: token.isControl ? 3 : 4)
    }
    head.set(pieces)
    spaces.set(on: &head)
    head.set("tokenizer.ggml.remove_extra_whitespaces", .bool(model.removesExtraSpaces))
  }

  /// Whether transformers takes its class of Llama's tokenizers, whatever steps the folder has.
  private var isLlamas: Bool {
    ["LlamaTokenizer", "LlamaTokenizerFast"].contains(configuration?.string("tokenizer_class"))
  }

  /// What is done to spaces: the steps of a `tokenizer.json` go before what the model file says.
  private func spaces(
    _ model: SentencePieceModel, _ json: CheckpointSettings?
  ) throws(BaseModelError) -> SpaceSteps {
    var steps = SpaceSteps(model, configuration)
    if let json {
      do { steps = try SpaceSteps(json) } catch { if model.path == json.path { throw error } }
    }
    // Only the class that makes its own steps reads this beside a tokenizer.json.
    let isRead = json == nil || isLlamas
    switch isRead ? configuration?.bool("add_prefix_space") : nil {
    case false?: steps.prefix = .none
    case true? where steps.prefix == .none: steps.prefix = .everyPart
    default: break
    }
    if architecture.isGemma { steps.prefix = .none }
    return steps
  }

  /// Begin, end and padding by the texts that the folder gives them, else by the numbers in `config.json`, else as the model
  /// file has them.
  private func setSpecial(
    _ added: AddedTokens, _ named: NamedTokens, _ json: CheckpointSettings?,
    _ pieces: SentencePieceModel?, on head: inout GGUFWriter
  ) throws(BaseModelError) {
    var frame: TextFrame?
    if let json { frame = try TextFrame(json) }
    let others = [
      "bos": (frame?.first, pieces?.begin), "eos": (frame?.last, pieces?.end),
      "unk": (nil, pieces?.unknown),
    ]
    var ids: [String: Int] = [:]
    for (name, key) in [("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding")] {
      let text = named[name]
      let candidates = [
        text.flatMap(added.id), text.flatMap { pieces?.id(of: $0) }, others[name]?.0,
        model.value(name + "_token_id")?.integer, others[name]?.1,
      ]
      guard let id = candidates.lazy.compactMap(\.self).first(where: (0..<vocabulary).contains)
      else { continue }
      ids[name] = id
      head.set("tokenizer.ggml.\(key)_token_id", .uint32(UInt32(id)))
    }
    setEnds(but: ids["eos"], on: &head)
    for (name, outer) in [("bos", frame?.first), ("eos", frame?.last)] {
      if let outer, let json, outer != ids[name] {
        let feature =
          "token \(outer) at an end of every text (post_processor), which is not the \(name)_token"
        throw .base(.unsupportedTokenizer(feature: feature), file: json.path)
      }
      let stated = configuration?.bool("add_\(name)_token") ?? (name == "bos")
      let adds = json == nil ? stated && ids[name] != nil : outer != nil && outer == ids[name]
      head.set("tokenizer.ggml.add_\(name)_token", .bool(adds))
    }
  }

  /// Models that end a turn with another token than a text name both here.
  private func setEnds(but end: Int?, on head: inout GGUFWriter) {
    let stated = generation?.value("eos_token_id") ?? model.value("eos_token_id")
    let all = stated.map { $0.array ?? [$0] } ?? []
    let ends = all.compactMap(\.integer).filter { $0 != end && (0..<vocabulary).contains($0) }
    if let turnEnd = ends.first {
      head.set("tokenizer.ggml.eot_token_id", .uint32(UInt32(turnEnd)))
    }
    if ends.count > 1 { head.set(OwnKeys.ends, .integers(ends.dropFirst().map { Int32($0) })) }
  }
}

extension CheckpointSettings {
  /// Whether a `tokenizer.json` is byte-level: a `tokenizer.model` beside it is one of another kind.
  fileprivate var cutsBytes: Bool {
    steps("pre_tokenizer", "pretokenizers").contains { $0["type"]?.string == "ByteLevel" }
  }
}

extension String {
  /// With spaces where SentencePiece writes its own sign for them.
  fileprivate var withSpaces: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\u{2581}" ? " " : $0 }))
  }
}
