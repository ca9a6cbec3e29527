import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import TensorFiles
import Tokenization

/// The pieces that a base sees `text` as.
func pieces(of text: String, base: String) throws -> [String] {
  let tokenizer = try Tokenizer(GGUFFile(path: base))
  var decoder = StreamingDecoder(tokenizer, isStart: true)
  return tokenizer.encode(text, special: false).map { decoder.append($0) } + [decoder.finish()]
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let pieces = try pieces(of: "The lantern is lit 🏮.", base: base)
    #expect(pieces.count > 3)
    #expect(pieces.joined() == "The lantern is lit 🏮.")
  }
}
