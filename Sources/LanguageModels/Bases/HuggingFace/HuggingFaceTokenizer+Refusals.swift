import JSON

/// What a tokenizer may do, and a base cannot say.
extension HuggingFaceTokenizer {
  /// Refuses settings that change the tokens of texts and that no base has.
  func refuseOptions(
    _ added: AddedTokens, _ json: CheckpointSettings?
  ) throws(BaseModelError) {
    func unsupported(_ feature: String, _ file: CheckpointSettings?) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: file?.path ?? folder)
    }
    if let token = added.tokens.first(where: \.isSingleWord) {
      throw unsupported("the added token “\(token.text)” with “single_word”", json ?? configuration)
    }
    if configuration?.bool("split_special_tokens") == true {
      throw unsupported(
        "marks that are read as text (split_special_tokens, which false turns off)", configuration)
    }
    guard let json, let model = json.part("model") else { return }
    if let (key, text) = affix(of: model) { throw unsupported("“\(text)” as \(key)", json) }
    if let dropout = model.value("dropout")?.number?.double, dropout != 0 {
      throw unsupported(
        "merges that are left out by chance (dropout, which null turns off)", json)
    }
  }

  /// What is put around the pieces of a word.
  private func affix(of model: CheckpointSettings) -> (key: String, text: String)? {
    ["continuing_subword_prefix", "end_of_word_suffix"].lazy
      .compactMap { key in model.string(key).map { (key, $0) } }
      .first { !$0.1.isEmpty }
  }

  /// Refuses tokens that are found at the start of a text and behind a space alone, as a space is put in front of their own text, too.
  ///
  /// Begin, end and unknown stand where a template puts them.
  func refuseNormalized(
    _ added: AddedTokens, _ named: NamedTokens, _ json: CheckpointSettings
  ) throws(BaseModelError) {
    let steps = json.steps("normalizer", "normalizers")
    guard steps.contains(where: { $0["type"]?.string == "Prepend" }) else { return }
    let unknown = json.part("model")?.string("unk_token")
    let marks = ["bos", "eos", "unk"].map { named[$0] } + [unknown]
    guard let token = added.tokens.first(where: { $0.isNormalized && !marks.contains($0.text) })
    else { return }
    throw .base(
      .unsupportedTokenizer(
        feature:
          "the added token “\(token.text)” with “normalized” and a space in front of texts (false finds it everywhere)"
      ),
      file: json.path)
  }

  /// Refuses what SentencePiece does to texts, and a tokenizer of type `llama` does not.
  func refuse(
    _ model: SentencePieceModel, _ added: AddedTokens, hasPrefix: Bool
  ) throws(BaseModelError) {
    func unsupported(_ feature: String) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: model.path)
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
}
