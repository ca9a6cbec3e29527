import Adapters
import TestSupport
import Testing

@testable import LanguageModels

/// Adapters that begin at their invocation: what stands before it is the base's, bit by bit, and is found again as such.
@Suite struct ActivatedAdapterTests {
  private static let invocation: [Int32] = [40, 41, 40]
  private static let context = 420

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func model(_ architecture: Architecture = .llama) throws -> BaseModel {
    try TinyModel(architecture, layers: 5, context: Self.context).open(in: folder)
  }

  private func adapter(_ model: BaseModel, seed: UInt64 = 1) -> AppliedAdapter {
    randomAdapter(model, seed: seed, invocation: Self.invocation)
  }

  /// Tokens that are no part of the invocation.
  private func text(_ count: Int, seed: UInt64 = 3) -> [Int32] {
    var random = SeededGenerator(seed: seed)
    return randomTokens(count, &random).map { $0 % 40 }
  }

  private func read(
    _ prompt: [Int32], _ pool: CachePool, _ model: BaseModel, _ adapters: [AppliedAdapter]
  ) throws -> (session: ModelSession, statistics: GenerationStatistics) {
    let session = try ModelSession(
      model, adapters: adapters, contextLength: Self.context, pool: pool, threads: 2)
    let generator = try TokenGenerator(
      session, prompt: prompt, options: SamplingOptions(maximumTokens: 1))
    _ = try generator.next()
    return (session, generator.statistics)
  }

  @Test(
    arguments: [
      ([1, 2, 3], nil), ([], nil), ([40, 41], nil), ([40, 41, 40], 0), ([1, 40, 41, 40, 2], 1),
      ([40, 41, 40, 41, 40], 2), ([40, 41, 40, 1, 40, 41, 40, 41], 4), ([40, 40, 41, 40], 1),
    ] as [([Int32], Int?)])
  func itBeginsAtTheLastInvocation(_ text: [Int32], _ start: Int?) throws {
    #expect(try adapter(model()).start(in: text) == start ?? .max)
  }

  @Test func itIsThePlainAdapterFromTheFirstTokenOn() throws {
    let model = try model()
    let prompt = Self.invocation + text(20)
    let plain = randomAdapter(model, seed: 1)
    #expect(try coldHash(model, prompt, [adapter(model)]) == coldHash(model, prompt, [plain]))
    #expect(try coldHash(model, prompt) != coldHash(model, prompt, [plain]))
  }

  @Test func withoutItsInvocationTheBaseAnswersAlone() throws {
    let model = try model()
    let (prompt, pool) = (text(20), CachePool(model))
    let result = try read(prompt, pool, model, [adapter(model)])
    #expect(result.statistics.isActivated == false && result.session.start == nil)
    #expect(try result.session.logitsHash == coldHash(model, prompt))
    #expect(try read(prompt, pool, model, []).statistics.isActivated == nil)
  }

  /// A pass over the keys and values of the base, with a plain adapter for all of its rows, gives the same.
  @Test(arguments: [Architecture.gemma4, .llama, .qwen3, .qwen3moe], [1, 62, 63, 64, 70])
  func rowsBeforeItAreTheBases(_ architecture: Architecture, _ start: Int) throws {
    let model = try model(architecture)
    let prompt = text(start) + Self.invocation + text(9, seed: 4)
    let plain = randomAdapter(model, seed: 1)
    let base = try ModelSession(model, threads: 2)
    try base.evaluate(Array(prompt.prefix(start)))
    let rest = prompt.dropFirst(start)
    let state = ForwardState(model.weights, model.configuration, batch: rest.count)
    let pass = ForwardPass(
      model, adapters: [RowAdapter(adapter: plain)], operations: base.operations, state: state)
    try base.cache.reserve(rest.count)
    try pass.run(
      [ForwardPass.Slice(tokens: rest, cache: base.cache, logits: 1)], isCancelled: { false })
    let hash = try coldHash(model, prompt, [adapter(model)])
    #expect(hash == state.logits.hash(row: 0))
    #expect(try hash != coldHash(model, prompt) && hash != coldHash(model, prompt, [plain]))
  }

  /// However the text is cut into passes, and whatever was held before; in models with other states than rows, too.
  @Test(arguments: [Architecture.gemma4, .lfm2, .llama, .qwen35])
  func theInvocationOfTheNextPromptCounts(_ architecture: Architecture) throws {
    let model = try model(architecture)
    let own = [adapter(model)]
    let session = try ModelSession(model, adapters: own, threads: 2)
    var prompt: [Int32] = []
    for (turn, count) in [70, 3, 130, 1].enumerated() {
      prompt += text(count, seed: UInt64(turn)) + Self.invocation
      let start = prompt.count - Self.invocation.count
      let generator = try TokenGenerator(
        session, prompt: prompt, options: SamplingOptions(maximumTokens: 5))
      while let token = try generator.next() { prompt.append(token) }
      #expect(session.start == start && generator.statistics.isActivated == true)
      #expect(try session.logitsHash == coldHash(model, prompt.dropLast(), own))
    }
  }

