import Kernels
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct DraftModelTests {
  private let folder: TemporaryDirectory
  private let base: LanguageModel

  init() throws {
    folder = try TemporaryDirectory()
    base = try Self.tiny().open(in: folder)
  }

  /// A model with a tokenizer of bytes and some pieces.
  private static func tiny(
    _ vocabulary: Int = ByteVocabulary.count, layers: Int = 2, seed: UInt64 = 7
  ) -> TinyModel {
    var tiny = TinyModel(
      .llama, hidden: 32, layers: layers, vocabulary: vocabulary, context: 80, seed: seed)
    for (key, value) in ByteVocabulary.metadata { tiny.set(key, value) }
    return tiny
  }

  private func draft(_ tiny: TinyModel) throws -> DraftModel {
    try DraftModel(tiny.open(in: folder, "draft.gguf"), for: base)
  }

  private func text(_ defect: String) -> String { folder.path("draft.gguf") + ": " + defect }

  private func failure(_ tiny: TinyModel) -> String? {
    do {
      _ = try draft(tiny)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func smallerModelsWithTheSameTokensAreDrafts() throws {
    #expect(failure(Self.tiny(layers: 1)) == nil)
    #expect(failure(Self.tiny()) == nil)
  }

  @Test func otherModelsAreNot() throws {
    let (more, own) = (
      Self.tiny(layers: 3), base.weights.parameters
    )
    let larger = try more.open(in: folder, "larger.gguf").weights.parameters
    #expect(
      failure(more)
        == text(
          "the draft has \(Figures.grouped(larger)) parameters, more than the \(Figures.grouped(own)) of the base; use a smaller one, "
            + "or none with --draft off."))
    #expect(
      failure(Self.tiny(ByteVocabulary.count - 1, layers: 1))
        == text(
          "the draft has 285 tokens, but the base has 286; use a draft with the tokenizer of the base."
        ))
    var other = Self.tiny(layers: 1)
    var pieces = Array(try #require(try base.file.metadata.strings("tokenizer.ggml.tokens")))
    pieces.swapAt(40, 41)
    other.set("tokenizer.ggml.tokens", .strings(pieces))
    let token =
      "of the draft is another one than the base's; use a draft with the tokenizer of the base."
    #expect(failure(other) == text("token 40 " + token))
    other.set("tokenizer.ggml.tokens", nil)
    #expect(failure(other) == text("token 0 " + token))
  }

  private func run(
    _ options: GenerationOptions, _ speculator: (ModelSession) throws -> Speculator?
  ) throws -> (tokens: [Int32], statistics: GenerationStatistics) {
    let session = try ModelSession(base, threads: 1)
    let generator = try TokenGenerator(
      session, prompt: [5, 9, 5, 80], options: options,
      speculator: speculator(session))
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    return (tokens, generator.statistics)
  }

  /// A draft that is the base itself draws the same tokens with the same random numbers.
  @Test(arguments: [
    GenerationOptions(maximumTokens: 50),
    GenerationOptions(temperature: 1.5, seed: 3, maximumTokens: 50),
    GenerationOptions(temperature: 1, topK: 9, topP: 0.8, seed: 4, maximumTokens: 50),
    GenerationOptions(
      temperature: 2, minP: 0.01, repetitionPenalty: 1.4, seed: 5, maximumTokens: 50),
  ])
  func aPerfectDraftIsAlwaysRight(options: GenerationOptions) throws {
    let plain = try run(options) { _ in nil }
    let fast = try run(options) { session in
      let draft = try DraftProposer(
        DraftModel(base, for: base), contextLength: 80, operations: session.operations)
      draft.isFree = true
      return Speculator(only: [], draft: draft)
    }
    #expect(fast.tokens == plain.tokens)
    let counts = try #require(fast.statistics.proposals[.draft])
    #expect(counts.proposed == counts.accepted)
    // How many are tried depends on what passes take, and so on what else the machine does.
    #expect(counts.proposed.reduce(0, +) > 5)
    #expect(
      fast.statistics.decodePasses + fast.statistics.acceptedTokens
        == plain.statistics.decodePasses)
  }

  /// The base with outputs for some tokens only.
  private func restricted(_ tokens: [Int32], key: [Int32]? = nil) -> TinyModel {
    var tiny = Self.tiny()
    let embedding = tiny.tensors[0].values
    let rows = tokens.flatMap { embedding[Int($0) * 32..<Int($0) * 32 + 32] }
    tiny.tensors.append(("output.weight", [32, tokens.count], rows))
    tiny.set("fmadapter.draft.tokens", .integers(key ?? tokens))
    return tiny
  }

  @Test(arguments: [0, 1.2])
  func aHeadOfTheTokensThatComeIsAlwaysRight(temperature: Double) throws {
    let options = GenerationOptions(
      temperature: temperature, topK: 1, repetitionPenalty: 1.1, seed: 2, maximumTokens: 50)
    let plain = try run(options) { _ in nil }
    let path = folder.path("restricted.gguf")
    try restricted(Set(plain.tokens).sorted()).write(to: path)
    let fast = try run(options) { session in
      let draft = try DraftProposer(
        DraftModel(path: path, for: base), contextLength: 80, operations: session.operations)
      draft.isFree = true
      return Speculator(only: [], draft: draft)
    }
    #expect(fast.tokens == plain.tokens)
    let counts = try #require(fast.statistics.proposals[.draft])
    #expect(counts.proposed == counts.accepted && counts.proposed.reduce(0, +) > 5)
    // It is no base.
    #expect(throws: LanguageModelError.self) { try LanguageModel(path: path) }
  }

  @Test(arguments: [
    ([5, 4] as [Int32], "4 after 5"), ([4, 4], "4 after 4"), ([-1, 4], "-1 after -1"),
    ([4, 9999], "9999 after 4"),
  ])
  func tablesOfTokensRise(table: [Int32], value: String) throws {
    let path = folder.path("restricted.gguf")
    try restricted([4, 5], key: table).write(to: path)
    let failure = LanguageModelError.invalidValue(
      file: path, key: "fmadapter.draft.tokens", value: value,
      rule: "has to rise, up to the last token")
    #expect(throws: failure) { try DraftModel(path: path, for: base) }
  }

  @Test func aPoorDraftChangesNothing() throws {
    let draft = try draft(Self.tiny(layers: 1, seed: 8))
    for seed in 1...5 as ClosedRange<UInt64> {
      let options = GenerationOptions(temperature: 1, seed: seed, maximumTokens: 40)
      let fast = try run(options) { try Speculator(Speculation(draft: draft), for: $0) }
      #expect(try fast.tokens == run(options) { _ in nil }.tokens)
    }
  }
}
