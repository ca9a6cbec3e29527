import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import ChatTemplates
import TensorFiles
import Tokenization

/// The tokens of a question, as the base at `path` was trained to see it.
func prompt(for question: String, base path: String) throws -> [Token] {
  let file = try GGUFFile(path: path)
  let chat = try ChatRenderer(
    ChatStyle(file.metadata, file: path), tokenizer: Tokenizer(file))
  return try chat.prompt([
    ChatMessage(role: .system, content: "Answer in one word."),
    ChatMessage(role: .user, content: question),
  ])
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let tokens = try prompt(for: "Is ice cold?", base: base)
    let text = try Tokenizer(GGUFFile(path: base)).decode(tokens)
    #expect(text.contains("Answer in one word."))
    #expect(text.contains("Is ice cold?"))
  }
}
