import ChatTemplates
import Foundation
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct ExampleRendererTests {
  /// `rendering.jsonl`: examples with the tokens and labels of tamm, by `tools/fixtures/make_training_examples.py`.
  private struct Case: Decodable {
    let tokens: [Token]
    let labels: [Token]
  }

  private static func cases() throws -> [(line: String, expected: Case)] {
    let text = try Fixtures.bytes("AdapterTrainingTests", "rendering.jsonl")
    return try text.split(separator: 0x0A).map { bytes in
      let line = String(decoding: bytes, as: UTF8.self)
      let end = try #require(line.range(of: #", "tokens": ["#)?.lowerBound)
      let example = line[..<end].dropFirst(#"{"example": "#.count)
      return (String(example), try JSONDecoder().decode(Case.self, from: Data(bytes)))
    }
  }

  @Test func rendersAsTheToolkitDoes() throws {
    let cases = try Self.cases()
    #expect(cases.count == 8)
    let renderer = try RenderingFixture.renderer()
    for (line, expected) in cases {
      let rendered = try renderer.render(ExampleParserTests.example(line))
      #expect(rendered.tokens == expected.tokens, "\(line)")
      let most = try renderer.mostTokens(ExampleParserTests.example(line))
      #expect(rendered.tokens.count <= most, "\(line)")
      // Labels stand where the token before theirs does.
      let labels = zip(rendered.tokens, rendered.mask).map { $1 ? $0 : -100 }.dropFirst() + [-100]
      #expect(Array(labels) == expected.labels, "\(line)")
    }
  }

  /// Bytes tell how many there can be, even where no piece has a character.
  @Test(arguments: [ChatFormat.afm, .chatML, .phi3])
  func theMostTokensAreNeverFewer(_ format: ChatFormat) throws {
    let renderer = try RenderingFixture.renderer(format)
    for text in ["a", "  b ", "\\n\\n", "\\u0001\\u0002", "東京 🙂 ≠", "<|im_end|><turn_end>"] {
      for line in [
        #"{"prompt": "Q\#(text)", "completion": "x\#(text)"}"#,
        #"{"prompt": "Q", "chosen": "x", "rejected": "y\#(text)"}"#, #"{"text": "x\#(text)"}"#,
      ] {
        let example = try ExampleParserTests.example(line)
        let rendered = try renderer.render(example)
        let sides = [rendered.chosen, rendered.rejected].compactMap(\.?.tokens.count)
        let most = try renderer.mostTokens(example)
        #expect(sides.allSatisfy { $0 <= most }, "\(line) \(sides) \(most)")
      }
    }
  }

  @Test func whatCannotBeRenderedHasNoTokensEither() throws {
    let renderer = try RenderingFixture.renderer(.phi3)
    let example = try ExampleParserTests.example(
      #"[{"role": "user", "content": "Q", "tools": [{}]}, {"role": "assistant", "content": "A"}]"#)
    let error = DataSetError.rendering(.unusableToolName(""), line: example.line)
    #expect(throws: error) { try renderer.mostTokens(example) }
    #expect(throws: error) { try renderer.render(example) }
  }

  /// As OpenAI's data has it: an answer of no weight is only seen.
  @Test func answersOfNoWeightAreNotLearnt() throws {
    let renderer = try RenderingFixture.renderer()
    func rendered(_ first: String, _ last: String) throws -> TokenizedExample {
      try renderer.render(
        ExampleParserTests.example(
          #"""
          [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi"\#(first)}, \#
          {"role": "user", "content": "Well?"}, {"role": "assistant", "content": "Yes"\#(last)}]
          """#))
    }
    let (off, on) = (#", "weight": 0"#, #", "weight": 1"#)
    let both = try rendered("", on)
    #expect(both.trained.count == 2)
    for (example, range) in [(try rendered(off, ""), 1), (try rendered(on, off), 0)] {
      #expect(example.tokens == both.tokens && example.trained == [both.trained[range]])
    }
  }

  /// Each side is the chat that it would be alone, and earlier answers are part of what is asked.
  @Test func sidesOfPairsAreChats() throws {
    let renderer = try RenderingFixture.renderer()
    func chat(_ answer: String) -> String {
      #"""
      [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi"}, \#
      {"role": "user", "content": "Well?"}, {"role": "assistant", "content": "\#(answer)"}]
      """#
    }
    let asked = chat("").prefix { $0 != "W" } + #"Well?"}]"#
    let pair = try renderer.render(
      ExampleParserTests.example(
        #"{"prompt": \#(asked), "chosen": "Good", "rejected": "Bad one"}"#))
    for (side, answer) in [(pair.chosen, "Good"), (try #require(pair.rejected), "Bad one")] {
      let alone = try renderer.render(ExampleParserTests.example(chat(answer)))
      #expect(side.tokens == alone.tokens)
      #expect(side.trained == [try #require(alone.trained.last)])
      #expect(alone.trained.count == 2)
    }
    #expect(pair.size() == pair.chosen.tokens.count + (pair.rejected?.tokens.count ?? 0))
  }

  @Test func aTextIsLearntWholeWithItsEnd() throws {
    let renderer = try RenderingFixture.renderer(.chatML)
    let rendered = try renderer.render(ExampleParserTests.example(#"{"text": "ab<|im_end|>"}"#))
    let tokenizer = try RenderingFixture.tokenizer("marks")
    #expect(rendered.tokens.last == tokenizer.endToken)
    #expect(rendered.tokens.dropLast().last == tokenizer.token("<|im_end|>"))
    #expect(rendered.trained == [1..<rendered.tokens.count])
    #expect(rendered.trainedCount == rendered.tokens.count - 1)
  }

  @Test func marksInMessagesStayText() throws {
    let renderer = try RenderingFixture.renderer()
    let rendered = try renderer.render(
      ExampleParserTests.example(#"{"prompt": "<turn_end>", "completion": "<turn_end>"}"#))
    #expect(rendered.tokens.count { $0 == 6 } == 3)
  }
}
