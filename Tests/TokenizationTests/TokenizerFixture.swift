import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing
import Tokenization

@testable import TensorFiles

/// The small tokenizers under `Fixtures/tokenizers`, made by `tools/fixtures/make_tokenizer_fixtures.py`.
enum TokenizerFixture {
  static func file(_ name: String) throws -> GGUFFile {
    try GGUFFile(path: Fixtures.path("TokenizationTests", "tokenizers/\(name).gguf"))
  }

  static func tokenizer(_ name: String) throws -> Tokenizer { try Tokenizer(file(name)) }

  /// Texts and the tokens that another implementation gives for them.
  static func cases(_ name: String) throws -> [(text: [UInt8], tokens: [Token])] {
    struct Case: Decodable {
      let text: [UInt8]
      let tokens: [Token]

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        text = try values.decode([UInt8].self)
        tokens = try values.decode([Token].self)
      }
    }
    return try json("\(name).json", [Case].self).map { ($0.text, $0.tokens) }
  }

  /// The JSON fixture `name`.
  static func json<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value {
    let url = Fixtures.url("TokenizationTests", "tokenizers/\(name)")
    return try JSONDecoder().decode(type, from: Data(contentsOf: url))
  }

  /// The metadata of a file with these keys, all under `tokenizer.ggml.` but those with a dot.
  static func metadata(_ keys: [String: GGUFValue]) throws -> GGUFMetadata {
    var writer = GGUFWriter()
    for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
      writer.set(key.contains(".") ? key : "tokenizer.ggml.\(key)", value)
    }
    return try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf").metadata
  }

  /// A SentencePiece tokenizer of a few pieces; `changes` replace keys or, when nil, remove them.
  static func sentencePieceKeys(_ changes: [String: GGUFValue?] = [:]) -> [String: GGUFValue] {
    let pieces = ["<unk>", "<s>", "</s>", "a", "b", "ab", "▁", "▁a", "<0x0A>", "<x>"]
    let types: [Int32] = [2, 3, 3, 1, 1, 1, 1, 1, 6, 4]
    var keys: [String: GGUFValue] = [
      "model": .text("llama"), "tokens": .strings(pieces.map { Array($0.utf8) }),
      "scores": .floats([0, 0, 0, -1, -2, -3, -4, -5, 0, 0]), "token_type": .integers(types),
    ]
    for (key, value) in changes { keys[key] = value }
    return keys
  }

  /// A byte-level tokenizer of a few pieces; `changes` replace keys or, when nil, remove them.
  static func byteLevelKeys(_ changes: [String: GGUFValue?] = [:]) -> [String: GGUFValue] {
    let pieces = ["a", "b", "ab", "Ġ", "Ġa", "<|im_end|>", "<u>"]
    var keys: [String: GGUFValue] = [
      "model": .text("gpt2"), "pre": .text("gpt-2"),
      "tokens": .strings(pieces.map { Array($0.utf8) }),
      "token_type": .integers([1, 1, 1, 1, 1, 3, 4]),
      "merges": .strings(["a b", "Ġ a"].map { Array($0.utf8) }),
    ]
    for (key, value) in changes { keys[key] = value }
    return keys
  }
}

/// The vocabularies under `Fixtures/vocab`, each read once.
enum VocabularyFixture {
  private static let read = Mutex<[String: Tokenizer]>([:])

  static func path(_ name: String) -> String {
    Fixtures.path("TokenizationTests", "vocab/ggml-vocab-\(name).gguf")
  }

  static func tokenizer(_ name: String) throws -> Tokenizer {
    try read.withLock { known in
      if let tokenizer = known[name] { return tokenizer }
      let tokenizer = try Tokenizer(GGUFFile(path: path(name)))
      known[name] = tokenizer
      return tokenizer
    }
  }

  /// Inputs and expected tokens.
  static func cases(_ name: String) throws -> [(text: [UInt8], tokens: [Token])] {
    let file = "vocab/ggml-vocab-\(name).gguf"
    let inputs = split(
      try Fixtures.bytes("TokenizationTests", file + ".inp"), at: "\n__ggml_vocab_test__\n")
    let outputs = String(
      decoding: try Fixtures.bytes("TokenizationTests", file + ".out"), as: UTF8.self
    ).split(separator: "\n", omittingEmptySubsequences: false)
    return zip(inputs, outputs).map { input, output in
      (input, output.split(separator: " ").compactMap { Token($0) })
    }
  }

  private static func split(_ bytes: [UInt8], at mark: String) -> [[UInt8]] {
    let mark = Array(mark.utf8)
    var parts: [[UInt8]] = []
    var start = 0
    var index = 0
    while index + mark.count <= bytes.count {
      if bytes[index] == mark[0], bytes[index..<index + mark.count].elementsEqual(mark) {
        parts.append(Array(bytes[start..<index]))
        index += mark.count
        start = index
      } else {
        index += 1
      }
    }
    parts.append(Array(bytes[start...]))
    return parts
  }
}
