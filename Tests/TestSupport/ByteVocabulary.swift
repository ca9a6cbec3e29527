package import TensorFiles

/// A byte-level vocabulary of all bytes and some longer pieces that JSON is made of, for tests of grammars.
package enum ByteVocabulary {
  /// The token that ends an answer.
  package static let stop: Int32 = 0

  /// Tokens, with the one that ends an answer first.
  package static var count: Int { tokens.count }

  /// The keys of a file with this vocabulary.
  package static var metadata: [(key: String, value: GGUFValue)] { metadata(marks: []) }

  /// The keys of a file with this vocabulary and special tokens of these names.
  package static func metadata(marks: [String]) -> [(key: String, value: GGUFValue)] {
    let kinds: [Int32] = [3] + tokens.dropFirst().map { _ in 1 } + marks.map { _ in 3 }
    return [
      ("tokenizer.ggml.model", .text("gpt2")),
      ("tokenizer.ggml.pre", .text("default")),
      ("tokenizer.ggml.tokens", .strings((tokens + marks).map { Array($0.utf8) })),
      ("tokenizer.ggml.merges", .strings([])),
      ("tokenizer.ggml.token_type", .integers(kinds)),
      ("tokenizer.ggml.eos_token_id", .uint32(UInt32(stop))),
    ]
  }

  private static let pieces = [
    "\"}", "\"]", "\", ", "\": ", "{\"", "[{\"", "]}", "}]", "}}", "true", "false", "null", "12",
    "-1", "0.5", "\\\"", "\\u00",
    "the", "é", "日本", "😀", "a\"", "e\"", "\": \"", "\", \"", "ab", "abc", ", ", "[]",
  ]

  private static let tokens =
    ["<end>"] + ((0...255).map { [UInt8($0)] } + pieces.map { Array($0.utf8) }).map(spelled)

  /// Bytes in the alphabet of byte-level vocabularies.
  private static func spelled(_ bytes: [UInt8]) -> String {
    func isPrintable(_ byte: UInt8) -> Bool {
      (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || byte >= 0xAE
    }
    let scalars = bytes.compactMap { byte in
      isPrintable(byte)
        ? UnicodeScalar(byte) : UnicodeScalar(0x100 + (0..<byte).filter { !isPrintable($0) }.count)
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
