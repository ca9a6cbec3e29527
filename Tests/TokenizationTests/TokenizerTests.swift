import TensorFiles
import TestSupport
import Testing
import Tokenization

@Suite struct TokenizerTests {
  private func sentencePiece(_ changes: [String: GGUFValue?] = [:]) throws -> Tokenizer {
    let keys = TokenizerFixture.sentencePieceKeys(changes)
    return try Tokenizer(TokenizerFixture.metadata(keys), file: "m.gguf")
  }

  private func byteLevel(_ changes: [String: GGUFValue?] = [:]) throws -> Tokenizer {
    let keys = TokenizerFixture.byteLevelKeys(changes)
    return try Tokenizer(TokenizerFixture.metadata(keys), file: "m.gguf")
  }

  @Test func mergesByScore() throws {
    let tokenizer = try sentencePiece()
    #expect(tokenizer.encode("ab", special: false) == [6, 5])
    #expect(tokenizer.encode("bab", special: false) == [6, 4, 5])
    #expect(tokenizer.encode("", special: false) == [])
  }

  /// As Gemma 4 has it.
  @Test func mergesPiecesByRank() throws {
    let pieces = [
      "<unk>", "<s>", "</s>", "a", "b", "c", "ab", "bc", "▁", "▁a", "<0x0A>", "<0xC3>", "<0xA9>",
      "\n\n",
    ]
    let types: [Int32] = [2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 6, 6, 6, 1]
    let merges = ["b c", "a b", "▁ a", "c x"]
    let tokenizer = try Tokenizer(
      TokenizerFixture.metadata([
        "model": .text("gemma4"), "tokens": .strings(pieces.map { Array($0.utf8) }),
        "token_type": .integers(types), "merges": .strings(merges.map { Array($0.utf8) }),
        "bos_token_id": .uint32(1),
      ]), file: "m.gguf")
    #expect(tokenizer.encode("abc") == [1, 3, 7])
    #expect(tokenizer.encode(" ab", special: false) == [8, 6])
    #expect(tokenizer.encode(" a a", special: false) == [9, 9])
    #expect(tokenizer.encode("é", special: false) == [11, 12])
    #expect(tokenizer.encode("a\n\nb\n\n\n", special: false) == [3, 13, 4, 10, 10, 10])
    #expect(tokenizer.decode([9, 8, 6, 13, 11, 12]) == " a ab\n\né")
    // A tag of HTML, not the end of an answer.
    #expect(tokenizer.decode([2]) == "</s>")
    #expect(tokenizer.endsOfGeneration.isEmpty)
  }

  /// Gemma's vocabularies have tags of HTML.
  @Test func aTagOfHTMLEndsNoAnswer() throws {
    let types: [Int32] = [2, 3, 4, 1, 1, 1, 1, 1, 6, 3]
    var keys: [String: GGUFValue?] = [
      "token_type": .integers(types), "eos_token_id": .uint32(9),
    ]
    #expect(try sentencePiece(keys).endsOfGeneration == [2, 9])
    keys["general.architecture"] = .text("gemma3")
    let tags = try sentencePiece(keys)
    #expect(tags.endsOfGeneration == [9])
    #expect(tags.decode([3, 2]) == "a</s>")
    #expect(try sentencePiece(["eos_token_id": .uint32(9)]).endsOfGeneration == [2, 9])
  }

  /// Files of Ollama call all of them alike, and list the ends of answers.
  @Test func readsWhatOllamaSays() throws {
    let gemma: [String: GGUFValue?] = ["general.architecture": .text("gemma3")]
    #expect(try sentencePiece(gemma).encode("a") == [1, 3])
    #expect(try sentencePiece().encode("a") == [1, 7])
    let ends = try sentencePiece(["eos_token_ids": .integers([2, 5])])
    #expect(ends.endsOfGeneration == [2, 5])
    let merged: [String: GGUFValue?] = [
      "pre": .text("gemma4"), "tokens": .strings(["<unk>", "a", "b", "ab"].map { Array($0.utf8) }),
      "token_type": .integers([2, 1, 1, 1]), "scores": .floats([0, 0, 0, 0]),
      "merges": .strings([Array("a b".utf8)]), "bos_token_id": nil, "eos_token_id": nil,
    ]
    #expect(try sentencePiece(merged).encode("ab", special: false) == [3])
  }

  @Test func fallsBackToBytesThenToUnknown() throws {
    #expect(try sentencePiece().encode("a\nc", special: false) == [7, 8, 0])
  }

