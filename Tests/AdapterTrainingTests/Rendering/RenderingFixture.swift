import AdapterTraining
import LanguageModels
import TensorFiles
import TestSupport

/// Renderers over the small tokenizers of the tests of LanguageModels.
enum RenderingFixture {
  static func tokenizer(_ name: String) throws -> Tokenizer {
    try Tokenizer(
      GGUFFile(path: Fixtures.path("LanguageModelsTests", "tokenizers/\(name).gguf")))
  }

  static func renderer(_ format: ChatFormat = .afm) throws -> ExampleRenderer {
    let tokenizer = try tokenizer(format == .afm ? "afm" : "marks")
    return try ExampleRenderer(
      ChatRenderer(ChatStyle(format), tokenizer: tokenizer), tokenizer: tokenizer)
  }
}
