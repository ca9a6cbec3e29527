import SystemFiles
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

/// What to do about a tokenizer that no base can have.
let remedyForTokenizers = "install a GGUF file of this model, or convert another model"

/// What a `tokenizer.json` says, and no key of llama.cpp can.
@Suite struct HuggingFaceTokenizerTests {
  let qwen: CheckpointFolder

  init() throws { qwen = try CheckpointFolder("qwen2-window") }

  private func refusal(_ feature: String, _ file: String = "tokenizer.json") -> String {
    "\(file): the tokenizer uses \(feature), which is not supported; \(remedyForTokenizers)"
  }

  @Test(arguments: ["NFKC", "NFD", "Lowercase", "Strip"])
  func normalizersAreNamed(type: String) throws {
    try qwen.set("tokenizer.json", ["normalizer": ["type": type]])
    #expect(qwen.failure() == refusal("the normalizer \(type)"))
    try qwen.set(
      "tokenizer.json",
      ["normalizer": ["type": "Sequence", "normalizers": [["type": "NFC"], ["type": type]]]])
    #expect(qwen.failure() == refusal("the normalizer \(type)"))
  }

  @Test func charactersAreComposed() throws {
    let texts = ["cafe\u{301}", "\u{1112}\u{1161}\u{11AB}", "\u{212B}", "a<tool>e\u{301}"]
    let composed = ["caf\u{E9}", "\u{D55C}", "\u{C5}", "a<tool>\u{E9}"]
    let plain = try Tokenizer(qwen.convert())
    #expect(texts.map { plain.encode($0) } != composed.map { plain.encode($0) })
    try qwen.set("tokenizer.json", ["normalizer": ["type": "NFC"]])
    let tokenizer = try Tokenizer(qwen.convert())
    #expect(texts.map { tokenizer.encode($0) } == composed.map { plain.encode($0) })
    #expect(tokenizer.encode([0x61, 0xFF]) == plain.encode([0x61, 0xFF]))
  }