  @Test func addsWhatTheFileSays() throws {
    #expect(try sentencePiece().encode("a") == [1, 7])
    #expect(try sentencePiece().encode("") == [1])
    #expect(try sentencePiece(["add_eos_token": .bool(true)]).encode("a") == [1, 7, 2])
    #expect(try sentencePiece(["add_bos_token": .bool(false)]).encode("a") == [7])
    #expect(try sentencePiece(["bos_token_id": .uint32(9)]).encode("a") == [9, 7])
    #expect(try sentencePiece(["add_space_prefix": .bool(false)]).encode("a") == [1, 3])
    #expect(try byteLevel().encode("a") == [0])
    let keys: [String: GGUFValue?] = ["pre": .text("llama-bpe"), "bos_token_id": .uint32(6)]
    #expect(try byteLevel(keys).encode("a") == [6, 0])
    #expect(try byteLevel(["pre": .text("llama-bpe")]).encode("a") == [0])
  }

  @Test func readsSpecialTokensAsAsked() throws {
    let tokenizer = try sentencePiece()
    #expect(tokenizer.encode("<s>a<x>a", special: true) == [1, 1, 7, 9, 7])
    // User-defined tokens are read in any text, control tokens are not.
    #expect(tokenizer.encode("a<x>a", special: false) == [7, 9, 7])
    #expect(!tokenizer.encode("<s>", special: false).contains(1))
    #expect(try byteLevel().encode("a<|im_end|>", special: true) == [0, 5])
    #expect(try !byteLevel().encode("a<|im_end|>", special: false).contains(5))
  }

  @Test func takesSpacePrefixAfterSpecialTokensUnlessAFM() throws {
    let keys: [String: GGUFValue?] = ["general.architecture": .text("afm")]
    #expect(try sentencePiece().encode("<x>a", special: false) == [9, 7])
    #expect(try sentencePiece(keys).encode("<x>a", special: false) == [6, 9, 3])
  }

  /// Keys of this program's own.
  @Test func readsWhatOnlyThisProgramSays() throws {
    #expect(try sentencePiece().endsOfGeneration == [2])
    let ends = try sentencePiece(["tokenizer.fmadapter.eos_token_ids": .integers([3, 5])])
    #expect(ends.endsOfGeneration == [2, 3, 5])
    let stripping = try byteLevel([
      "tokenizer.fmadapter.lstrip_token_ids": .integers([6]),
      "tokenizer.fmadapter.rstrip_token_ids": .integers([5]),
    ])
    #expect(stripping.encode("a <u> a<|im_end|> a") == [0, 6, 4, 5, 0])
    #expect(try byteLevel().encode("a <u> a<|im_end|> a") == [0, 3, 6, 4, 5, 4])
  }

  /// A name is a guess, which a list goes before.
  @Test func takesNoSpaceAlongByNameWhereTheFileSaysWhichTokensDo() throws {
    var keys: [String: GGUFValue?] = ["general.name": .text("My-Phi3")]
    #expect(try byteLevel(keys).encode("a <u> a<|im_end|> a") == [0, 3, 6, 0, 5, 0])
    keys["tokenizer.fmadapter.rstrip_token_ids"] = .integers([])
    #expect(try byteLevel(keys).encode("a <u> a<|im_end|> a") == [0, 3, 6, 4, 5, 4])
  }

  /// Only where the file says so; what is no character stays what it was.
  @Test func composesCharacters() throws {
    let keys: [String: GGUFValue?] = [
      "tokens": .strings(
        ["a", "Ã©", "e", "Ã", "©", "Ì", "ģ", "ï", "¿", "½"].map { Array($0.utf8) }),
      "token_type": nil, "merges": .strings([Array("Ã ©".utf8)]),
    ]
    var composing = keys
    composing["tokenizer.fmadapter.nfc"] = .bool(true)
    #expect(try byteLevel(keys).encode("ae\u{301}") == [0, 2, 5, 6])
    let tokenizer = try byteLevel(composing)
    #expect(tokenizer.encode("ae\u{301}") == [0, 1])
    #expect(tokenizer.encode([0x61, 0xFF]) == [0, 7, 8, 9])
    #expect(tokenizer.encode([0xC3]) == [7, 8, 9])
  }

  @Test func replacesBrokenBytesInByteLevelText() throws {
    let tokenizer = try VocabularyFixture.tokenizer("gpt-2")
    let broken = tokenizer.encode([0x61, 0xFF, 0x62], special: false)
    #expect(broken == tokenizer.encode("a\u{FFFD}b", special: false))
    #expect(tokenizer.decode(broken) == "a\u{FFFD}b")
  }

  @Test func keepsBrokenBytesOfSentencePieceText() throws {
    let tokenizer = try VocabularyFixture.tokenizer("llama-spm")
    let text: [UInt8] = [0x61, 0xFF, 0x62, 0xE2, 0x82]
    #expect(tokenizer.bytes(of: tokenizer.encode(text, special: false)) == text)
  }

