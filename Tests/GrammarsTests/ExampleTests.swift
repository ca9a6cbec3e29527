import TestSupport
import Testing

@testable import TensorFiles

// The documentation shows this function.
// docs:begin
import Grammars
import Tokenization

/// Whether a model that is held to a list of topics could write `text`.
func isListOfTopics(_ text: String, _ tokenizer: Tokenizer) throws -> Bool {
  let topics = Grammar.Rule.list(.texts(["food", "travel"]), minimum: 1, maximum: 2)
  var constraint = try GrammarConstraint(
    Grammar(.object([.init("topics", topics)])), tokenizer: tokenizer,
    stopTokens: tokenizer.endsOfGeneration)
  var allowed = TokenMask(count: tokenizer.count)
  for token in tokenizer.encode(text, special: false) {
    allowed.removeAll()
    try constraint.markAllowed(in: &allowed)
    guard allowed[token] else { return false }
    try constraint.advance(past: token)
  }
  return constraint.isComplete
}
// docs:end

@Suite struct ExampleTests {
  @Test(arguments: [
    (#"{"topics": ["food", "travel"]}"#, true), (#"{"topics": ["food"]}"#, true),
    (#"{"topics": []}"#, false), (#"{"topics": ["food""#, false), (#"{"topics": ["art"]}"#, false),
  ])
  func theExampleRuns(text: String, isAllowed: Bool) throws {
    let folder = try TemporaryDirectory()
    var writer = GGUFWriter()
    for (key, value) in ByteVocabulary.metadata { writer.set(key, value) }
    let path = try folder.write(writer.head(), to: "vocabulary.gguf")
    #expect(try isListOfTopics(text, Tokenizer(GGUFFile(path: path))) == isAllowed)
  }
}
