import Foundation
import TensorFiles
import Testing

@testable import LanguageModels
@testable import Tokenization

/// Tokens beside the vocabulary, in the files that transformers has written over the years.
@Suite struct AddedTokensTests {
  /// A `tokenizer.model`, whose tokens from 400 to 403 were added.
  let folder: CheckpointFolder

  init() throws { folder = try CheckpointFolder("mistral") }

  private func write(_ text: String, _ name: String) throws {
    try folder.folder.write(text, to: "mistral/" + name)
  }

  private func keys(_ names: String...) throws -> [Int?] {
    let metadata = try folder.convert().metadata
    return try names.map { try metadata.integer("tokenizer.ggml.\($0)_token_id") }
  }

  private func types() throws -> [Int] {
    let types = try folder.convert().metadata.integers("tokenizer.ggml.token_type")
    return Array(try #require(types)[400...404])
  }

  @Test func olderFoldersHaveAFileOfTheirOwn() throws {
    let text = "the<|im_start|>the <tool><a b>"
    let expected = try Tokenizer(folder.convert()).encode(text)
    #expect(try types() == [3, 3, 4, 4, 5])
    try folder.set("tokenizer_config.json", ["added_tokens_decoder": nil])
    #expect(try types() == [5, 5, 5, 5, 5])
    try write(
      #"{"<|im_start|>": 400, "<|im_end|>": 401, "<tool>": 402, "<a▁b>": 403}"#,
      "added_tokens.json")
    #expect(try types() == [3, 3, 4, 4, 5])
    #expect(try Tokenizer(folder.convert()).encode(text) == expected)
    try write(#"{"additional_special_tokens": [{"content": "<tool>"}]}"#, "special_tokens_map.json")
    #expect(try types() == [3, 3, 3, 4, 5])
  }

  /// llama.cpp takes from some names which tokens take white space along.
  @Test func theNameOfAFolderSaysNothingOfItsTokens() throws {
    let text = "the<|im_start|> the <tool> a"
    let named = folder.folder.path("phi-3-mine")
    try FileManager.default.copyItem(atPath: folder.path, toPath: named)
    let output = folder.folder.path("named.gguf")
    try BaseConverter(plan: .init(type: .f32)).convert(named, to: output)
    let expected = try Tokenizer(folder.convert()).encode(text)
    #expect(try Tokenizer(GGUFFile(path: output)).encode(text) == expected)
  }

  /// What the newer file says of a number counts.
  @Test func newerFilesGoFirst() throws {
    try write(#"{"<other>": 402, "<more>": 404}"#, "added_tokens.json")
    let file = try folder.convert()
    let tokens = try #require(try file.metadata.strings("tokenizer.ggml.tokens"))
    #expect(
      [402, 404].map { String(decoding: tokens[$0], as: UTF8.self) } == ["<tool>", "<more>"])
  }

  @Test func numbersAreWhole() throws {
    try write(#"{"<tool>": "402"}"#, "added_tokens.json")
    #expect(
      folder.failure()
        == "added_tokens.json: the setting “<tool>” is not the number of a token; "
        + "save the checkpoint again")
  }

  /// As transformers: a map goes before settings that do not list the added tokens, else behind them.
  @Test func namesMayStandInAMap() throws {
    try write(
      #"{"eos_token": "<|im_end|>", "pad_token": {"content": "<tool>"}}"#,
      "special_tokens_map.json")
    #expect(try keys("bos", "eos", "padding") == [1, 2, 402])
    try folder.set("tokenizer_config.json", ["eos_token": nil])
    #expect(try keys("bos", "eos", "padding") == [1, 401, 402])
    try folder.set("tokenizer_config.json", ["eos_token": "</s>", "added_tokens_decoder": nil])
    try write(#"{"<|im_end|>": 401, "<tool>": 402}"#, "added_tokens.json")
    #expect(try keys("bos", "eos", "padding") == [1, 401, 402])
  }

  /// A piece of the vocabulary that a name makes a mark.
  @Test func namedPiecesAreMarks() throws {
    let plain = try CheckpointFolder("mistral-plain")
    let piece = "▁the"
    let metadata = try plain.convert().metadata
    let tokens = try #require(try metadata.strings("tokenizer.ggml.tokens"))
    let id = try #require((0..<tokens.count).first { tokens[$0] == Array(piece.utf8) })
    try plain.set("tokenizer_config.json", ["eos_token": piece])
    let changed = try plain.convert().metadata
    #expect(try changed.integer("tokenizer.ggml.eos_token_id") == id)
    #expect(try changed.integers("tokenizer.ggml.token_type")?[id] == 3)
  }
}
