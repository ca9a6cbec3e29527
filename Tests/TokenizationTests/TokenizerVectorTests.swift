import Tokenization
import TensorFiles
import TestSupport
import Testing

/// Real vocabularies with inputs and the tokens that each model's own tokenizer gives for them.
@Suite struct TokenizerVectorTests {
  static let names = ["gpt-2", "llama-bpe", "llama-spm", "phi-3", "starcoder"]

  @Test(arguments: names) func equalsOriginalTokenizer(name: String) throws {
    let tokenizer = try VocabularyFixture.tokenizer(name)
    let cases = try VocabularyFixture.cases(name)
    #expect(cases.count == 47)
    for (text, expected) in cases {
      #expect(
        tokenizer.encode(text, special: false) == expected,
        "\(name): \(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(arguments: names) func decodesWhatItEncoded(name: String) throws {
    let tokenizer = try VocabularyFixture.tokenizer(name)
    for (text, tokens) in try VocabularyFixture.cases(name) {
      #expect(
        tokenizer.bytes(of: tokens) == text, "\(name): \(String(decoding: text, as: UTF8.self))")
    }
  }
}
