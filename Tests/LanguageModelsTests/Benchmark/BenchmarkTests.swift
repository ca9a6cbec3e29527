import Kernels
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct BenchmarkTests {
  @Test(arguments: TensorType.allCases)
  func aRandomBaseRunsAndIsMeasured(type: TensorType) throws {
    let folder = try TemporaryDirectory()
    var base = RandomBase()
    (base.layers, base.width, base.hiddenWidth) = (1, 256, 256)
    (base.heads, base.keyValueHeads, base.vocabularySize, base.type) = (4, 1, 40, type)
    try base.write(to: folder.path("random.gguf"))
    let model = try BaseModel(path: folder.path("random.gguf"))
    var options = Benchmark.Options()
    (options.promptTokens, options.generatedTokens, options.repetitions) = (3, 1, 1)
    options.threads = 2
    let two = try Benchmark.run(model, options)
    options.threads = 1
    let one = try Benchmark.run(model, options)
    #expect(one.logitsHash == two.logitsHash)
    #expect((one.prefill.tokens, one.prefill.passes) == (3, 1))
    #expect((one.decode.tokens, one.decode.passes) == (1, 1))
    #expect(one.decode.tokensPerSecond > 0 && one.readBandwidth > 0)
    #expect(one.peakMemory > model.fileSize)
    let session = try ModelSession(model)
    try session.evaluate([1])
    let logits = try #require(session.logits)
    #expect(logits.allSatisfy { $0.isFinite })
    #expect(logits.contains { $0 != 0 })
  }

  @Test func theDetailsAreMeasured() throws {
    let folder = try TemporaryDirectory()
    var base = RandomBase()
    (base.layers, base.width, base.hiddenWidth) = (1, 64, 64)
    (base.heads, base.keyValueHeads, base.vocabularySize) = (2, 1, 40)
    try base.write(to: folder.path("random.gguf"))
    let model = try BaseModel(path: folder.path("random.gguf"))
    let adapters = (1...2).map { seed in
      var adapter = RandomAdapter()
      (adapter.rank, adapter.seed) = (4, UInt64(seed))
      return adapter.applied(to: model)
    }
    #expect(adapters[0].layers[0].count == 7)
    #expect(adapters[0].contentHash != adapters[1].contentHash)
    var options = BenchmarkDetails.Options()
    (options.passes, options.sessions, options.repetitions) = ([2, 8], 3, 1)
    (options.prefixTokens, options.promptTokens, options.contextTokens) = (90, 3, 300)
    let details = try BenchmarkDetails.run(
      model, adapters: [adapters[0]], sessionAdapters: adapters, benchmark: Benchmark.Options(),
      options)
    #expect(details.passes.map(\.tokens) == [2, 8])
    #expect(details.passes.allSatisfy { $0.ratio > 0 } && details.sessionsGain > 0)
    #expect(details.swap > .zero)
    #expect(details.firstToken.warm > .zero && details.firstToken.cold > .zero)
    #expect(details.longContext.bytes == 300 * 2 * 32 * 2)
    let opening = try Benchmark.opening(model.path)
    #expect(opening.open > .zero && opening.firstPass > .zero)
  }

  @Test func aContextThatIsTooShortIsNamed() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    #expect(throws: BaseModelError.contextTooLong(requested: 320, limit: 64)) {
      try Benchmark.run(model)
    }
  }
}

@Suite struct SpeculationBenchmarkTests {
  @Test func whatWasAskedForIsRight() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let draft = try DraftModel(
      TinyModel(.llama, layers: 1, seed: 8).open(in: folder, "draft.gguf"), for: model)
    var options = SpeculationBenchmark.Options()
    (options.tokens, options.repetitions, options.sessions) = (32, 1, 2)
    options.threads = 1
    let bench = try SpeculationBenchmark.run(model, draft: draft, options)
    #expect(bench.plain.passes == 31 && bench.plain.tokens == 31)
    #expect(bench.batch.plain.tokens == 62)
    #expect(bench.forced.tokens == 31 && bench.refused.tokens == 31)
    #expect(bench.bound >= 1)
    let replacement = Replacement((0..<1000).map { $0 % 40 }, acceptance: 0.8, seed: 3)
    let right = (0..<1000).filter { replacement[$0] == Int32($0 % 40) }.count
    #expect((760...840).contains(right))
    #expect(bench.refused.proposals[.draft].map { $0.accepted.allSatisfy { $0 == 0 } } ?? true)
  }

  @Test func theBoundIsThatOfTheBestNumber() {
    let costs = PassCosts(ratios: [1, 1, 1, 9])
    let found = costs.bestProposals(acceptance: 0.5, draftCost: 0).speedup
    #expect(abs(found - 1.75 / costs.ratio(3)) < 1e-9)
    #expect(costs.bestProposals(acceptance: 0.5, draftCost: 9).speedup == 1)
  }

  @Test func answersAreTheSameWithAndWithout() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(
      .llama, hidden: 32, layers: 1, vocabulary: ByteVocabulary.count, context: 300)
    for (key, value) in ByteVocabulary.metadata { tiny.set(key, value) }
    let model = try tiny.open(in: folder)
    for grammar in [nil, AnswerBenchmark.form] {
      let bench = try AnswerBenchmark.run(
        model, prompts: [[1, 2, 3], [4, 5]], stopTokens: [ByteVocabulary.stop],
        options: SamplingOptions(maximumTokens: 60), grammar: grammar,
        speculation: Speculation(), threads: 1, repetitions: 1)
      #expect(bench.isSame)
      #expect(bench.plain.tokens == bench.fast.tokens)
      #expect(bench.plain.passes >= bench.fast.passes)
      #expect((bench.single == nil) == (grammar == nil))
      if let single = bench.single {
        #expect(single.passes == single.tokens)
        #expect(single.passes > bench.plain.passes)
      }
    }
  }
}
