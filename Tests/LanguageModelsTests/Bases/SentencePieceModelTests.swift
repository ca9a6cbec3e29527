import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct SentencePieceModelTests {
  @Test func readsATrainedModel() throws {
    let path = Fixtures.path("ChatTemplatesTests", "afm-chat/tokenizer.model")
    let model = try SentencePieceModel(path: path)
    #expect(model.pieces.count == 4096)
    #expect([model.padding, model.end, model.begin, model.unknown] == [0, 1, 2, 3])
    #expect(model.pieces[6] == .init(text: Array("<turn_end>".utf8), score: 0, type: 4))
    #expect(model.pieces[9].type == 6 && model.pieces[3].type == 2 && model.pieces[0].type == 3)
    #expect(model.pieces[300].score < model.pieces[299].score)
    #expect(model.addsDummyPrefix && !model.removesExtraSpaces)
  }

  @Test func writesTheKeysOfLlamaCpp() throws {
    let path = Fixtures.path("ChatTemplatesTests", "afm-chat/tokenizer.model")
    let model = try SentencePieceModel(path: path)
    var head = GGUFWriter()
    head.set(model, vocabulary: 4098)
    let folder = try TemporaryDirectory()
    try GGUFStream(head, path: folder.path("t")).commit()
    let metadata = try GGUFFile(path: folder.path("t")).metadata
    #expect(try metadata.string("tokenizer.ggml.model") == "llama")
    let tokens = try #require(try metadata.strings("tokenizer.ggml.tokens"))
    #expect(tokens.count == 4098)
    #expect(tokens[4097] == Array("[PAD4097]".utf8))
    #expect(try metadata.floats("tokenizer.ggml.scores")?.last == -10_000)
    #expect(try metadata.integers("tokenizer.ggml.token_type")?.suffix(2) == [5, 5])
    for (name, id) in [("bos", 2), ("eos", 1), ("unknown", 3), ("padding", 0), ("eot", 6)] {
      #expect(try metadata.integer("tokenizer.ggml.\(name)_token_id") == id)
    }
    #expect(try metadata.bool("tokenizer.ggml.add_space_prefix") == true)
    #expect(try metadata.bool("tokenizer.ggml.remove_extra_whitespaces") == false)
  }

  /// A field of wire type 2.
  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    [number << 3 | 2, UInt8(content.count)] + content
  }

  private static let piece = field(1, field(1, [97]))
  /// Trainer settings with model type BPE.
  private static let bpe = field(2, [3 << 3, 2])

  @Test func defaultsAreThoseOfTheFormat() throws {
    let model = try SentencePieceModel(bytes: Self.piece + Self.bpe, path: "m")
    #expect(model.pieces == [.init(text: [97], score: 0, type: 1)])
    #expect([model.unknown, model.begin, model.end, model.padding] == [0, 1, 2, -1])
    #expect(model.addsDummyPrefix && model.removesExtraSpaces)
  }

  @Test func readsNegativeIds() throws {
    let minusOne = [UInt8](repeating: 0xFF, count: 9) + [1]
    // Field 41: tag 41 << 3 in two bytes.
    let trainer = Self.field(2, [3 << 3, 2, 0xC8, 2] + minusOne)
    #expect(try SentencePieceModel(bytes: Self.piece + trainer, path: "m").begin == -1)
  }

  @Test(
    arguments: [
      ([], "m: the tokenizer has no pieces; train it again"),
      (
        piece,
        "m: the tokenizer is a unigram model, and only byte-pair encoding (BPE) is supported; "
          + "convert another model"
      ),
      (
        piece + field(2, [3 << 3, 3]),
        "m: the tokenizer is a model of words, and only byte-pair encoding (BPE) is supported; "
          + "convert another model"
      ),
      (
        piece + bpe + field(3, field(1, Array("nmt_nfkc".utf8)) + field(2, [1])),
        "m: the tokenizer uses text normalization (nmt_nfkc), which is not supported; "
          + remedyForTokenizers
      ),
      (
        piece + field(2, [3 << 3, 2, 0xC0, 1, 1]),
        "m: the tokenizer uses spaces behind words, which is not supported; "
          + remedyForTokenizers
      ),
      (
        piece + bpe + field(3, [5 << 3, 0]),
        "m: the tokenizer uses spaces without a mark, which is not supported; "
          + remedyForTokenizers
      ),
      (
        bpe + field(1, field(1, [97]) + [3 << 3, 7]),
        "m: piece 0 of the tokenizer is of the unknown type 7; train it again"
      ),
      (
        [10, 5, 1],
        "m: byte 0: this is not a SentencePiece model, or it is damaged; copy the file again"
      ),
      (
        bpe + [9, 0, 0],
        "m: byte 5: this is not a SentencePiece model, or it is damaged; copy the file again"
      ),
    ] as [([UInt8], String)])
  func namesEachDefect(bytes: [UInt8], text: String) {
    let error = #expect(throws: BaseModelError.self) {
      try SentencePieceModel(bytes: bytes, path: "m")
    }
    #expect(error?.description == text)
  }

  @Test func neverTrapsOnDamage() throws {
    let bytes = try Fixtures.bytes("ChatTemplatesTests", "afm-chat/tokenizer.model")
    var generator = SeededGenerator(seed: 21)
    let head = Array(bytes.prefix(400)) + Array(bytes.suffix(200))
    for _ in 0..<2000 {
      var damaged = head
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<600, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      _ = try? SentencePieceModel(bytes: damaged, path: "m")
    }
  }
}

@Suite struct ProtobufReaderTests {
  private func fields(_ bytes: [UInt8]) throws -> [(Int, ProtobufField.Value)] {
    var reader = ProtobufReader(bytes, 0..<bytes.count)
    var result: [(Int, ProtobufField.Value)] = []
    while let field = try reader.next() { result.append((field.number, field.value)) }
    return result
  }

  @Test func readsEveryWireType() throws {
    let result = try fields([
      8, 0x96, 1, 0x12, 2, 7, 8, 0x1D, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0,
    ])
    #expect(result.map(\.0) == [1, 2, 3, 4])
    #expect(result.map(\.1) == [.integer(150), .bytes(5..<7), .fixed32(1), .fixed64(2)])
  }

  @Test(
    arguments: [
      ("group", [0x0B], 0), ("field number 0", [0, 1], 0),
      ("endless number", [8] + [UInt8](repeating: 0x80, count: 11), 1),
      ("cut number", [8, 0x80], 1), ("cut text", [0x0A, 2, 1], 0), ("cut fixed", [0x0D, 1, 2], 1),
      ("huge length", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 0),
    ] as [(String, [UInt8], Int)])
  func namesTheByte(what: String, bytes: [UInt8], offset: Int) {
    let error = #expect(throws: ProtobufReader.Defect.self) { try fields(bytes) }
    #expect(error?.offset == offset, "\(what)")
  }
}
