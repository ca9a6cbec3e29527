import Kernels
import TestSupport
import Testing

@testable import LanguageModels

/// Pages that sessions share: whoever goes on with them, each session gets the bits of one that has computed all by itself.
@Suite struct CachePoolTests {
  private static let context = 420
  private static let page = CachePage.positions

  private func model(
    _ architecture: Architecture, _ folder: TemporaryDirectory
  ) throws -> BaseModel {
    try TinyModel(architecture, layers: 5, context: Self.context).open(in: folder)
  }

  /// Reads `prompt` on a session of `pool`; what of it was there, and the hash of the logits behind it.
  private func read(
    _ model: BaseModel, _ pool: CachePool, _ prompt: [Int32], _ adapters: [AppliedAdapter] = []
  ) throws -> (session: ModelSession, reused: Int, hash: UInt32?) {
    let session = try ModelSession(
      model, adapters: adapters, contextLength: Self.context, pool: pool, threads: 2)
    let generator = try TokenGenerator(
      session, prompt: prompt, options: SamplingOptions(maximumTokens: 1))
    _ = try generator.next()
    let statistics = generator.statistics
    return (session, statistics.reusedTokens, session.logitsHash)
  }

  @Test(arguments: [Architecture.gemma4, .lfm2, .llama, .qwen35], [1, 63, 64, 150])
  func forksGoOnByThemselves(_ architecture: Architecture, _ count: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 5)
    let session = try ModelSession(model, threads: 2)
    try session.evaluate(randomTokens(count, &random))
    let forks = try (0..<3).map { _ in try session.fork() }
    for turn in 0..<3 {
      for one in forks + [session] {
        if turn == 1 { one.truncate(to: max(1, count - 1)) }
        try one.evaluate(randomTokens(turn == 2 ? 70 : 2, &random))
        #expect(try one.logitsHash == coldHash(model, one.tokens), "\(turn)")
      }
    }
  }

  @Test func aForkCopiesNoPageButTheOneThatIsGoneOnWith() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model)
    let session = try ModelSession(model, contextLength: Self.context, pool: pool)
    try session.evaluate(.init(repeating: 3, count: 4 * Self.page + 5))
    let before = pool.bytes
    #expect(before == 5 * pool.layout.pageBytes)
    let fork = try session.fork()
    #expect(pool.bytes == before)
    try fork.evaluate([4])
    #expect(pool.bytes == before + pool.layout.pageBytes)
    try session.evaluate([5])
    #expect(pool.bytes == before + pool.layout.pageBytes)
  }

  @Test(arguments: [
    (shared: 0, found: 0), (shared: 1, found: 1), (shared: 63, found: 63), (shared: 64, found: 64),
    (shared: 100, found: 100), (shared: 192, found: 192), (shared: 200, found: 192),
  ])
  func beginningsAreFoundAgain(shared: Int, found: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try model(.qwen3, folder)
    let pool = CachePool(model)
    var random = SeededGenerator(seed: 8)
    let first = randomTokens(200, &random)
    let one = try read(model, pool, first)
    #expect(one.reused == 0)
    let second =
      first.prefix(shared) + [(first[min(shared, 199)] + 1) % 48] + randomTokens(30, &random)
    let other = try read(model, pool, Array(second))
    #expect(other.reused == found)
    #expect(try other.hash == coldHash(model, Array(second)))
    // What they share is as it was.
    try one.session.evaluate([1, 2, 3])
    #expect(try one.session.logitsHash == coldHash(model, first + [1, 2, 3]))
  }

  /// The last token is evaluated in any case.
  @Test(arguments: [2, 63, 64, 65, 129, 150])
  func whatAnEndedSessionHasComputedIsFound(count: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model, limit: 1 << 30)
    var random = SeededGenerator(seed: 13)
    let prompt = randomTokens(count, &random)
    // What goes on behind it takes the place of its last page, and serves others that begin so.
    let texts = [prompt, prompt, prompt + [1] + randomTokens(29, &random), prompt + [2, 3, 4]]
    for (text, reused) in zip(texts, [0, count - 1, count, count]) {
      let result = try read(model, pool, text)
      #expect(result.reused == reused)
      #expect(try result.hash == coldHash(model, text))
    }
    // Each page that differs is there once.
    let pages = texts[2...].map { ($0.count - 1) / Self.page + 1 }.reduce(0, +)
    #expect(pool.bytes == (pages - count / Self.page) * pool.layout.pageBytes)
  }

  /// Keys and values belong to the adapters that made them.
  @Test func nothingIsFoundThatOtherAdaptersHaveComputed() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model)
    var random = SeededGenerator(seed: 21)
    let prompt = randomTokens(130, &random)
    let adapters = [
      [], [randomAdapter(model, seed: 1)], [randomAdapter(model, scale: 2, seed: 1)],
      [randomAdapter(model, seed: 2)],
    ]
    var held: [ModelSession] = []
    for turn in 0...1 {
      for own in adapters {
        let result = try read(model, pool, prompt, own)
        #expect(result.reused == (turn == 0 ? 0 : 128))
        #expect(try result.hash == coldHash(model, prompt, own))
        held.append(result.session)
      }
    }
    #expect(held.count == 8)
  }

  @Test func statesThatAreNoRowsAreNotFound() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.lfm2, folder)
    let pool = CachePool(model)
    var random = SeededGenerator(seed: 34)
    let prompt = randomTokens(130, &random)
    for _ in 0...1 {
      let result = try read(model, pool, prompt)
      #expect(try result.reused == 0 && result.hash == coldHash(model, prompt))
    }
  }

  /// What no session holds is used again before there is more of it, the oldest first.
  @Test func pagesThatNobodyHoldsAreTakenAgain() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model)
    var random = SeededGenerator(seed: 55)
    let prompts = (0..<5).map { _ in randomTokens(130, &random) }
    for prompt in prompts { #expect(try read(model, pool, prompt).reused == 0) }
    #expect(pool.bytes == 3 * pool.layout.pageBytes)
    #expect(try read(model, pool, prompts[0]).reused == 0)
    #expect(try read(model, pool, prompts[0]).reused == 129)
  }

  @Test func aLimitIsKept() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model, limit: CachePool(model).layout.pageBytes * 4)
    var random = SeededGenerator(seed: 89)
    let (first, second) = (randomTokens(130, &random), randomTokens(130, &random))
    var held: ModelSession? = try read(model, pool, first).session
    #expect(throws: BaseModelError.noPages(limit: pool.limit ?? 0)) {
      try read(model, pool, second)
    }
    #expect(held?.tokens == first)
    held = nil
    // Pages stay as long as nobody needs their memory.
    #expect(try read(model, pool, first).reused == 129)
    let other = try read(model, pool, second)
    #expect(try other.hash == coldHash(model, second))
    #expect(pool.bytes <= pool.limit ?? 0)
  }

  /// Sessions that come and go at once find only what is whole.
  @Test func manyShareAPoolAtOnce() async throws {
    let folder = try TemporaryDirectory()
    let model = try model(.llama, folder)
    let pool = CachePool(model)
    var random = SeededGenerator(seed: 144)
    let start = randomTokens(140, &random)
    let prompts = (0..<8).map { start.prefix(20 * $0) + randomTokens(40, &random) }
    let expected = try prompts.map { try coldHash(model, Array($0)) }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for place in 0..<32 {
        let (prompt, hash) = (Array(prompts[place % 8]), expected[place % 8])
        group.addTask { try read(model, pool, prompt).hash == hash }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
