/// What the metadata of a file say about its tokenizer, apart from the vocabulary.
struct TokenizerSettings: Sendable {
  /// How text becomes tokens.
  enum Algorithm: Sendable {
    /// SentencePiece BPE: merges by score, or by rank where there are merges, and falls back to byte tokens.
    case sentencePiece
    /// Byte-level BPE: cuts into pieces, merges by rank.
    case byteLevel(PreTokenizer)
  }

  var algorithm: Algorithm
  /// Whether a SentencePiece vocabulary has merges.
  var hasMerges = false
  /// Whether the model is one of Gemma, whose vocabularies have tags of HTML.
  var isGemma = false
  var begin: Token?
  var end: Token?
  var unknown: Token?
  /// Tokens that the file itself says end a turn, a message, or a piece of code to be completed.
  var endsOfGeneration: [Token] = []
  /// Texts of tokens that end a turn in this family of models.
  var turnEnds: [String] = []
  /// Whether the file names the tokens for completing code, so that none is looked for by its text.
  var namesCodeTokens = false
  var addsBegin: Bool
  var addsEnd = false
  /// Whether text at the start or after a special token gets a space in front, for SentencePiece.
  var addsSpacePrefix: Bool
  /// Whether that space is put at the start of the text alone, as SentencePiece itself does.
  var prefixesStartOnly = false
  /// Whether neither text that begins with a space nor a mark gets one in front: as Metaspace of Hugging Face.
  var sparesPrefix = false
  /// Whether each space begins a piece, so that no two of them are one.
  var splitsAtSpaces = false
  /// The piece that stands for a line feed, if one does.
  var newlinePiece: String?
  /// Texts of special tokens that take the white space after them along: all but these, when not nil.
  var stripsRightExcept: [String]?
  /// Texts of special tokens that take the white space before them along.
  var stripsLeft: [String] = []
  /// Tokens that the file itself says take the white space before, or after them along.
  var strippers: (left: Set<Token>, right: Set<Token>) = ([], [])
  /// Whether characters are composed before a text is cut into pieces: Unicode's form NFC.
  var composes = false
  /// Whether a byte-level piece that is in the vocabulary is taken whole, without merging.
  var ignoresMerges = false
}

extension TokenizerSettings {
  /// Reads the keys of `metadata`.
  ///
  /// - Throws: `TokenizerError.tokenizer`, or `.file` for a value of the wrong type.
  init(_ metadata: TokenizerMetadata, vocabularyCount count: Int) throws(TokenizerError) {
    let preTokenizer = try metadata.string("tokenizer.ggml.pre")
    switch try metadata.string("tokenizer.ggml.model") {
    case nil, "none", "no_vocab": throw metadata.error(.noTokenizer)
    // Ollama's files have the second form.
    case "gemma4",
      "llama" where preTokenizer == "gemma4":
      self.init(algorithm: .sentencePiece, hasMerges: true, addsBegin: true, addsSpacePrefix: false)
    case "llama":
      self.init(algorithm: .sentencePiece, addsBegin: true, addsSpacePrefix: true)
      (begin, end, unknown) = (1 < count ? 1 : nil, 2 < count ? 2 : nil, 0)
      isGemma = try metadata.string("general.architecture")?.hasPrefix("gemma") ?? false
      addsSpacePrefix = try metadata.bool("tokenizer.ggml.add_space_prefix") ?? !isGemma
    case "gpt2":
      guard let preTokenizer else { throw metadata.error(.noPreTokenizer) }
      guard let rule = PreTokenizer.named(preTokenizer) else {
        throw metadata.error(.unknownPreTokenizer(preTokenizer))
      }
      self.init(algorithm: .byteLevel(rule), addsBegin: rule.addsBegin, addsSpacePrefix: false)
      ignoresMerges = try metadata.bool(OwnKeys.ignoresMerges) ?? rule.ignoresMerges
    case .some(let name): throw metadata.error(.unknownModel(name))
    }
    try readTokens(metadata, count: count)
    try readFamily(metadata, preTokenizer: preTokenizer ?? "")
  }

