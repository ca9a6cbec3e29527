import Grammars
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct GenerationBatchTests {
  /// Sessions without an adapter, with one, with two, and with the first one again.
  private func adapters(_ model: BaseModel) -> [[AppliedAdapter]] {
    let (first, second) = (randomAdapter(model, seed: 1), randomAdapter(model, scale: 2, seed: 2))
    return [[], [first], [first, second], [second], [first]]
  }

  private static let prompts: [[Int32]] = [[1], [2, 3, 4], [5, 6], [7, 8, 9, 10], [11]]

  private func generators(
    _ model: BaseModel, lengths: [Int] = [12, 5, 12, 1, 9], stop: [Int32] = []
  ) throws -> [TokenGenerator] {
    try zip(adapters(model), zip(Self.prompts, lengths)).map { adapters, request in
      try TokenGenerator(
        ModelSession(model, adapters: adapters, threads: 2), prompt: request.0,
        options: SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: request.1),
        stopTokens: Set(stop))
    }
  }

  private func alone(_ generators: [TokenGenerator]) throws -> [[Int32]] {
    try generators.map { generator in
      var tokens: [Int32] = []
      while let token = try generator.next() { tokens.append(token) }
      return tokens
    }
  }

  private func together(_ generators: [TokenGenerator]) throws -> [[Int32]] {
    let batch = GenerationBatch(generators)
    var tokens = [[Int32]](repeating: [], count: generators.count)
    while try batch.next(eachToken: { tokens[$0].append($1) }) {}
    return tokens
  }

  @Test(arguments: [Architecture.gemma4, .lfm2, .llama, .qwen3, .qwen35, .qwen3moe])
  func eachGetsWhatItGetsAlone(_ architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(architecture).open(in: folder)
    let (one, all) = (try generators(model), try generators(model))
    let expected = try alone(one)
    #expect(try together(all) == expected)
    #expect(expected.map(\.count) == [12, 5, 12, 1, 9])
    #expect(Set(expected.map { $0.prefix(5) }).count > 1)
    for (single, batched) in zip(one, all) {
      #expect(single.statistics.logitsHash == batched.statistics.logitsHash)
      #expect(single.statistics.decodePasses == batched.statistics.decodePasses)
      #expect(single.statistics.finish == batched.statistics.finish)
    }
  }

  @Test func stopTokensEndEachByItself() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let stop = try alone(generators(model))[0][3]
    #expect(
      try together(generators(model, stop: [stop])) == alone(generators(model, stop: [stop])))
  }

  /// Proposes what comes, or what does not.
  private final class Known: TokenProposer {
    let source = ProposalSource.other
    private let text: [Int32]
    private let isRight: (_ place: Int) -> Bool

    init(_ text: [Int32], isRight: @escaping (_ place: Int) -> Bool) {
      (self.text, self.isRight) = (text, isRight)
    }

    func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
      text.indices.dropFirst(history.count).prefix(limit).map { place in
        ProposedToken(isRight(place) ? text[place] : (text[place] + 1) % 32, prior: 0.9)
      }
    }
  }

  /// One whose guesses are wrong would be alone in its passes while another hands out what was guessed right.
  @Test func guessesComeAtOnceSoThatPassesAreForAll() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let options = SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: 40)
    let text = try alone([TokenGenerator(ModelSession(model), prompt: [1], options: options)])[0]
    let kinds: [(Int) -> Bool] = [{ _ in true }, { $0 % 3 > 0 }, { $0 % 2 > 0 }]
    let generators = try kinds.map { isRight in
      let costs = PassCosts(ratios: (0..<8).map { 1 + 0.01 * Double($0) })
      return try TokenGenerator(
        ModelSession(model), prompt: [1], options: options,
        speculator: Speculator(only: [Known([1] + text, isRight: isRight)], costs: costs))
    }
    let batch = GenerationBatch(generators)
    var (tokens, calls) = ([[Int32]](repeating: [], count: kinds.count), 0)
    while try batch.next(eachToken: { tokens[$0].append($1) }) { calls += 1 }
    #expect(tokens == [text, text, text])
    // The prompts' pass, and those of the one that needs most.
    let passes = generators.map(\.statistics.decodePasses)
    #expect(passes[0] < passes[2])
    #expect((passes[2]...passes[2] + 2).contains(calls))
  }

  /// Whatever the number of sessions, which are fewer than the prompts, as many, or more.
  @Test(arguments: [1, 2, 9]) func aQueueGivesEachWhatItGetsAlone(_ width: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.qwen3).open(in: folder)
    let lengths = [12, 5, 12, 1, 9]
    func generator(_ place: Int, _ session: ModelSession) throws -> TokenGenerator {
      try TokenGenerator(
        session, prompt: Self.prompts[place],
        options: SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: lengths[place]))
    }
    let expected = try alone(
      Self.prompts.indices.map { try generator($0, ModelSession(model, threads: 2)) })
    var (made, asked) = (0, 0)
    let queue = GenerationQueue(width: width) {
      made += 1
      return try ModelSession(model, threads: 2)
    }
    var found: [Int: [Int32]] = [:]
    try queue.run(
      next: {
        asked += 1
        return asked <= lengths.count ? (place: asked - 1, tokens: [Int32]()) : nil
      },
      begin: { try generator($0.place, $1) }, eachToken: { $0.tokens.append($1) },
      ended: { item, _ in found[item.place] = item.tokens })
    #expect(lengths.indices.map { found[$0] } == expected)
    #expect(made == min(width, lengths.count))
    #expect(throws: BaseModelError.cancelled) {
      asked = 0
      try queue.run(
        next: {
          asked += 1
          return asked
        }, begin: { _, session in try generator(0, session) }, isCancelled: { true },
        eachToken: { _, _ in }, ended: { _, _ in })
    }
  }

  /// What one has said may be enough; the others are as before.
  @Test func oneOfAQueueMayBeOver() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let lengths = [9, 9, 9, 9]
    func answers(_ isOver: (Int, Int) -> Bool) throws -> [Int: [Int32]] {
      var (asked, found) = (0, [Int: [Int32]]())
      try GenerationQueue(width: 2) { try ModelSession(model, threads: 2) }.run(
        next: {
          asked += 1
          return asked <= lengths.count ? (place: asked - 1, tokens: [Int32]()) : nil
        },
        begin: { item, session in
          try TokenGenerator(
            session, prompt: Self.prompts[item.place],
            options: SamplingOptions(maximumTokens: lengths[item.place]))
        },
        eachToken: { $0.tokens.append($1) }, isOver: { isOver($0.place, $0.tokens.count) },
        ended: { item, generator in
          #expect(generator.hasEnded)
          found[item.place] = item.tokens
        })
      return found
    }
    var expected = try answers { _, _ in false }
    #expect(expected.count == 4)
    let found = try answers { place, count in place == 1 && count == 3 }
    expected[1] = expected[1].map { Array($0.prefix(3)) }
    #expect(found == expected)
  }

  @Test func aQueueOfNothingEnds() throws {
    let queue = GenerationQueue(width: 3) { throw BaseModelError.emptyPrompt }
    try queue.run(
      next: { nil as Int? }, begin: { _, _ in throw BaseModelError.emptyPrompt },
      eachToken: { _, _ in }, ended: { _, _ in })
  }

  private struct Nothing: TokenConstraint {
    mutating func markAllowed(in mask: inout TokenMask) {}
    mutating func advance(past token: Int32) {}
  }

  /// One has no room left, and another may write nothing.
  @Test func oneThatFailsHoldsUpNoOther() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let expected = try alone(generators(model))
    var all = try generators(model)
    all[0] = try TokenGenerator(
      ModelSession(model, contextLength: 3, threads: 2), prompt: [1],
      options: SamplingOptions(maximumTokens: 12))
    all[1] = try TokenGenerator(
      ModelSession(model, threads: 2), prompt: [2], constraint: Nothing())
    let batch = GenerationBatch(all)
    var tokens = [[Int32]](repeating: [], count: all.count)
    var errors: [BaseModelError] = []
    for _ in 0..<40 {
      do throws(BaseModelError) {
        guard try batch.next(eachToken: { tokens[$0].append($1) }) else { break }
      } catch { errors.append(error) }
    }
    #expect(errors == [.noTokenAllowed(position: 1), .contextExceeded(limit: 3, needed: 4)])
    #expect(all.map(\.failure) == [errors[1], errors[0], nil, nil, nil])
    #expect(tokens[2...] == expected[2...])
    #expect(throws: errors[0]) { try all[1].next() }
  }

  @Test func oneThatIsStoppedLeavesTheOthers() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    var expected = try alone(generators(model))
    expected[2].removeLast(9)
    let all = try generators(model)
    let batch = GenerationBatch(all)
    var tokens = [[Int32]](repeating: [], count: all.count)
    while try batch.next(eachToken: { index, token in
      tokens[index].append(token)
      if tokens[2].count == 3 { all[2].stop() }
    }) {}
    #expect(tokens == expected)
    #expect(all[2].hasEnded && all[2].statistics.finish == nil)
    // What comes on its session then is another's.
    let hash = all[2].statistics.logitsHash
    _ = try TokenGenerator(all[2].session, prompt: [9, 8, 7]).next()
    #expect(all[2].session.logitsHash != hash && all[2].statistics.logitsHash == hash)
  }

  /// Whoever takes the tokens of one may know that nobody waits for another.
  @Test(arguments: [(0, 2), (2, 0)]) func oneMayStopAnother(_ first: Int, _ other: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let all = try generators(model)
    let batch = GenerationBatch(all)
    var isLate = false
    while try batch.next(eachToken: { index, _ in
      isLate = isLate || all[index].hasEnded
      if index == first { all[other].stop() }
    }) {}
    #expect(!isLate && all[first].statistics.finish == .length)
  }

  @Test func aRefusedTokenChangesNoSession() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let sessions = try (0..<2).map { _ in try ModelSession(model) }
    for session in sessions { try session.evaluate([1, 2]) }
    let batch = SessionBatch(sessions)
    #expect(throws: BaseModelError.tokenOutsideVocabulary(token: 99, count: 48)) {
      try batch.evaluate([3, 99])
    }
    #expect(throws: BaseModelError.cancelled) {
      try batch.evaluate([3, 4], isCancelled: { true })
    }
    #expect(sessions.map(\.tokens) == [[1, 2], [1, 2]])
  }
}
