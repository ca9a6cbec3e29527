import TestSupport
import Testing

@testable import Tokenization

/// Pieces against the `regex` module of Python, which runs the published patterns.
@Suite struct PieceSplitterTests {
  private struct Fixture: Decodable {
    let texts: [[UInt32]]
    let pieces: [String: [[Int]]]
  }

  @Test func cutsAsThePatternsSay() throws {
    let fixture = try TokenizerFixture.json("pieces.json", Fixture.self)
    #expect(fixture.pieces.count == 14)
    for (name, lengths) in fixture.pieces {
      let preTokenizer = try #require(PreTokenizer.named(name))
      #expect(lengths.count == fixture.texts.count)
      for (text, expected) in zip(fixture.texts, lengths) {
        let ends = PieceSplitter(scalars: text).ends(preTokenizer)
        let found = zip(ends, [0] + ends).map { $0 - $1 }
        #expect(
          found == expected,
          "\(name): \(String(String.UnicodeScalarView(text.compactMap(Unicode.Scalar.init))).debugDescription)"
        )
      }
    }
  }

  @Test(arguments: PreTokenizer.names) func losesNothingOnLongRuns(name: String) throws {
    let preTokenizer = try #require(PreTokenizer.named(name))
    // A quadratic rule would take minutes over these, all of them.
    let count = runsAllTests ? 4000 : 800
    for scalar: UInt32 in [0x20, 0x0A, 0x61, 0x41, 0x31, 0x21, 0x27, 0x4E00, 0x0301, 0xFFFD] {
      let scalars = [UInt32](repeating: scalar, count: count) + [0x31, 0x20]
      let ends = PieceSplitter(scalars: scalars).ends(preTokenizer)
      #expect(ends.last == scalars.count)
      #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func knowsEachNameOnce() {
    #expect(PreTokenizer.names.count == 68)
    #expect(PreTokenizer.named("llama-bpe")?.ignoresMerges == true)
    #expect(PreTokenizer.named("llama-bpe")?.addsBegin == true)
    #expect(PreTokenizer.named("qwen2")?.ignoresMerges == false)
    #expect(PreTokenizer.named("qwen2")?.addsBegin == false)
    #expect(PreTokenizer.named("no-such-one") == nil)
  }
}
