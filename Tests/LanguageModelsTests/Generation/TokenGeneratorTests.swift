import Dispatch
import Kernels
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct TokenGeneratorTests {
  @Test func anAdapterThatDivergedIsNamed() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let adapter = randomAdapter(model, scale: 1e38)
    let generator = try TokenGenerator(ModelSession(model, adapters: [adapter]), prompt: [1, 2])
    let failure = BaseModelError.diverged(adapters: [adapter.identifier], position: 1)
    #expect(throws: failure) { try generator.next() }
    let session = try ModelSession(model, adapters: [adapter])
    let first = BaseModelError.diverged(adapters: [adapter.identifier], position: 0)
    #expect(throws: first) { try session.evaluate([1, 2]) { _, _ in } }
    #expect(
      BaseModelError.diverged(adapters: ["fmadapter-a-0123456"], position: 1).description
        == "With fmadapter-a-0123456 the base computed a value that is not finite at position 1: the "
        + "weights are far out of range, as training that diverged leaves them; a check of the "
        + "package shows where; where it finds nothing, look for damage of the base.")
    #expect(
      BaseModelError.nonFiniteLogits(file: "b.gguf", position: 1).description
        == "b.gguf: the base computed a value that is not finite at position 1: the file is damaged, or "
        + "its weights are out of the range of their type; install it again, or convert it to BF16 "
        + "or F32.")
  }

  private func all(_ generator: TokenGenerator) throws -> [Int32] {
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    return tokens
  }

  private func model(_ folder: TemporaryDirectory) throws -> BaseModel {
    try TinyModel(.llama).open(in: folder)
  }

  @Test func greedyTokensAreTheMostLikelyOnes() throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let expected = try greedy(ModelSession(model), [1, 2, 3], count: 20)
    let generator = try TokenGenerator(
      ModelSession(model), prompt: [1, 2, 3], options: SamplingOptions(maximumTokens: 20))
    #expect(try all(generator) == expected)
    let statistics = generator.statistics
    #expect(statistics.finish == .length)
    #expect(statistics.promptTokens == 3)
    #expect(statistics.generatedTokens == 20)
    #expect(statistics.decodePasses == 19)
    #expect(statistics.logitsHash != nil)
    #expect(statistics.timeToFirstToken != nil)
  }

  @Test func sameSeedSameTokensForAnyNumberOfThreads() throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let runs = try [1, 2, 3].map { threads in
      try all(
        TokenGenerator(
          ModelSession(model, threads: threads), prompt: [5, 6],
          options: SamplingOptions(temperature: 2, seed: 42, maximumTokens: 30)))
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0] == runs[2])
    #expect(Set(runs[0]).count > 5)
  }

  @Test func aStopTokenEndsTheAnswerAndIsNotPartOfIt() throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let tokens = try greedy(ModelSession(model), [1, 2, 3], count: 20)
    let stop = tokens[4]
    let generator = try TokenGenerator(
      ModelSession(model), prompt: [1, 2, 3], stopTokens: [stop])
    #expect(try all(generator) == Array(tokens.prefix { $0 != stop }))
    #expect(generator.statistics.finish == .stopToken)
    #expect(try generator.next() == nil)
  }

  @Test func aSecondTurnReusesTheFirst() throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let options = SamplingOptions(maximumTokens: 5)
    let session = try ModelSession(model)
    let first = try all(TokenGenerator(session, prompt: [1, 2, 3], options: options))
    let prompt = [1, 2, 3] + first + [9, 8]
    let warm = try TokenGenerator(session, prompt: prompt, options: options)
    let cold = try TokenGenerator(ModelSession(model), prompt: prompt, options: options)
    #expect(try all(warm) == all(cold))
    // The last token of the first answer had not been evaluated.
    #expect(warm.statistics.reusedTokens == 7)
    #expect(warm.statistics.promptTokens == 3)
    #expect(warm.statistics.logitsHash == cold.statistics.logitsHash)
  }

  @Test func theSamePromptAgainEvaluatesItsLastToken() throws {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(model(folder))
    let options = SamplingOptions(maximumTokens: 4)
    let first = try all(TokenGenerator(session, prompt: [4, 5, 6], options: options))
    let again = try TokenGenerator(session, prompt: [4, 5, 6], options: options)
    #expect(try all(again) == first)
    #expect(again.statistics.promptTokens == 1)
  }

  @Test func runningOutOfContextIsANamedError() throws {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(model(folder), contextLength: 6)
    let generator = try TokenGenerator(session, prompt: [1, 2, 3])
    var count = 0
    #expect(throws: BaseModelError.contextExceeded(limit: 6, needed: 7)) {
      while try generator.next() != nil { count += 1 }
    }
    #expect(count == 4)
    #expect(throws: BaseModelError.contextExceeded(limit: 6, needed: 7)) {
      try TokenGenerator(session, prompt: [1, 2, 3, 4, 5, 6, 7])
    }
  }

  @Test func cancellingThrowsAndMayBeContinued() throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let expected = try greedy(ModelSession(model), [1, 2, 3], count: 3)
    let generator = try TokenGenerator(ModelSession(model), prompt: [1, 2, 3])
    #expect(throws: BaseModelError.cancelled) { try generator.next { true } }
    #expect(generator.statistics.finish == nil)
    #expect(try (0..<3).map { _ in try generator.next() } == expected)
  }

  @Test(arguments: [
    (
      SamplingOptions(temperature: -0.5),
      "The temperature is -0.5, but has to be between 0 and 100."
    ),
    (
      SamplingOptions(temperature: .nan),
      "The temperature is nan, but has to be between 0 and 100."
    ),
    (SamplingOptions(topK: -1), "The top-k is -1, but has to be 0 or more."),
    (SamplingOptions(topP: 0), "The top-p is 0.0, but has to be above 0 and at most 1."),
    (SamplingOptions(minP: 2), "The min-p is 2.0, but has to be between 0 and 1."),
    (
      SamplingOptions(repetitionPenalty: 0.5),
      "The repetition penalty is 0.5, but has to be between 1 and 100."
    ),
    (
      SamplingOptions(maximumTokens: 0),
      "The maximum number of tokens is 0, but has to be 1 or more."
    ),
  ])
  func optionsOutsideTheirRanges(options: SamplingOptions, message: String) throws {
    let error = #expect(throws: BaseModelError.self) { try options.check() }
    #expect(error?.description == message)
  }

  private static func options(_ change: (inout SamplingOptions) -> Void) -> SamplingOptions {
    var options = SamplingOptions()
    change(&options)
    return options
  }

  @Test(arguments: [
    (
      options { $0.penalizedTokens = -1 },
      "The number of penalized tokens is -1, but has to be 0 or more."
    ),
    (
      options { $0.shifts.presence = 3 },
      "The presence penalty is 3.0, but has to be between -2 and 2."
    ),
    (
      options { $0.shifts.frequency = .nan },
      "The frequency penalty is nan, but has to be between -2 and 2."
    ),
    (
      options { $0.shifts.biases = [3: 101] },
      "The bias of a token is 101.0, but has to be between -100 and 100."
    ),
    (
      options { $0.shifts.biases = [-1: 1] },
      "The token of a bias is -1, but has to be between 0 and 47."
    ),
  ])
  func penaltiesOutsideTheirRanges(options: SamplingOptions, message: String) throws {
    let session = try ModelSession(model(TemporaryDirectory()))
    let error = #expect(throws: BaseModelError.self) {
      try TokenGenerator(session, prompt: [1], options: options)
    }
    #expect(error?.description == message)
  }

  @Test func theActorStreamsTheSameTokens() async throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let expected = try greedy(ModelSession(model), [1, 2, 3], count: 10)
    let actor = try GenerationActor(model)
    var tokens: [Int32] = []
    for try await token in actor.stream([1, 2, 3], options: SamplingOptions(maximumTokens: 10)) {
      tokens.append(token)
    }
    #expect(tokens == expected)
  }

  /// More actors than Swift has threads for generate, and tasks go on.
  @Test(.timeLimit(.minutes(15))) func actorsHoldNoThreadOfOthers() async throws {
    let folder = try TemporaryDirectory()
    let model = try model(folder)
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let (opened, count) = (DispatchSemaphore(value: 0), WorkerPool.processors + 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        let actor = try GenerationActor(model)
        group.addTask {
          _ = try await actor.generate([1, 2, 3], options: SamplingOptions(maximumTokens: 1)) {
            _ in
            arrival.yield()
            opened.wait()
          }
        }
      }
      var here = 0
      for await _ in arrivals {
        here += 1
        if here == count { break }
      }
      for _ in 0..<count { opened.signal() }
      try await group.waitForAll()
    }
  }

  @Test func cancellingTheTaskCancelsTheActor() async throws {
    let folder = try TemporaryDirectory()
    let actor = try GenerationActor(model(folder))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await actor.generate([1, 2, 3]) { _ in }
    }
    await #expect(throws: BaseModelError.cancelled) { try await task.value }
  }
}
