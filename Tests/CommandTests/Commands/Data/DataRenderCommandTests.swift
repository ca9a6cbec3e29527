import AdapterTraining
import LanguageModels
import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import fmadapter

@Suite struct DataRenderCommandTests {
  private static func rendered(_ text: String, _ trained: [Range<Int>]) throws -> RenderedExample {
    let path = Fixtures.path("TokenizationTests", "tokenizers/afm.gguf")
    let tokenizer = try Tokenizer(GGUFFile(path: path))
    let tokens = tokenizer.encode(text, special: true)
    return RenderedExample(
      TokenizedExample(line: 3, tokens: tokens, trained: trained), tokenizer)
  }

  @Test func whatIsLearntIsMarkedAndColoured() throws {
    let example = try Self.rendered("<turn_start>\n\n<turn_end>", [3..<4])
    let count = example.example.tokens.count
    #expect(count == 5)
    let plain = example.lines.map(\.text)
    #expect(
      plain == ["line 3: 5 tokens, 1 learnt", "   <turn_start>\\n", "> \\n", "  <turn_end>"])
    let colored = example.lines.map { $0.encoded(colored: true) }
    #expect(colored[2] == "\u{1B}[32m> \\n\u{1B}[0m")
    #expect(colored[3] == plain[3])
  }

  @Test func bothSidesOfAPairAreShown() throws {
    let sides = try [
      Self.rendered("a<turn_end>", [1..<2]), Self.rendered("b<turn_end>", [1..<2]),
    ]
    let tokenizer = try Tokenizer(
      GGUFFile(path: Fixtures.path("TokenizationTests", "tokenizers/afm.gguf")))
    let pair = RenderedExample(
      TokenizedExample(chosen: sides[0].example, rejected: sides[1].example), tokenizer)
    #expect(
      pair.lines.map(\.text) == [
        "line 3, chosen: 2 tokens, 1 learnt", "   a", "> <turn_end>",
        "line 3, rejected: 2 tokens, 1 learnt", "   b", "> <turn_end>",
      ])
    #expect(pair.entry.tokens == sides[0].example.tokens && pair.entry.text == sides[0].entry.text)
    #expect(pair.entry.rejected?.tokens == sides[1].example.tokens)
    #expect(pair.entry.rejected?.mask == [0, 1] && sides[0].entry.rejected == nil)
    #expect(pair.entry.parts.map(\.text) == [" a", "<turn_end>"])
    #expect(pair.entry.parts.map(\.learnt) == [false, true])
  }
}
