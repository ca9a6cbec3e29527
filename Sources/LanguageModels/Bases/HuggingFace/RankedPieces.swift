import JSON

/// The pieces of a `tokenizer.json` whose neighbours merge by rank, and its merges, as a base has them.
struct RankedPieces {
  /// By id; those that the file lacks have names of their own.
  let tokens: [[UInt8]]
  /// By id: 5 unused, else what they were said to be.
  let types: [Int32]
  /// Two pieces with a space between, the first to be merged first.
  let merges: [[UInt8]]

  /// Reads the part `vocab` of a model, its `merges`, and the tokens that were added to it; of which type a piece or an added
  /// token is, its kind of vocabulary says.
  ///
  /// - Throws: `BaseModelError.base` for more pieces than `vocabulary`, or merges that are no pairs.
  init(
    _ vocab: JSONObject, merges pairs: [JSONValue], _ added: AddedTokens, vocabulary: Int,
    file: String, pieceType: ([UInt8]) -> Int32, addedType: (AddedTokens.AddedToken) -> Int32
  ) throws(BaseModelError) {
    var tokens: [[UInt8]?] = Array(repeating: nil, count: vocabulary)
    for member in vocab.members {
      guard let id = member.value.integer, (0..<vocabulary).contains(id) else {
        throw .base(.tooManyPieces(count: vocab.members.count, vocabulary: vocabulary), file: file)
      }
      tokens[id] = Array(member.key.utf8)
    }
    var types = tokens.map { $0.map(pieceType) ?? 5 }
    for token in added.tokens where tokens.indices.contains(token.id) {
      tokens[token.id] = Array(token.text.utf8)
      types[token.id] = addedType(token)
    }
    self.tokens = tokens.enumerated().map { $1 ?? Array("[PAD\($0)]".utf8) }
    self.types = types
    merges = try pairs.map { pair throws(BaseModelError) in
      if let both = pair.string { return Array(both.utf8) }
      guard let parts = pair.array?.compactMap(\.string), parts.count == 2 else {
        throw .base(.unsupportedTokenizer(feature: "merges that are no pairs"), file: file)
      }
      return Array(parts.joined(separator: " ").utf8)
    }
  }
}

extension CheckpointSettings {
  /// The model of a `tokenizer.json`, which has to be BPE, with its pieces and merges.
  ///
  /// - Throws: `BaseModelError.base` for a model of another kind.
  func mergedPieces() throws(BaseModelError) -> (
    model: CheckpointSettings, vocabulary: JSONObject, merges: [JSONValue]
  ) {
    let model = part("model")
    // Older files name no type.
    let type = model?.string("type") ?? (model?.has("merges") == true ? "BPE" : "unknown")
    guard type == "BPE" else {
      throw .base(.otherTokenizer(kind: "a model of type \(type)"), file: path)
    }
    guard let model, let vocabulary = model.part("vocab")?.object,
      let merges = model.value("merges")?.array
    else { throw bad("model", "lacks the pieces (vocab) or the merges") }
    return (model, vocabulary, merges)
  }
}