  /// What the tokenizer is filled up to.
  @Test func theEmbeddingIsLookedAtFirst() throws {
    try qwen.set("config.json", ["vocab_size": 7])
    #expect(
      qwen.failure().hasPrefix(
        "model.safetensors: tensor “model.embed_tokens.weight” has the shape"))
  }

  @Test func noPieceIsBeyondTheEmbedding() throws {
    let mistral = try CheckpointFolder("mistral-bytes")
    try mistral.set("tokenizer.json", at: "model.vocab", ["far": 1 << 40])
    #expect(
      mistral.failure().hasPrefix(
        "tokenizer.json: the tokenizer has 1,099,511,627,777 pieces, more than the vocabulary of "))
  }

  @Test func spacesInFrontAreNamed() throws {
    try qwen.set("tokenizer.json", at: "pre_tokenizer.pretokenizers.1", ["add_prefix_space": true])
    #expect(qwen.failure() == refusal("a space in front of texts (add_prefix_space)"))
  }

  /// What a step of type Split does with what it finds; the pattern finds all of a text.
  @Test(
    arguments: [
      ("Isolated", false, true), ("Isolated", true, true), ("Removed", true, true),
      ("Removed", false, false), ("MergedWithNext", false, false), ("Contiguous", false, false),
    ])
  func splitsKeepAll(behavior: String, inverts: Bool, isSupported: Bool) throws {
    let expected = try Tokenizer(qwen.convert()).encode("the cat, 12 and\n the")
    try qwen.set(
      "tokenizer.json", at: "pre_tokenizer.pretokenizers.0",
      ["behavior": behavior, "invert": inverts])
    if isSupported {
      #expect(try Tokenizer(qwen.convert()).encode("the cat, 12 and\n the") == expected)
    } else {
      #expect(
        qwen.failure() == refusal("a pre-tokenizer of type Split with the behavior “\(behavior)”"))
    }
  }

  static let models: [(key: String, value: any Sendable, feature: String?)] = [
    ("end_of_word_suffix", "</w>", "“</w>” as end_of_word_suffix"),
    ("end_of_word_suffix", "", nil),
    ("continuing_subword_prefix", "##", "“##” as continuing_subword_prefix"),
    ("continuing_subword_prefix", "", nil),
    ("dropout", 0.1, "merges that are left out by chance (dropout, which null turns off)"),
    ("dropout", 0.0, nil),
  ]

  @Test(arguments: ["qwen2-window", "mistral-plain", "gemma4"], models.indices)
  func optionsOfModelsAreNamed(name: String, index: Int) throws {
    let folder = try CheckpointFolder(name)
    let (key, value, feature) = Self.models[index]
    try folder.set("tokenizer.json", at: "model", [key: value])
    #expect(folder.failure() == feature.map { refusal($0) } ?? "no error")
  }

  @Test(arguments: ["mistral-plain", "gemma4"])
  func wholePiecesAreNamedWhereNothingIsCut(name: String) throws {
    let folder = try CheckpointFolder(name)
    try folder.set("tokenizer.json", at: "model", ["ignore_merges": true])
    #expect(folder.failure() == refusal("whole pieces (ignore_merges)"))
  }

  /// A piece that no merge makes.
  @Test(arguments: ["qwen2-window", "llama"], [true, false])
  func wholePiecesAreTaken(name: String, ignoresMerges: Bool) throws {
    let folder = try CheckpointFolder(name)
    try folder.set("tokenizer.json", at: "model", ["ignore_merges": ignoresMerges])
    try folder.set("tokenizer.json", at: "model.vocab", ["zqzq": 415])
    let tokens = try Tokenizer(folder.convert()).encode("zqzq", special: false)
    #expect((tokens == [415]) == ignoresMerges && tokens.isEmpty == false)
  }

  @Test func marksThatAreReadAsTextAreNamed() throws {
    try qwen.set("tokenizer_config.json", ["split_special_tokens": true])
    #expect(
      qwen.failure()
        == refusal(
          "marks that are read as text (split_special_tokens, which false turns off)",
          "tokenizer_config.json"))
    try qwen.set("tokenizer_config.json", ["split_special_tokens": false])
    #expect(qwen.failure() == "no error")
  }

  /// Some folders keep a file of that name that no program reads beside a byte-level tokenizer.
  @Test func otherModelFilesArePassedOver() throws {
    let expected = try Tokenizer(qwen.convert()).encode("the cat, 12 and\n the")
    try qwen.folder.write("IQ== 0\nIg== 1\n", to: "qwen2-window/tokenizer.model")
    #expect(try Tokenizer(qwen.convert()).encode("the cat, 12 and\n the") == expected)
  }

  /// What texts are cut by, in the words of the file.
  @Test func stepsAreNamed() throws {
    let bytes: [String: Any] = ["type": "ByteLevel", "add_prefix_space": false, "use_regex": true]
    let digits: [String: Any] = ["type": "Digits", "individual_digits": false]
    try qwen.set(
      "tokenizer.json", at: "pre_tokenizer", ["pretokenizers": [digits, bytes]])
    #expect(
      qwen.failure()
        == refusal(
          "a way to cut texts that no supported model has: Digits with individual_digits false, then "
            + "ByteLevel with use_regex true"))
    try qwen.set("tokenizer.json", ["pre_tokenizer": ["type": "Metaspace", "replacement": "▁"]])
    #expect(
      qwen.failure()
        == refusal("SentencePiece's pieces without bytes as a last resort (no byte_fallback)"))
    try qwen.set("tokenizer.json", ["pre_tokenizer": nil])
    #expect(qwen.failure() == refusal("nothing that cuts texts (no pre_tokenizer)"))
  }

  @Test func addedTokensTakeWhiteSpaceAlong() throws {
    let place = "added_tokens.4"
    func tokens(_ flags: [String: Any?]) throws -> [Token] {
      try qwen.set("tokenizer.json", at: place, flags)
      return try Tokenizer(qwen.convert()).encode("a \n<tool> \nb", special: false)
    }
    let (both, mark) = (try tokens(["lstrip": true, "rstrip": true]), Token(412))
    let plain = try Tokenizer(qwen.convert())
    #expect(both == plain.encode("a") + [mark] + plain.encode("b"))
    #expect(
      try tokens(["lstrip": true, "rstrip": false])
        == plain.encode("a") + [mark] + plain.encode(" \nb"))
    #expect(
      try tokens(["lstrip": false, "rstrip": true])
        == plain.encode("a \n") + [mark] + plain.encode("b"))
  }

  @Test func flagsThatCannotBeSaidAreNamed() throws {
    try qwen.set("tokenizer.json", at: "added_tokens.4", ["single_word": true])
    #expect(qwen.failure() == refusal("the added token “<tool>” with “single_word”"))
    try qwen.set(
      "tokenizer.json", at: "added_tokens.4",
      ["single_word": false, "normalized": true, "content": "<\u{E9}>"])
    _ = try qwen.convert()
    try qwen.set("tokenizer.json", ["normalizer": ["type": "NFC"]])
    #expect(qwen.failure() == refusal("the added token “<\u{E9}>” with “normalized”"))
  }

  @Test(
    arguments: [
      ([1, 7], [7]), ([1, 7, 9, 11], [7, 9, 11]), ([7], [7]), ([1], []), ([9, 999_999], [9]),
    ] as [([Int], Set<Token>)])
  func everyEndIsKept(ids: [Int], ends: Set<Token>) throws {
    try qwen.set("generation_config.json", ["eos_token_id": ids])
    let found = try Tokenizer(qwen.convert()).endsOfGeneration
    // The end token, and what vocabularies of any kind end with.
    let others: Set<Token> = [1, 3]
    #expect(found.subtracting(others) == ends)
  }

  @Test func endsMayStandAmongTheSettings() throws {
    try qwen.set("generation_config.json", ["eos_token_id": nil])
    try qwen.set("config.json", ["eos_token_id": [1, 8, 10]])
    #expect(try Tokenizer(qwen.convert()).endsOfGeneration.isSuperset(of: [8, 10]))
    try qwen.set("config.json", ["eos_token_id": 9])
    let ends = try Tokenizer(qwen.convert()).endsOfGeneration
    #expect(ends.contains(9) && !ends.contains(8))
  }
}

