import Adapters
import TensorFiles
import Tokenization

/// The tokenizer in a Hugging Face folder, and the keys of a base that it becomes: those of llama.cpp's converter.
struct HuggingFaceTokenizer {
  private let folder: String
  private let architecture: Architecture
  private let vocabulary: Int
  private let configuration: CheckpointSettings?
  private let generation: CheckpointSettings?
  private let model: CheckpointSettings

  /// `model` is `config.json`.
  init(
    in folder: String, of model: CheckpointSettings, _ shape: HuggingFaceConfiguration
  ) throws(LanguageModelError) {
    (self.folder, self.model) = (folder, model)
    (architecture, vocabulary) = (shape.architecture, shape.vocabularySize)
    configuration = try .ifPresent(FilePath.join(folder, "tokenizer_config.json"), limit: 8 << 20)
    generation = try .ifPresent(FilePath.join(folder, "generation_config.json"))
  }

  /// Sets the tokens, what they are, and the chat template.
  ///
  /// - Throws: `LanguageModelError.base` for a tokenizer that a base cannot have.
  func set(on head: inout GGUFWriter) throws(LanguageModelError) {
    let path = FilePath.join(folder, "tokenizer.json")
    let json = try CheckpointSettings.ifPresent(path, limit: 128 << 20)
    let added = AddedTokens(json, configuration)
    if let token = added.tokens.first(where: \.isSingleWord) {
      throw .base(
        .unsupportedTokenizer(feature: "the added token “\(token.text)” with “single_word”"),
        file: json?.path ?? configuration?.path ?? folder)
    }
    let pieces = FilePath.join(folder, "tokenizer.model")
    if architecture == .gemma4 {
      guard let json else { throw .base(.noTokenizer, file: folder) }
      try MergedVocabulary(json, vocabulary: vocabulary, added).set(on: &head)
    } else if FileSystem.kind(of: pieces) != nil {
      try setPieces(SentencePieceModel(path: pieces), added, path: pieces, on: &head)
    } else if let json, json.part("model")?.bool("byte_fallback") == true {
      try setPieces(SentencePieceModel(json, vocabulary: vocabulary), added, path: path, on: &head)
    } else if let json {
      try ByteLevelVocabulary(json, vocabulary: vocabulary, added).set(on: &head)
    } else {
      throw .base(.noTokenizer, file: folder)
    }
    setSpecial(added, json, on: &head)
    let inside = added.tokens.filter { (0..<vocabulary).contains($0.id) }
    for (key, tokens) in [
      (OwnKeys.stripsLeft, inside.filter(\.stripsLeft)),
      (OwnKeys.stripsRight, inside.filter(\.stripsRight)),
    ] where !tokens.isEmpty {
      head.set(key, .integers(tokens.map { Int32($0.id) }))
    }
    // Whatever its files say, as llama.cpp's.
    if architecture == .gemma4 { head.set("tokenizer.ggml.add_bos_token", .bool(true)) }
    try FolderTemplates(folder, configuration).set(on: &head)
  }

  private func setPieces(
    _ model: SentencePieceModel, _ added: AddedTokens, path: String, on head: inout GGUFWriter
  ) throws(LanguageModelError) {
    var pieces = model.padded(to: vocabulary)
    guard pieces.count <= vocabulary else {
      throw .base(.tooManyPieces(count: pieces.count, vocabulary: vocabulary), file: path)
    }
    let prefix =
      architecture.isGemma
      ? false : configuration?.bool("add_prefix_space") ?? model.addsDummyPrefix
    try refuse(model, added, hasPrefix: prefix, path: path)
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
    head.set("tokenizer.ggml.add_space_prefix", .bool(prefix))
    head.set("tokenizer.ggml.remove_extra_whitespaces", .bool(model.removesExtraSpaces))
    // What the model file says counts where no other file names a token.
    for (name, id) in [("bos", model.begin), ("eos", model.end), ("unknown", model.unknown)]
    where pieces.indices.contains(id) {
      head.set("tokenizer.ggml.\(name)_token_id", .uint32(UInt32(id)))
    }
  }

  /// Refuses what SentencePiece does to texts, and a tokenizer of type `llama` does not.
  private func refuse(
    _ model: SentencePieceModel, _ added: AddedTokens, hasPrefix: Bool, path: String
  ) throws(LanguageModelError) {
    func unsupported(_ feature: String) -> LanguageModelError {
      .base(.unsupportedTokenizer(feature: feature), file: path)
    }
    if model.removesExtraSpaces {
      throw unsupported("the removal of extra spaces (remove_extra_whitespaces)")
    }
    guard model.pieces.contains(where: { $0.type == 6 }) else {
      throw unsupported("no bytes for characters without a piece (byte_fallback)")
    }
    // A space is put in front of what follows a mark, which such a symbol is not.
    let known = Set(added.tokens.map(\.id))
    let symbol = model.pieces.indices.first { model.pieces[$0].type == 4 && !known.contains($0) }
    if hasPrefix, let symbol {
      let text = String(decoding: model.pieces[symbol].text, as: UTF8.self)
      throw unsupported(
        "the symbol “\(text)” (user_defined_symbols) with a space in front of texts")
    }
  }

