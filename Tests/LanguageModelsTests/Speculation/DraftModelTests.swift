import Grammars
import Kernels
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct DraftModelTests {
  private let folder: TemporaryDirectory
  private let base: BaseModel

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
            + "or none."))
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

  /// A model whose embedding is filled up with so many tokens that are never used.
  private static func padded(_ more: Int, type: Int32 = 5, layers: Int = 1) -> TinyModel {
    var tiny = tiny(ByteVocabulary.count + more, layers: layers)
    guard let tokens = ByteVocabulary.metadata.first(where: { $0.key == "tokenizer.ggml.tokens" }),
      case .array(let array) = tokens.value, let pieces = array.strings
    else { preconditionFailure("no tokens") }
    tiny.set(
      "tokenizer.ggml.tokens",
      .strings(Array(pieces) + (0..<more).map { Array("[PAD\($0)]".utf8) }))
    tiny.set(
      "tokenizer.ggml.token_type",
      .integers([3] + pieces.dropFirst().map { _ in 1 } + (0..<more).map { _ in type }))
    return tiny
  }

  @Test func vocabulariesMayBeFilledUp() throws {
    let large = try Self.tiny(layers: 8).open(in: folder, "large.gguf")
    func failure(_ tiny: TinyModel) throws -> String? {
      let path = folder.path("draft.gguf")
      try tiny.write(to: path)
      do throws(BaseModelError) {
        _ = try DraftModel(path: path, for: large)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(try failure(Self.padded(500)) == nil)
    // Marks of a chat that a base lacks are never guessed; a whole other vocabulary is no draft's.
    #expect(try failure(Self.padded(128, type: 3)) == nil)
    #expect(
      try failure(Self.padded(129, type: 3))
        == text(
          "the draft has 415 tokens, but the base has 286; use a draft with the tokenizer of the base."
        ))
    let wide = try Self.padded(500, layers: 3).open(in: folder, "wide.gguf")
    let path = folder.path("draft.gguf")
    try Self.tiny(layers: 1).write(to: path)
    #expect(try DraftModel(path: path, for: wide).vocabularySize == 786)
  }

  /// Random weights of a filled-up embedding would often choose a token that the base lacks.
  @Test func whatTheBaseLacksIsNeverGuessed() throws {
    let path = folder.path("padded.gguf")
    try Self.padded(500).write(to: path)
    let large = try Self.tiny(layers: 8).open(in: folder, "large.gguf")
    let draft = try DraftModel(path: path, for: large)
    var options = SamplingOptions(temperature: 3, seed: 1, maximumTokens: 60)
    var guessed = 0
    for seed in 1...4 as ClosedRange<UInt64> {
      options.seed = seed
      let proposer = try proposer(draft)
      let request = DraftProposer.Request(
        history: [5, 9], limit: 8,
        judge: Sampler(options, seed: seed, vocabularySize: ByteVocabulary.count), rate: { _ in 1 },
        threshold: 0)
      let tokens = proposer.propose(
        request, isCancelled: { false }, allowed: { _ in nil },
        continuation: { $0.map { PossibleToken(token: $0, isForced: false) } })
      guessed += tokens.count
      #expect(tokens.allSatisfy { $0.token < Int32(ByteVocabulary.count) })
    }
    #expect(guessed == 32)
    let fast = try run(options) { try Speculator(Speculation(draft: draft), for: $0) }
    #expect(try fast.tokens == run(options) { _ in nil }.tokens)
  }

  private func proposer(_ draft: DraftModel) throws -> DraftProposer {
    try DraftProposer(
      draft, contextLength: 80,
      operations: Operations(pool: WorkerPool.shared(threads: 1)))
  }

  /// What a grammar forbids is not guessed, also with outputs for some tokens only.
  @Test(arguments: [false, true])
  func guessesFitTheGrammar(isRestricted: Bool) throws {
    let path = folder.path("fitting.gguf")
    try (isRestricted ? restricted(Array(0..<200)) : Self.tiny()).write(to: path)
    let proposer = try proposer(DraftModel(path: path, for: base))
    var constraint = try GrammarConstraint(
      Grammar(.texts(["alphabet", "alpine", "beta"])), tokenizer: base.tokenizer(),
      stopTokens: [ByteVocabulary.stop])
    let request = DraftProposer.Request(
      history: [5, 9], limit: 8,
      judge: Sampler(
        SamplingOptions(temperature: 2), seed: 1, vocabularySize: ByteVocabulary.count),
      rate: { _ in 1 }, threshold: 0)
    let tokens = proposer.propose(
      request, isCancelled: { false },
      allowed: { tokens in
        var mask = TokenMask(count: ByteVocabulary.count)
        return constraint.markAllowed(in: &mask, behind: tokens) ? mask : nil
      },
      continuation: { $0.map { PossibleToken(token: $0, isForced: false) } })
    let text = try base.tokenizer().decode(tokens.map(\.token).filter { $0 != ByteVocabulary.stop })
    #expect(!text.isEmpty)
    #expect(["alphabet", "alpine", "beta"].contains { "\"\($0)\"".hasPrefix(text) })
  }

  private static let prompt: [Int32] = [5, 9, 5, 80]

  private func run(
    _ options: SamplingOptions, _ speculator: (ModelSession) throws -> Speculator?
  ) throws -> (tokens: [Int32], statistics: GenerationStatistics) {
    let session = try ModelSession(base, threads: 1)
    let generator = try TokenGenerator(
      session, prompt: Self.prompt, options: options, speculator: speculator(session))
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    return (tokens, generator.statistics)
  }

  /// A draft that is the base itself draws the same tokens with the same random numbers.
  @Test(arguments: [
    SamplingOptions(maximumTokens: 50),
    SamplingOptions(temperature: 1.5, seed: 3, maximumTokens: 50),
    SamplingOptions(temperature: 1, topK: 9, topP: 0.8, seed: 4, maximumTokens: 50),
    SamplingOptions(
      temperature: 2, minP: 0.01, repetitionPenalty: 1.4, seed: 5, maximumTokens: 50),
  ])
  func aPerfectDraftIsAlwaysRight(options: SamplingOptions) throws {
    let plain = try run(options) { _ in nil }
    let fast = try run(options) { session in
      let draft = try DraftProposer(
        DraftModel(base, for: base), contextLength: 80, operations: session.operations)
      draft.fixedSeconds = 0
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

  /// Proposes the next two tokens of a text, and knows no more.
  private final class TwoTokens: TokenProposer {
    let source = ProposalSource.other
    let text: [Int32]
    init(_ text: [Int32]) { self.text = text }
    func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
      text.dropFirst(history.count).prefix(2).map { ProposedToken($0, prior: 0.98) }
    }
  }

  /// What others found stays, and the draft draws behind it with the numbers that are due there.
  @Test(arguments: [0, 1.5])
  func aDraftGoesOnBehindWhatOthersFound(temperature: Double) throws {
    let options = SamplingOptions(temperature: temperature, seed: 6, maximumTokens: 50)
    let plain = try run(options) { _ in nil }
    let fast = try run(options) { session in
      let draft = try DraftProposer(
        DraftModel(base, for: base), contextLength: 80, operations: session.operations)
      draft.fixedSeconds = 0
      return Speculator(
        only: [TwoTokens(Self.prompt + plain.tokens)], draft: draft,
        costs: PassCosts(ratios: (0..<8).map { 1 + 0.01 * Double($0) }))
    }
    #expect(fast.tokens == plain.tokens)
    let (others, drafted) = (fast.statistics.proposals[.other], fast.statistics.proposals[.draft])
    #expect(try #require(others).accepted.prefix(2).allSatisfy { $0 > 0 })
    let counts = try #require(drafted)
    #expect(counts.proposed == counts.accepted)
    #expect(counts.proposed.count > 2 && counts.proposed.prefix(2).allSatisfy { $0 < 3 })
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
    let options = SamplingOptions(
      temperature: temperature, topK: 1, repetitionPenalty: 1.1, seed: 2, maximumTokens: 50)
    let plain = try run(options) { _ in nil }
    let path = folder.path("restricted.gguf")
    try restricted(Set(plain.tokens).sorted()).write(to: path)
    let fast = try run(options) { session in
      let draft = try DraftProposer(
        DraftModel(path: path, for: base), contextLength: 80, operations: session.operations)
      draft.fixedSeconds = 0
      return Speculator(only: [], draft: draft)
    }
    #expect(fast.tokens == plain.tokens)
    let counts = try #require(fast.statistics.proposals[.draft])
    #expect(counts.proposed == counts.accepted && counts.proposed.reduce(0, +) > 5)
    // It is no base.
    #expect(throws: BaseModelError.self) { try BaseModel(path: path) }
  }

  @Test(arguments: [
    ([5, 4] as [Int32], "4 after 5"), ([4, 4], "4 after 4"), ([-1, 4], "-1 after -1"),
    ([4, 9999], "9999 after 4"),
  ])
  func tablesOfTokensRise(table: [Int32], value: String) throws {
    let path = folder.path("restricted.gguf")
    try restricted([4, 5], key: table).write(to: path)
    let failure = BaseModelError.invalidValue(
      file: path, key: "fmadapter.draft.tokens", value: value,
      rule: "has to rise, up to the last token")
    #expect(throws: failure) { try DraftModel(path: path, for: base) }
  }

  @Test func aPoorDraftChangesNothing() throws {
    let draft = try draft(Self.tiny(layers: 1, seed: 8))
    for seed in 1...5 as ClosedRange<UInt64> {
      let options = SamplingOptions(temperature: 1, seed: seed, maximumTokens: 40)
      let fast = try run(options) { try Speculator(Speculation(draft: draft), for: $0) }
      #expect(try fast.tokens == run(options) { _ in nil }.tokens)
    }
  }
}