/// Tokenizers in a `tokenizer.model`, whose settings are changed in place.
@Suite struct HuggingFacePiecesTests {
  /// Adds a message of one field to a model; what comes last counts.
  private func append(_ bytes: [UInt8], _ folder: CheckpointFolder) throws {
    let path = folder.path + "/tokenizer.model"
    let model = try FileSystem.read(path, limit: 1 << 20)
    try folder.folder.write(model + bytes, to: FilePath.name(of: folder.path) + "/tokenizer.model")
  }

  @Test(arguments: ["mistral", "gemma2"])
  func extraSpacesAreNotRemoved(model: String) throws {
    let folder = try CheckpointFolder(model)
    // Field 3 of the model, field 4 of the normalizer.
    try append([3 << 3 | 2, 2, 4 << 3, 1], folder)
    #expect(
      folder.failure()
        == "tokenizer.model: the tokenizer uses the removal of extra spaces "
        + "(remove_extra_whitespaces), which is not supported; \(remedyForTokenizers)")
  }

  /// A piece of type 4 is read in front of everything else.
  @Test func symbolsAreReadWhereNothingIsPutInFront() throws {
    func piece(_ text: String, _ type: UInt8) -> [UInt8] {
      let name = Array(text.utf8)
      return [1 << 3 | 2, UInt8(name.count + 4), 1 << 3 | 2, UInt8(name.count)] + name + [
        3 << 3, type,
      ]
    }
    // Other tokens were added in front of it.
    let pieces = (0..<4).flatMap { piece("other\($0)", 1) } + piece("▁~", 4)
    let mistral = try CheckpointFolder("mistral")
    try append(pieces, mistral)
    #expect(
      mistral.failure()
        == "tokenizer.model: the tokenizer uses the symbol “▁~” (user_defined_symbols) with a space in "
        + "front of texts, which is not supported; \(remedyForTokenizers)")
    let gemma = try CheckpointFolder("gemma2")
    let count = try SentencePieceModel(path: gemma.path + "/tokenizer.model").pieces.count
    try append(pieces, gemma)
    let tokenizer = try Tokenizer(gemma.convert())
    #expect(tokenizer.encode("a ~", special: false).last == Token(count + 4))
  }

  @Test func bytesAreTheLastResort() throws {
    let folder = try CheckpointFolder("mistral")
    let path = folder.path + "/tokenizer.model"
    var bytes = try FileSystem.read(path, limit: 1 << 20)
    // The type of each piece that is a byte, behind its name and its score.
    let names = bytes.indices.filter { bytes[$0...].starts(with: "<0x".utf8) }
    for name in names {
      let type = try #require(bytes[name..<min(name + 20, bytes.count)].firstIndex(of: 3 << 3))
      bytes[type + 1] = 1
    }
    #expect(names.count == 256)
    try folder.folder.write(bytes, to: "mistral/tokenizer.model")
    #expect(
      folder.failure()
        == "tokenizer.model: the tokenizer uses no bytes for characters without a piece "
        + "(byte_fallback), which is not supported; \(remedyForTokenizers)")
  }
}

