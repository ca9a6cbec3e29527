import Tokenization
import Testing

/// Tokenizers trained for the purpose, one for each pre-tokenizer, against the `tokenizers` and `sentencepiece` packages.
@Suite struct SmallTokenizerTests {
  static let names = [
    "default", "gpt-2", "starcoder", "llama-bpe", "qwen2", "qwen35", "tekken", "gpt-4o", "falcon",
    "deepseek-llm", "deepseek-coder", "deepseek-v3", "bloom", "viking", "spm", "spm-no-prefix",
    "afm",
  ]

  @Test(arguments: names) func equalsOtherImplementation(name: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer(name)
    let cases = try TokenizerFixture.cases(name)
    #expect(cases.count > 90)
    for (text, expected) in cases {
      #expect(
        tokenizer.encode(text, special: false) == expected,
        "\(name): \(String(decoding: text, as: UTF8.self).debugDescription)")
    }
  }

  @Test(arguments: names) func decodesWhatItEncoded(name: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer(name)
    for (text, tokens) in try TokenizerFixture.cases(name) {
      #expect(
        tokenizer.bytes(of: tokens) == text,
        "\(name): \(String(decoding: text, as: UTF8.self).debugDescription)")
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
