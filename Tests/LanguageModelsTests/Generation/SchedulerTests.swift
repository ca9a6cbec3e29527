import Adapters
import Foundation
import Grammars
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct SchedulerTests {
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

  private func together(
    _ generators: [TokenGenerator], eachToken body: (_ index: Int, _ token: Int32) -> Void
  ) throws {
    let scheduler = scheduler(generators)
    while try scheduler.step(eachToken: { generator, token in
      if let index = generators.firstIndex(where: { $0 === generator }) { body(index, token) }
    }) {}
    #expect(scheduler.generators.isEmpty)
  }

  private func scheduler(_ generators: [TokenGenerator]) -> Scheduler {
    let scheduler = Scheduler(
      generators[0].session.model, width: generators.count, threads: 2)
    for generator in generators { scheduler.admit(generator) }
    return scheduler
  }

  private func together(_ generators: [TokenGenerator]) throws -> [[Int32]] {
    var tokens = [[Int32]](repeating: [], count: generators.count)
    try together(generators) { tokens[$0].append($1) }
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
    let scheduler = scheduler(generators)
    var (count, calls) = (0, 0)
    while try scheduler.step(eachToken: { _, _ in count += 1 }) { calls += 1 }
    #expect(count == 3 * text.count)
    // The prompts' pass, and those of the one that needs most.
    let passes = generators.map(\.statistics.decodePasses)
    #expect(passes[0] < passes[2])
    #expect((passes[2]...passes[2] + 2).contains(calls))
  }

  /// Whatever the number of places, which are fewer than the prompts, as many, or more.
  @Test(arguments: [1, 2, 9]) func itemsInTurnGetWhatTheyGetAlone(_ width: Int) throws {
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
    let scheduler = Scheduler(model, width: width, threads: 2)
    var asked = 0
    var found: [Int: [Int32]] = [:]
    try scheduler.run(
      next: {
        asked += 1
        return asked <= lengths.count ? (place: asked - 1, tokens: [Int32]()) : nil
      },
      begin: { try generator($0.place, ModelSession(model, threads: 2)) },
      eachToken: { $0.tokens.append($1) },
      ended: { item, _ in found[item.place] = item.tokens })
    #expect(lengths.indices.map { found[$0] } == expected)
    #expect(throws: BaseModelError.cancelled) {
      asked = 0
      try scheduler.run(
        next: {
          asked += 1
          return asked
        }, begin: { _ in try generator(0, ModelSession(model, threads: 2)) },
        isCancelled: { true }, eachToken: { _, _ in }, ended: { _, _ in })
    }
    #expect(scheduler.generators.isEmpty && asked == width)
  }

  /// What one has said may be enough; the others are as before.
  @Test func oneOfTheItemsMayBeOver() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let lengths = [9, 9, 9, 9]
    func answers(_ isOver: (Int, Int) -> Bool) throws -> [Int: [Int32]] {
      var (asked, found) = (0, [Int: [Int32]]())
      try Scheduler(model, width: 2, threads: 2).run(
        next: {
          asked += 1
          return asked <= lengths.count ? (place: asked - 1, tokens: [Int32]()) : nil
        },
        begin: { item in
          try TokenGenerator(
            ModelSession(model, threads: 2), prompt: Self.prompts[item.place],
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

  /// What fails ends, and neither those beside it nor those behind it.
  @Test func oneOfTheItemsMayFail() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    var (asked, ended) = (0, [Int: BaseModelError?]())
    try Scheduler(model, width: 2, threads: 2).run(
      next: {
        asked += 1
        return asked <= 5 ? asked : nil
      },
      begin: { item in
        try TokenGenerator(
          ModelSession(model, contextLength: item % 2 == 0 ? 3 : 40, threads: 2), prompt: [1],
          options: SamplingOptions(maximumTokens: 8))
      },
      eachToken: { _, _ in }, ended: { ended[$0] = .some($1.failure) })
    let failure = BaseModelError.contextExceeded(limit: 3, needed: 4)
    #expect(ended == [1: nil, 2: failure, 3: nil, 4: failure, 5: nil])
  }

  @Test func nothingToDoEnds() throws {
    let folder = try TemporaryDirectory()
    let scheduler = Scheduler(try TinyModel(.llama).open(in: folder), width: 3)
    #expect(try !scheduler.step { _, _ in })
    try scheduler.run(
      next: { nil as Int? }, begin: { _ in throw BaseModelError.emptyPrompt },
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
    let tokens = try together(all)
    let errors: [BaseModelError] = [
      .contextExceeded(limit: 3, needed: 4), .noTokenAllowed(position: 1),
    ]
    #expect(all.map(\.failure) == [errors[0], errors[1], nil, nil, nil])
    #expect(tokens[2...] == expected[2...])
    #expect(throws: errors[1]) { try all[1].next() }
  }

  @Test func oneThatIsStoppedLeavesTheOthers() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    var expected = try alone(generators(model))
    expected[2].removeLast(9)
    let all = try generators(model)
    var tokens = [[Int32]](repeating: [], count: all.count)
    try together(all) { index, token in
      tokens[index].append(token)
      if tokens[2].count == 3 { all[2].stop() }
    }
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
    var isLate = false
    try together(all) { index, _ in
      isLate = isLate || all[index].hasEnded
      if index == first { all[other].stop() }
    }
    #expect(!isLate && all[first].statistics.finish == .length)
  }

  /// Decodes go on beside a prompt that takes many passes, and one that is admitted later comes into the next one.
  @Test func promptsAreReadBesideDecodes() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.qwen3, context: 400).open(in: folder)
    var random = SeededGenerator(seed: 3)
    let long = randomTokens(300, &random)
    func generators() throws -> [TokenGenerator] {
      try zip(adapters(model), [[1], long, [2, 3], Array(long.prefix(130)), [4]]).map {
        try TokenGenerator(
          ModelSession(model, adapters: $0, threads: 2), prompt: $1,
          options: SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: 14))
      }
    }
    let expected = try alone(generators())
    let all = try generators()
    let scheduler = Scheduler(model, width: all.count, threads: 2)
    for generator in all.dropLast() { scheduler.admit(generator) }
    var tokens = [[Int32]](repeating: [], count: all.count)
    var steps = 0
    while try scheduler.step(eachToken: { generator, token in
      if let index = all.firstIndex(where: { $0 === generator }) { tokens[index].append(token) }
    }) {
      steps += 1
      // 64 rows: two decodes, the first prompt, and what is left for the second.
      if steps == 3 {
        #expect(tokens.map(\.count) == [3, 0, 3, 0, 0])
        scheduler.admit(all[4])
      }
    }
    #expect(tokens == expected)
    #expect(all.map(\.statistics.promptTokens) == [1, 300, 2, 130, 1])
    #expect(all.map(\.statistics.decodePasses) == [13, 13, 13, 13, 13])
  }

  /// Those that come at once do not all read what they have in common.
  @Test func aCommonBeginningIsReadOnce() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.qwen3, context: 400).open(in: folder)
    var random = SeededGenerator(seed: 6)
    let start = randomTokens(200, &random)
    let prompts = (0..<4).map { start + randomTokens(10 + $0, &random) }
    func generators(_ pool: CachePool?) throws -> [TokenGenerator] {
      try prompts.map { prompt in
        let session =
          try pool.map { try ModelSession(model, pool: $0, threads: 2) }
          ?? ModelSession(model, threads: 2)
        return try TokenGenerator(
          session, prompt: prompt,
          options: SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: 9))
      }
    }
    let expected = try alone(generators(nil))
    let all = try generators(CachePool(model))
    #expect(try together(all) == expected)
    #expect(all.map(\.statistics.reusedTokens) == [0, 192, 192, 192])
    for (generator, prompt) in zip(all, prompts) {
      let statistics = generator.statistics
      #expect(statistics.promptTokens + statistics.reusedTokens == prompt.count)
    }
  }

  /// A file that is not what was opened ends those that have its adapter.
  @Test func aChangedAdapterEndsItsOwnSequences() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let random = randomAdapter(model, rank: 2)
    var metadata = try AdapterMetadata(
      name: "own", baseModelSignature: model.signature(), loraRank: 2)
    metadata.statedSettings = AdapterSettings(alpha: 4, architecture: "llama")
    let path = try AdapterWriter.write(metadata, layers: random.layers, to: folder.path("own"))
    let own = AppliedAdapter(try Adapter(package: path, for: model.contract()))
    func generators() throws -> [TokenGenerator] {
      try [[own], [], [own], [random]].map {
        try TokenGenerator(
          ModelSession(model, adapters: $0, threads: 2), prompt: [1, 2],
          options: SamplingOptions(temperature: 1.5, seed: 7, maximumTokens: 12))
      }
    }
    let expected = try alone(generators())
    let all = try generators()
    let weights = FilePath.join(path, "adapter_weights.bin")
    var tokens = [[Int32]](repeating: [], count: all.count)
    try together(all) { index, token in
      tokens[index].append(token)
      if index == 3, tokens[3].count == 4 {
        let file = FileHandle(forWritingAtPath: weights)
        file?.seekToEndOfFile()
        file?.write(Data([0]))
        try? file?.close()
      }
    }
    let failure = BaseModelError.file(.changed(path: weights))
    #expect(all.map(\.failure) == [failure, nil, failure, nil])
    #expect(tokens[1] == expected[1] && tokens[3] == expected[3])
    #expect(tokens[0] == Array(expected[0].prefix(tokens[0].count)))
  }

  @Test func aCancelledSliceChangesNoSession() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let session = try ModelSession(model, contextLength: 8)
    try session.evaluate([1, 2])
    let slice = SequenceSlice(session, [3], logits: 1)
    let scheduler = Scheduler(model, width: 2, threads: 2)
    #expect(throws: BaseModelError.cancelled) { try scheduler.evaluate(slice) { true } }
    #expect(session.tokens == [1, 2])
    try scheduler.evaluate(slice) { false }
    #expect(session.tokens == [1, 2, 3])
  }
}