/// Where templates of chats are looked for.
@Suite struct FolderTemplatesTests {
  let folder: CheckpointFolder

  init() throws { folder = try CheckpointFolder("qwen2-window") }

  private func templates() throws -> [String?] {
    let metadata = try folder.convert().metadata
    return try ["", ".tool_use", ".rag"].map { try metadata.string("tokenizer.chat_template" + $0) }
  }

  private func list(_ names: String...) -> [String: Any?] {
    ["chat_template": names.map { ["name": $0, "template": "{{ '\($0)' }}"] }]
  }

  @Test func allOfAListAreKept() throws {
    try folder.set("tokenizer_config.json", list("rag", "default", "tool_use"))
    #expect(try templates() == ["{{ 'default' }}", "{{ 'tool_use' }}", "{{ 'rag' }}"])
    let names = try folder.convert().metadata.strings("tokenizer.chat_templates")
    #expect(names.map(Array.init) == [Array("rag".utf8), Array("tool_use".utf8)])
  }

  @Test func aListNeedsADefault() throws {
    try folder.set("tokenizer_config.json", list("rag", "tool_use"))
    #expect(
      folder.failure()
        == "tokenizer_config.json: the setting “chat_template” has “rag”, “tool_use”, but no “default”; "
        + "save the checkpoint again")
    try folder.set("tokenizer_config.json", list("default", String(repeating: "x", count: 256)))
    #expect(
      folder.failure()
        == "tokenizer_config.json: the setting “chat_template” has a name of more than 255 bytes; "
        + "save the checkpoint again")
  }

  @Test func filesGoBeforeSettings() throws {
    try folder.set("tokenizer_config.json", ["chat_template": "OLD"])
    #expect(try templates() == ["OLD", nil, nil])
    try folder.folder.write("NEW", to: "qwen2-window/chat_template.jinja")
    #expect(try templates() == ["NEW", nil, nil])
    try folder.folder.write(
      "TOOLS", to: "qwen2-window/additional_chat_templates/tool_use.jinja")
    #expect(try templates() == ["NEW", "TOOLS", nil])
  }
}