  private mutating func readTokens(_ metadata: TokenizerMetadata, count: Int)
    throws(TokenizerError)
  {
    func token(_ name: String) throws(TokenizerError) -> Token? {
      let key = "tokenizer.ggml.\(name)_token_id"
      guard let value = try metadata.integer(key) else { return nil }
      guard value >= 0, value < count else {
        throw metadata.error(.tokenOutside(key: key, token: value, count: count))
      }
      return Token(value)
    }
    begin = try token("bos") ?? begin
    end = try token("eos") ?? end
    unknown = try token("unknown") ?? unknown
    for name in ["eot", "eom", "fim_pad", "fim_rep", "fim_sep"] {
      guard let id = try token(name) else { continue }
      endsOfGeneration.append(id)
      if name.hasPrefix("fim") { namesCodeTokens = true }
    }
    for key in [OwnKeys.ends, "tokenizer.ggml.eos_token_ids"] {
      endsOfGeneration += try tokens(key, metadata, count: count)
    }
    strippers.left = Set(try tokens(OwnKeys.stripsLeft, metadata, count: count))
    strippers.right = Set(try tokens(OwnKeys.stripsRight, metadata, count: count))
    composes = try metadata.bool(OwnKeys.composes) ?? false
    prefixesStartOnly = try metadata.bool(OwnKeys.prefixesStartOnly) ?? false
    sparesPrefix = try metadata.bool(OwnKeys.sparesPrefix) ?? false
    splitsAtSpaces = try metadata.bool(OwnKeys.splitsAtSpaces) ?? false
    // What the kind of a tokenizer implies needs a token to do it with.
    let implied = addsBegin && begin != nil
    addsBegin = try metadata.bool("tokenizer.ggml.add_bos_token") ?? implied
    addsEnd = try metadata.bool("tokenizer.ggml.add_eos_token") ?? addsEnd
    if addsBegin, begin == nil {
      throw metadata.error(
        .missingToken(
          flag: "tokenizer.ggml.add_bos_token", key: "tokenizer.ggml.bos_token_id"))
    }
    if addsEnd, end == nil {
      throw metadata.error(
        .missingToken(
          flag: "tokenizer.ggml.add_eos_token", key: "tokenizer.ggml.eos_token_id"))
    }
  }

  /// The tokens that a list in the file names.
  private func tokens(
    _ key: String, _ metadata: TokenizerMetadata, count: Int
  ) throws(TokenizerError) -> [Token] {
    let values = try metadata.integers(key) ?? []
    if let value = values.first(where: { !(0..<count).contains($0) }) {
      throw metadata.error(.tokenOutside(key: key, token: value, count: count))
    }
    return values.map { Token($0) }
  }

  /// What no key says, but the family of the model implies; names as in llama.cpp, but where a key of our own says it.
  private mutating func readFamily(
    _ metadata: TokenizerMetadata, preTokenizer: String
  ) throws(TokenizerError) {
    let name = try metadata.string("general.name")?.lowercased() ?? ""
    if try metadata.string("general.architecture") == "afm" {
      newlinePiece = "<n>"
      turnEnds = ["<turn_end>"]
      prefixesStartOnly = true
    }
    if ["jina-v2-de", "jina-v2-es", "jina-v2-code"].contains(preTokenizer) {
      stripsLeft = ["<mask>"]
    } else if OwnKeys.isPhi3(name) {
      for key in [OwnKeys.stripsLeft, OwnKeys.stripsRight] {
        if try metadata.integers(key) != nil { return }
      }
      stripsRightExcept = ["<unk>", "<s>", "<|endoftext|>"]
    } else if name.contains("modern-bert") {
      stripsLeft = ["[MASK]"]
    }
  }
}