  @Test func forksAndPartsOfATextHaveItsStart() throws {
    let model = try model()
    let prompt = text(30) + Self.invocation + text(10, seed: 8)
    let session = try ModelSession(model, adapters: [adapter(model)], threads: 2)
    session.begin(prompt)
    try session.evaluate(Array(prompt.prefix(31)))
    let fork = try session.fork()
    for one in [fork, session] {
      try one.evaluate(Array(prompt.dropFirst(31)))
      #expect(try one.logitsHash == coldHash(model, prompt, [adapter(model)]))
    }
    session.truncate(to: 0)
    try session.evaluate(Self.invocation)
    #expect(session.start == 0)
  }

  // MARK: Pages

  @Test(arguments: [
    (held: 260, start: 230, reused: 230), (held: 260, start: 256, reused: 256),
    (held: 200, start: 200, reused: 192), (held: 64, start: 64, reused: 64),
    (held: 260, start: 10, reused: 10), (held: 260, start: 0, reused: 0),
  ])
  func whatTheBaseHasReadIsNotReadAgain(held: Int, start: Int, reused: Int) throws {
    let model = try model()
    let pool = CachePool(model)
    let context = text(held)
    let base = try read(context + [1], pool, model, [])
    let prompt = context.prefix(start) + Self.invocation + text(80, seed: 9)
    for seed in 1...2 as ClosedRange<UInt64> {
      for turn in 0...1 {
        let own = [adapter(model, seed: seed)]
        let result = try read(Array(prompt), pool, model, own)
        #expect(result.statistics.reusedTokens == (turn == 0 ? reused : prompt.count - 1))
        #expect(try result.session.logitsHash == coldHash(model, Array(prompt), own))
      }
    }
    #expect(base.session.tokens.count == held + 1)
  }

  /// What an activated adapter has read before its invocation is the base's, what comes behind that is its own.
  @Test func whatItHasReadIsFoundAsWhatItIs() throws {
    let model = try model()
    let pool = CachePool(model)
    let prompt = text(150) + Self.invocation + text(110, seed: 6)
    let reused = try [
      [adapter(model)], [], [adapter(model, seed: 2)], [randomAdapter(model, seed: 1)],
    ]
    .map { own in
      let result = try read(prompt, pool, model, own)
      #expect(try result.session.logitsHash == coldHash(model, prompt, own))
      return result.statistics.reusedTokens
    }
    #expect(reused == [0, 128, 150, 0])
  }

  /// Rows behind one start are of no use behind another.
  @Test func anotherStartIsAnotherText() throws {
    let model = try model()
    let pool = CachePool(model)
    let own = [adapter(model)]
    let prompt = text(70) + Self.invocation + text(130, seed: 6)
    #expect(try read(prompt, pool, model, own).session.start == 70)
    let longer = prompt + Self.invocation + [1]
    let result = try read(longer, pool, model, own)
    #expect(result.session.start == prompt.count && result.statistics.reusedTokens == 64)
    #expect(try result.session.logitsHash == coldHash(model, longer, own))
  }

  // MARK: Beside others

  @Test(arguments: [Architecture.lfm2, .llama, .qwen35])
  func inSharedPassesEachGetsWhatItGetsAlone(_ architecture: Architecture) throws {
    let model = try model(architecture)
    let (one, two) = (adapter(model), adapter(model, seed: 2))
    let plain = randomAdapter(model, seed: 1)
    let requests: [(start: Int, adapters: [AppliedAdapter])] = [
      (3, [one]), (90, [one]), (7, [one]), (0, [one]), (5, [two]), (4, [plain]), (6, []),
      (2, [two]),
    ]
    func generators(_ pool: CachePool?) throws -> [TokenGenerator] {
      try requests.enumerated().map { index, request in
        let session =
          try pool.map {
            try ModelSession(
              model, adapters: request.adapters, contextLength: Self.context, pool: $0, threads: 2)
          } ?? ModelSession(model, adapters: request.adapters, threads: 2)
        return try TokenGenerator(
          session, prompt: text(request.start) + Self.invocation + [Int32(index)],
          options: SamplingOptions(maximumTokens: 6))
      }
    }
    let expected = try generators(nil).map { generator in
      var tokens: [Int32] = []
      while let token = try generator.next() { tokens.append(token) }
      return tokens
    }
    for pool in [nil, CachePool(model)] {
      let all = try generators(pool)
      let scheduler = Scheduler(model, width: all.count, threads: 2)
      for generator in all { scheduler.admit(generator) }
      var tokens = [[Int32]](repeating: [], count: all.count)
      while try scheduler.step(eachToken: { generator, token in
        if let place = all.firstIndex(where: { $0 === generator }) { tokens[place].append(token) }
      }) {}
      #expect(tokens == expected)
    }
    #expect(Set(expected).count > 3)
  }

  @Test func oneStandsAlone() throws {
    let model = try model()
    let both = [randomAdapter(model, seed: 2), adapter(model)]
    let error = BaseModelError.activatedBesideOthers(identifier: "fmadapter-test-abababa")
    #expect(throws: error) { try ModelSession(model, adapters: both) }
    #expect("\(error)".hasSuffix("and acts beside no other; use it alone."))
  }

  @Test func itsInvocationIsOfTheVocabulary() throws {
    let model = try model()
    let count = Int32(model.configuration.vocabularySize)
    let own = randomAdapter(model, invocation: [1, count])
    #expect(throws: BaseModelError.tokenOutsideVocabulary(token: count, count: Int(count))) {
      try ModelSession(model, adapters: [own])
    }
  }
}
