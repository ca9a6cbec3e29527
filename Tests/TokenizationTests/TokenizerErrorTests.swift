import Tokenization
import TensorFiles
import Testing

/// One broken file for each way to be wrong, with the exact message.
@Suite struct TokenizerErrorTests {
  private typealias Keys = [String: GGUFValue?]

  private func message(_ keys: [String: GGUFValue]) throws -> String {
    let metadata = try TokenizerFixture.metadata(keys)
    do throws(TokenizerError) {
      _ = try Tokenizer(metadata, file: "m.gguf")
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  private func sentencePiece(_ changes: Keys) throws -> String {
    try message(TokenizerFixture.sentencePieceKeys(changes))
  }

  private func byteLevel(_ changes: Keys) throws -> String {
    try message(TokenizerFixture.byteLevelKeys(changes))
  }

  @Test func noTokenizer() throws {
    let text = "m.gguf: the file has no tokenizer; convert the model again with its tokenizer."
    #expect(try message([:]) == text)
    #expect(try message(["model": .text("none")]) == text)
  }

  @Test func unknownModel() throws {
    let text = "m.gguf: tokenizer model “bert” is unknown; known are llama, gpt2 and gemma4."
    #expect(try message(["model": .text("bert")]) == text)
    #expect(try byteLevel(["model": .text("bert")]) == text)
  }

  @Test func noPreTokenizer() throws {
    #expect(
      try byteLevel(["pre": nil])
        == "m.gguf: tokenizer.ggml.pre is missing, so nobody can tell how this tokenizer cuts text into "
        + "pieces; convert the model again with a current converter.")
  }

  @Test func unknownPreTokenizer() throws {
    let text = try byteLevel(["pre": .text("gpt-9")])
    #expect(text.hasPrefix("m.gguf: pre-tokenizer “gpt-9” is unknown; known are a.x-4.0, bloom, "))
    #expect(text.hasSuffix(", trillion, viking."))
  }

  @Test(arguments: ["tokens", "scores"]) func missingKey(key: String) throws {
    #expect(
      try sentencePiece([key: nil])
        == "m.gguf: metadata key “tokenizer.ggml.\(key)” is missing; convert the model again.")
  }

  @Test func missingMerges() throws {
    #expect(
      try byteLevel(["merges": nil])
        == "m.gguf: metadata key “tokenizer.ggml.merges” is missing; convert the model again.")
  }

  @Test func vocabularySize() throws {
    #expect(
      try sentencePiece(["tokens": .strings([])])
        == "m.gguf: the vocabulary has 0 pieces instead of 1 to 1,048,576; convert the model again."
    )
  }

  @Test func pieceTooLong() throws {
    let tokens: [[UInt8]] = [[0x61], [UInt8](repeating: 0x61, count: 4096)]
    #expect(
      try byteLevel(["tokens": .strings(tokens), "token_type": nil])
        == "m.gguf: the piece of token 1 has 4,096 bytes, more than the limit of 4,095; the file is damaged."
    )
  }

  @Test(arguments: ["scores", "token_type"]) func wrongCount(key: String) throws {
    let value: GGUFValue = key == "scores" ? .floats([0, 1]) : .integers([1, 1])
    #expect(
      try sentencePiece([key: value])
        == "m.gguf: metadata key “tokenizer.ggml.\(key)” has 2 elements for a vocabulary of 10 pieces; "
        + "convert the model again.")
  }

  @Test func scoreNotNumber() throws {
    let scores: [Float] = [0, 0, 0, .nan, 0, 0, 0, 0, 0, 0]
    #expect(
      try sentencePiece(["scores": .floats(scores)])
        == "m.gguf: the score of token 3 is not a number; convert the model again.")
  }

  @Test(arguments: ["eos_token_ids", "lstrip_token_ids", "rstrip_token_ids"])
  func tokenOfAListOutside(name: String) throws {
    let key = "tokenizer.fmadapter.\(name)"
    for token: Int32 in [-1, 10] {
      #expect(
        try sentencePiece([key: .integers([2, token])])
          == "m.gguf: metadata key “\(key)” names token \(token) of a vocabulary of 10 pieces; convert "
          + "the model again.")
    }
  }

  @Test(arguments: ["bos", "eos", "unknown", "eot", "eom", "fim_pad"])
  func tokenOutside(name: String) throws {
    #expect(
      try sentencePiece(["\(name)_token_id": .uint32(10)])
        == "m.gguf: metadata key “tokenizer.ggml.\(name)_token_id” names token 10 of a vocabulary of "
        + "10 pieces; convert the model again.")
  }

  @Test(arguments: [("bos", "add_bos_token"), ("eos", "add_eos_token")])
  func missingToken(name: String, flag: String) throws {
    #expect(
      try byteLevel([flag: .bool(true)])
        == "m.gguf: metadata key “tokenizer.ggml.\(flag)” is true, but “tokenizer.ggml.\(name)_token_id” "
        + "is missing; convert the model again.")
  }

  @Test(arguments: [
    "model", "pre", "tokens", "token_type", "add_bos_token", "bos_token_id", "scores",
  ])
  func wrongType(key: String) throws {
    let metadata = try TokenizerFixture.metadata(
      TokenizerFixture.sentencePieceKeys([key: .float32(1)]))
    #expect {
      _ = try Tokenizer(metadata, file: "m.gguf")
    } throws: { error in
      guard
        case .file(.malformed(let malformation, _, _)) = error as? TokenizerError,
        case .wrongType(let found, _, _) = malformation.defect as? GGUFDefect
      else { return false }
      return found == "tokenizer.ggml.\(key)"
    }
  }

  @Test func toleratesWhatDoesNoHarm() throws {
    // Merges that no text can use, pieces without text or twice the same, kinds that nobody defines.
    let merges = ["", "x", " ", "ab", "a b", "中 文", "a b"].map { Array($0.utf8) }
    #expect(try byteLevel(["merges": .strings(merges)]) == "no error")
    let tokens = ["", "a", "a", "", "b", "<0xZZ>"].map { Array($0.utf8) }
    let keys: Keys = ["tokens": .strings(tokens), "token_type": .integers([0, 1, 1, 9, -1, 6])]
    #expect(try byteLevel(keys) == "no error")
  }
}
