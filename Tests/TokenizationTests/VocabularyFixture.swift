import Tokenization
import Synchronization
import TensorFiles
import TestSupport
import Testing

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