  @Test func stripsAfterTokensOfPhi3() throws {
    let tokenizer = try VocabularyFixture.tokenizer("phi-3")
    let user = try #require(tokenizer.token("<|user|>"))
    let end = try #require(tokenizer.token("<|end|>"))
    let hi = try #require(tokenizer.token("▁Hi"))
    #expect(tokenizer.encode("<|user|>\n Hi<|end|>\n") == [1, user, hi, end])
  }

  @Test func namesTheTokensThatEndAnAnswer() throws {
    #expect(try sentencePiece().endsOfGeneration == [2])
    #expect(try byteLevel().endsOfGeneration == [5])
    #expect(
      try byteLevel(["eos_token_id": .uint32(0), "eot_token_id": .uint32(1)]).endsOfGeneration == [
        0, 1, 5,
      ])
    #expect(try TokenizerFixture.tokenizer("afm").endsOfGeneration == [1, 6])
    #expect(try VocabularyFixture.tokenizer("phi-3").endsOfGeneration == [2, 32000, 32007])
    #expect(try VocabularyFixture.tokenizer("starcoder").endsOfGeneration == [0, 4])
  }

  @Test func knowsItsTokens() throws {
    let tokenizer = try sentencePiece()
    #expect(tokenizer.count == 10)
    #expect(tokenizer.beginToken == 1)
    #expect(tokenizer.endToken == 2)
    #expect(tokenizer.token("<x>") == 9)
    #expect(tokenizer.token("ab") == 5)
    #expect(tokenizer.token("nothing") == nil)
    #expect(tokenizer.bytes(of: 7) == Array(" a".utf8))
    #expect(tokenizer.bytes(of: 8) == [0x0A])
    #expect(tokenizer.bytes(of: 1) == [])
    #expect(tokenizer.bytes(of: 1, special: true) == Array("<s>".utf8))
    #expect(tokenizer.bytes(of: 10) == [])
    #expect(tokenizer.bytes(of: -1) == [])
  }

  @Test func standsALineFeedForItsPiece() throws {
    let tokenizer = try TokenizerFixture.tokenizer("afm")
    #expect(tokenizer.encode("a\nb", special: false) == tokenizer.encode("a<n>b", special: false))
    #expect(tokenizer.decode(tokenizer.encode("a\nb", special: false)) == "a\nb")
  }

  @Test(arguments: ["gpt-2", "spm"]) func takesLongTexts(name: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer(name)
    // Quadratic work over these would take minutes, all of them.
    for text in ["a", " ", "ab ", "中"] {
      let long = String(repeating: text, count: runsAllTests ? 20_000 : 5_000)
      #expect(tokenizer.bytes(of: tokenizer.encode(long, special: false)) == Array(long.utf8))
    }
  }
}

/// Tokenizers trained for the purpose, one for each pre-tokenizer, against the `tokenizers` and `sentencepiece` packages.
@Suite struct SmallTokenizerTests {
  static let names = [
    "default", "gpt-2", "starcoder", "llama-bpe", "qwen2", "qwen35", "tekken", "gpt-4o", "falcon",
    "deepseek-llm", "deepseek-coder", "deepseek-v3", "bloom", "viking", "spm", "spm-no-prefix",
    "afm",
  ]

  @Test(arguments: names) func equalsOtherImplementationThereAndBack(name: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer(name)
    let cases = try TokenizerFixture.cases(name)
    #expect(cases.count > 90)
    for (text, tokens) in cases {
      let shown = "\(name): \(String(decoding: text, as: UTF8.self).debugDescription)"
      #expect(tokenizer.encode(text, special: false) == tokens, "\(shown)")
      #expect(tokenizer.bytes(of: tokens) == text, "\(shown)")
    }
  }

  @Test func readsSpecialTokens() throws {
    let tokenizer = try TokenizerFixture.tokenizer("marks")
    for (text, expected) in try TokenizerFixture.cases("marks") {
      #expect(
        tokenizer.encode(text) == expected,
        "\(String(decoding: text, as: UTF8.self).debugDescription)")
    }
  }
}

/// Real vocabularies with inputs and the tokens that each model's own tokenizer gives for them.
@Suite struct TokenizerVectorTests {
  static let names = ["gpt-2", "llama-bpe", "llama-spm", "phi-3", "starcoder"]

  @Test(arguments: names) func equalsOriginalTokenizerThereAndBack(name: String) throws {
    let tokenizer = try VocabularyFixture.tokenizer(name)
    let cases = try VocabularyFixture.cases(name)
    #expect(cases.count == 47)
    for (text, tokens) in cases {
      let shown = "\(name): \(String(decoding: text, as: UTF8.self))"
      #expect(tokenizer.encode(text, special: false) == tokens, "\(shown)")
      #expect(tokenizer.bytes(of: tokens) == text, "\(shown)")
    }
  }
}
