import Tokenization
import TestSupport
import Testing

@Suite struct StreamingDecoderTests {
  /// The tokens for single bytes in the vocabulary of GPT-2, by byte.
  private func byteTokens(_ tokenizer: Tokenizer) -> [[UInt8]: Token] {
    var tokens: [[UInt8]: Token] = [:]
    for token in 0..<Token(tokenizer.count) {
      let bytes = tokenizer.bytes(of: token)
      if bytes.count == 1 { tokens[bytes] = token }
    }
    return tokens
  }

  @Test func givesWholeCharactersOnly() throws {
    let tokenizer = try TokenizerFixture.tokenizer("gpt-2")
    let tokens = byteTokens(tokenizer)
    #expect(tokens.count == 256)
    var decoder = StreamingDecoder(tokenizer)
    let parts = try "aé中🦙!".utf8.map { decoder.append(try #require(tokens[[$0]])) }
    #expect(parts == ["a", "", "é", "", "", "中", "", "", "", "🦙", "!"])
    #expect(decoder.finish() == "")
  }

  @Test(
    arguments: [
      ([0x80], ["\u{FFFD}"], ""), ([0xE2], [""], "\u{FFFD}"),
      ([0xE2, 0x82], ["", ""], "\u{FFFD}"),
      ([0xE2, 0x41], ["", "\u{FFFD}A"], ""), ([0xC0], ["\u{FFFD}"], ""),
      ([0xE0, 0x80], ["", "\u{FFFD}\u{FFFD}"], ""), ([0xED, 0xA0], ["", "\u{FFFD}\u{FFFD}"], ""),
      ([0xF4, 0x90], ["", "\u{FFFD}\u{FFFD}"], ""), ([0xF5], ["\u{FFFD}"], ""),
    ] as [([UInt8], [String], String)])
  func replacesBrokenBytes(bytes: [UInt8], parts: [String], rest: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer("gpt-2")
    let tokens = byteTokens(tokenizer)
    var decoder = StreamingDecoder(tokenizer)
    #expect(try bytes.map { decoder.append(try #require(tokens[[$0]])) } == parts)
    #expect(decoder.finish() == rest)
  }

  @Test(arguments: ["gpt-2", "spm", "afm"]) func equalsDecodingAtOnce(name: String) throws {
    let tokenizer = try TokenizerFixture.tokenizer(name)
    var random = SeededGenerator(seed: 9)
    print("StreamingDecoderTests", random)
    for isStart in [true, false] {
      for _ in 0..<60 {
        let tokens = (0..<12).map { _ in
          Token.random(in: 0..<Token(tokenizer.count), using: &random)
        }
        var decoder = StreamingDecoder(tokenizer, isStart: isStart)
        var text = ""
        for token in tokens { text += decoder.append(token) }
        text += decoder.finish()
        #expect(
          Array(text.utf8) == Array(tokenizer.decode(tokens, isStart: isStart).utf8), "\(tokens)")
      }
    }
  }

  @Test func trimsTheSpaceInFrontOfATextOnly() throws {
    let tokenizer = try TokenizerFixture.tokenizer("afm")
    let tokens = tokenizer.encode("Hello world", special: false)
    #expect(tokenizer.decode(tokens) == "Hello world")
    #expect(tokenizer.decode(tokens, isStart: false) == " Hello world")
    var decoder = StreamingDecoder(tokenizer)
    #expect(tokens.map { decoder.append($0) }.joined() == " Hello world")
  }
}
