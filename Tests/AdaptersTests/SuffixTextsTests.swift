import SystemFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct SuffixTextsTests {
  @Test func theFileIsWhatThePageSays() {
    let texts = SuffixTexts.sample
    var expected = Array("FMSUFFIX".utf8)
    for value in [1, 6] { expected += BlobBytes.little(UInt32(value)) }
    let pieces = ["a", "b", "c", "d", "e", "f"].flatMap { piece in
      BlobBytes.little(UInt64(1)) + Array(piece.utf8)
    }
    #expect(texts.vocabularyDigest == SHA256.hex(pieces))
    expected += stride(from: 0, to: 64, by: 2).map { place in
      let digits = Array(texts.vocabularyDigest)[place..<place + 2]
      return UInt8(String(digits), radix: 16) ?? 0
    }
    for value in [2, 5, 0, 0, 1, 2, 4, 3, 0, 5, 1, 2, 3] {
      expected += BlobBytes.little(UInt32(value))
    }
    #expect(texts.bytes == expected)
  }

  @Test func theOrderOfTextsIsTheFilesAndTheSameOnesAreOne() throws {
    let texts = SuffixTexts.of([
      .init([3]), .init([1, 2]), .init([]), .init([1]), .init([3], count: 2), .init([1, 2, 0]),
    ])
    #expect(
      texts.texts
        == [.init([1]), .init([1, 2]), .init([1, 2, 0]), .init([3], count: 3)])
    #expect(texts.tokenCount == 7 && texts.longest == 3)
    #expect(try SuffixTexts(bytes: TensorBytes(texts.bytes)) == texts)
    let often = SuffixTexts.of([
      .init([3], count: SuffixTexts.countLimit), .init([3], count: SuffixTexts.countLimit),
    ])
    #expect(often.texts == [.init([3], count: SuffixTexts.countLimit)])
  }

  @Test(arguments: [
    ([SuffixTexts.Text([6])], SuffixDefect.token(6, text: 0, offset: 72, vocabularySize: 6)),
    ([.init([-1])], .token(.max, text: 0, offset: 72, vocabularySize: 6)),
    ([.init([1], count: 0)], .count(0, text: 0, offset: 64)),
    ([], .tokenCount(0)),
    ([.init(Array(repeating: 1, count: 1 << 20 + 1))], .tokenCount(1 << 20 + 1)),
  ])
  func whatNoFileCanHoldIsRefused(_ texts: [SuffixTexts.Text], _ defect: SuffixDefect) {
    let digest = String(repeating: "0", count: 64)
    #expect(throws: defect) {
      try SuffixTexts(texts, vocabularySize: 6, vocabularyDigest: digest)
    }
  }

  @Test func changedBytesAreReadOrRefusedButNeverMore() throws {
    var random = SeededGenerator(seed: 14)
    let good = SuffixTexts.sample.bytes
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) { bytes[place] = .random(in: 0...255, using: &random) }
        if Int.random(in: 0..<8, using: &random) == 0 { bytes.removeLast(bytes.count - place) }
        if bytes.isEmpty { break }
      }
      guard let texts = try? SuffixTexts(bytes: TensorBytes(bytes)) else { continue }
      #expect(texts.bytes == bytes)
    }
  }

  @Test func aPackageIsWrittenOnceMoreWithAStore() throws {
    let directory = try TemporaryDirectory()
    let package = try SamplePackage().write(to: directory.path)
    let path = try AdapterWriter.write(
      suffixes: .sample, into: package, as: directory.path("with"), for: SamplePackage.contract)
    #expect(path == directory.path("with.fmadapter"))
    let adapter = try Adapter(package: path, for: SamplePackage.contract)
    #expect(adapter.suffixes == .sample && adapter.draftModelPath == nil)
    let info = try AdapterInfo(package: path)
    #expect(
      info.suffixes
        == .init(textCount: 2, tokenCount: 5, longest: 3, vocabularySize: 6, size: 100))
    #expect(
      info.files.map(\.name) == ["metadata.json", "adapter_weights.bin", "draft_suffixes.bin"])
    #expect(throws: AdapterError.exists(path: path)) {
      try AdapterWriter.write(suffixes: nil, into: package, as: path)
    }
    try AdapterWriter.write(suffixes: nil, into: path, as: path, replacing: true)
    #expect(try Adapter(package: path, for: SamplePackage.contract).suffixes == nil)
  }

  @Test func theDraftModelIsPreviewed() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.files["draft.gguf"] = SampleDraft(tokens: [1, 4], outputs: 2).bytes
    let info = try AdapterInfo(package: package.write(to: directory.path))
    let draft = try #require(info.draftModel)
    #expect(draft.architecture == "llama" && draft.type == "F32")
    #expect(draft.parameterCount == 32 && draft.tokenCount == 2 && draft.vocabularySize == 6)
    #expect(info.draft == .gguf && info.suffixes == nil)
  }
}
