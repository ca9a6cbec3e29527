import TensorFiles
import TestSupport
import Testing

@testable import Tokenization

/// Text never becomes a mark: bytes that a vocabulary lacks are left out, or unknown.
@Suite struct MissingByteTests {
  /// Each byte between others that vocabularies have, and characters that have each byte of UTF-8 somewhere.
  private static let texts: [[UInt8]] = {
    let bytes = (UInt8.min ... .max).flatMap { byte -> [[UInt8]] in
      [[byte], [0x78, byte, 0x79], [0x20, byte, 0x20]]
    }
    let leads = Array(0x80..<0x0800) + stride(from: 0x0800, to: 0xD800, by: 61)
    let scalars = leads + [0xFFFF] + stride(from: 0x1_0000, through: 0x10_FFFF, by: 4093)
    return bytes + scalars.compactMap { UnicodeScalar(UInt32($0)) }.map { Array(String($0).utf8) }
  }()

  private func isText(_ token: Token, _ tokenizer: Tokenizer) -> Bool {
    let vocabulary = tokenizer.vocabulary
    guard token != vocabulary.newline else { return true }
    switch (vocabulary.kinds[Int(token)], vocabulary.settings.algorithm) {
    case (.control, _), (.unknown, .byteLevel): return false
    default: return !vocabulary.endsOfGeneration.contains(token)
    }
  }

  private func check(_ tokenizer: Tokenizer, _ name: String) {
    for text in Self.texts {
      var harmless: [Token] = []
      _ = tokenizer.append(text, marks: [], after: .text, to: &harmless)
      let tokens = tokenizer.encode(text, special: false) + harmless + tokenizer.pieces(of: text)
      let marks = tokens.filter { !isText($0, tokenizer) }
      #expect(marks.isEmpty, "\(name): \(text) has \(marks)")
    }
  }

  @Test(arguments: SmallTokenizerTests.names + ["marks"])
  func noByteIsAMark(name: String) throws {
    check(try TokenizerFixture.tokenizer(name), name)
  }

  @Test(arguments: TokenizerVectorTests.names)
  func noByteIsAMarkOfARealVocabulary(name: String) throws {
    check(try VocabularyFixture.tokenizer(name), name)
  }

  /// As SmolLM2's, whose unknown token ends texts.
  @Test func missingBytesAreLeftOut() throws {
    let changes: [String: GGUFValue?] = [
      "unknown_token_id": .uint32(5), "eos_token_id": .uint32(5),
    ]
    let keys = TokenizerFixture.byteLevelKeys(changes)
    let tokenizer = try Tokenizer(TokenizerFixture.metadata(keys), file: "m.gguf")
    #expect(tokenizer.encode("a\u{06}b", special: false) == [0, 1])
    #expect(tokenizer.encode("a\u{06}b\u{06}") == [0, 1])
    #expect(tokenizer.encode("xyz\u{E9}") == [])
    #expect(tokenizer.pieces(of: [0x61, 0x06]) == [0])
    check(tokenizer, "a few pieces")
  }

  /// A file may name any token as the unknown one.
  @Test(arguments: [(0, [7, 0, 4]), (2, [7, 4]), (9, [7, 4])] as [(UInt32, [Token])])
  func theUnknownTokenIsNoMark(unknown: UInt32, tokens: [Token]) throws {
    let keys = TokenizerFixture.sentencePieceKeys(["unknown_token_id": .uint32(unknown)])
    let tokenizer = try Tokenizer(TokenizerFixture.metadata(keys), file: "m.gguf")
    #expect(tokenizer.encode("a\u{06}b", special: false) == tokens)
    check(tokenizer, "unknown \(unknown)")
  }
}
