import AdapterTraining
import ChatTemplates
import TensorFiles
import TestSupport
import Tokenization

/// Renderers over the small tokenizers of the tests of Tokenization.
enum RenderingFixture {
  static func tokenizer(_ name: String) throws -> Tokenizer {
    try Tokenizer(
      GGUFFile(path: Fixtures.path("TokenizationTests", "tokenizers/\(name).gguf")))
  }

  static func renderer(_ format: ChatFormat = .afm) throws -> ExampleRenderer {
    let tokenizer = try tokenizer(format == .afm ? "afm" : "marks")
    return try ExampleRenderer(
      ChatRenderer(ChatStyle(format), tokenizer: tokenizer), tokenizer: tokenizer)
  }
}
