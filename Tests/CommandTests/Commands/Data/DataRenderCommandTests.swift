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

  @Test func entriesHaveAMaskOfTheirLength() throws {
    let entry = try Self.rendered("abc", [1..<2]).entry
    #expect(entry.mask.count == entry.tokens.count)
    #expect(entry.mask.reduce(0, +) == 1)
    #expect(entry.line == 3)
  }
}