  /// Begin, end and padding by the text that `tokenizer_config.json` gives, else by the number in `config.json`.
  private func setSpecial(
    _ added: AddedTokens, _ json: CheckpointSettings?, on head: inout GGUFWriter
  ) {
    var ids: [String: Int] = [:]
    for (name, key) in [("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding")] {
      let entry = configuration?.value(name + "_token")
      let text = entry?.string ?? entry?.object?["content"]?.string
      let id =
        text.flatMap { text in added.tokens.first { $0.text == text }?.id }
        ?? model.value(name + "_token_id")?.integer
      guard let id, (0..<vocabulary).contains(id) else { continue }
      ids[name] = id
      head.set("tokenizer.ggml.\(key)_token_id", .uint32(UInt32(id)))
    }
    // Models that end a turn with another token than a text name both here.
    let stated = generation?.value("eos_token_id") ?? model.value("eos_token_id")
    let all = stated?.array ?? generation?.value("eos_token_id").map { [$0] } ?? []
    let ends = all.compactMap(\.integer).filter {
      $0 != ids["eos"] && (0..<vocabulary).contains($0)
    }
    if let turnEnd = ends.first {
      head.set("tokenizer.ggml.eot_token_id", .uint32(UInt32(turnEnd)))
    }
    if ends.count > 1 { head.set(OwnKeys.ends, .integers(ends.dropFirst().map { Int32($0) })) }
    for (name, isLast) in [("bos", false), ("eos", true)] {
      guard let adds = adds(name, ids[name], isLast: isLast, added, json) else { continue }
      head.set("tokenizer.ggml.add_\(name)_token", .bool(adds))
    }
  }

  /// Whether every text gets the token `id` in front, or behind: as the template of `tokenizer.json` has it, unless told
  /// otherwise.
  private func adds(
    _ name: String, _ id: Int?, isLast: Bool, _ added: AddedTokens, _ json: CheckpointSettings?
  ) -> Bool? {
    if let stated = configuration?.bool("add_\(name)_token") { return stated }
    guard let processor = json?.part("post_processor") else { return nil }
    let all = processor.value("processors")?.array?.compactMap(\.object) ?? [processor.object]
    for one in all where one["type"]?.string == "TemplateProcessing" {
      let parts = one["single"]?.array ?? []
      let place = (isLast ? parts.last : parts.first)?.object?["SpecialToken"]?.object
      guard let text = place?["id"]?.string else { return false }
      return added.tokens.first { $0.text == text }?.id == id
    }
    return all.contains { $0["type"]?.string == "ByteLevel" } ? false : nil
  }
}

/// Tokens that were added to a vocabulary, from `tokenizer.json` and `tokenizer_config.json`.
struct AddedTokens {
  struct AddedToken {
    let id: Int
    let text: String
    /// Whether it is a mark, which text of a user must not set.
    let isControl: Bool
    /// Whether it takes the white space before it, or after it along.
    let stripsLeft: Bool
    let stripsRight: Bool
    /// Whether it is none within a word.
    let isSingleWord: Bool
    /// Whether it is looked for in what a text becomes, not in the text.
    let isNormalized: Bool
  }

  private(set) var tokens: [AddedToken] = []

  init(_ json: CheckpointSettings?, _ configuration: CheckpointSettings?) {
    var entries =
      json?.value("added_tokens")?.array?.compactMap { entry in
        entry.object.flatMap { object in object["id"]?.integer.map { ($0, object) } }
      } ?? []
    let known = Set(entries.map(\.0))
    for member in configuration?.part("added_tokens_decoder")?.object.members ?? [] {
      guard let id = Int(member.key), let object = member.value.object, !known.contains(id)
      else { continue }
      entries.append((id, object))
    }
    for (id, object) in entries {
      guard let text = object["content"]?.string else { continue }
      let isControl = object["special"] == .bool(true) || Self.looksSpecial(text)
      tokens.append(
        AddedToken(
          id: id, text: text, isControl: isControl, stripsLeft: object["lstrip"] == .bool(true),
          stripsRight: object["rstrip"] == .bool(true),
          isSingleWord: object["single_word"] == .bool(true),
          isNormalized: object["normalized"] == .bool(true)))
    }
  }

  /// Marks that some models call ordinary; the list is that of llama.cpp's converter.
  private static func looksSpecial(_ text: String) -> Bool {
    ["<pad>", "<mask>", "<2mass>", "[@BOS@]"].contains(text)
      || [("<|", "|>"), ("<｜", "｜>"), ("<unused", ">")].contains {
        text.hasPrefix($0) && text.hasSuffix($1)
      }
  }
}

extension String {
  /// With spaces where SentencePiece writes its own sign for them.
  fileprivate var withSpaces: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\u{2581}" ? " " : $0 }))
  }
}
