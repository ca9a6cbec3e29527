import Dispatch
import Grammars
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct ConversationProposerTests {
  private func proposal(_ history: [Int32], limit: Int = 4) -> [Int32] {
    ConversationProposer().propose(after: history, limit: limit).map(\.token)
  }

  @Test func theLongestMatchWins() {
    #expect(proposal([1, 2, 3, 8, 9, 2, 3, 7, 7, 1, 2, 3]) == [8, 9, 2, 3])
  }

  @Test func theLatestOfEqualMatchesWins() {
    #expect(proposal([3, 8, 3, 9, 5, 3]) == [9, 5, 3, 9])
  }

  @Test func periodsGoOn() {
    #expect(proposal([4, 5, 6, 4, 5, 6], limit: 7) == [4, 5, 6, 4, 5, 6, 4])
    #expect(proposal([4, 4], limit: 3) == [4, 4, 4])
  }

  @Test func withoutAMatchThereIsNoIdea() {
    for history in [[], [1], [1, 2, 3]] as [[Int32]] { #expect(proposal(history) == []) }
    #expect(proposal([1, 1], limit: 0) == [])
  }

  @Test func longerMatchesSeemLikelier() {
    let priors = (1...30).map { length in
      let text = (0..<length).map { Int32(100 + $0) }
      return ConversationProposer().propose(after: text + [1, 2] + text, limit: 1)[0].prior
    }
    #expect(zip(priors, priors.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(priors.allSatisfy { (0..<1).contains($0) })
  }
}

@Suite struct PassCostsTests {
  @Test func moreTokensNeverCostLess() {
    let costs = PassCosts(ratios: [1, 1.2, 0.9, 1.1])
    let ratios = (1...80).map { costs.ratio($0) }
    #expect(ratios[0] == 1)
    #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func proposalsAreWorthWhatTheyCost() {
    let cheap = PassCosts(ratios: [1, 1.01, 1.02, 1.03])
    let dear = PassCosts(ratios: [1, 2, 3, 4])
    let sure = [0.9, 0.8, 0.7]
    #expect(cheap.best([sure], rows: 1) == [3])
    #expect(dear.best([sure], rows: 1) == [0])
    #expect(cheap.best([[0.001, 0.001]], rows: 1) == [0])
    #expect(cheap.best([], rows: 1) == [])
    #expect(cheap.best([[]], rows: 1) == [0])
    // The likelier proposals of all turns go first.
    let steep = PassCosts(ratios: [1, 1, 1.1, 9])
    #expect(steep.best([[0.1], [0.9]], rows: 2) == [0, 1])
  }

  @Test func theyAreLearnedFromPasses() {
    var costs = PassCosts(ratios: [1, 1, 1, 1])
    for _ in 0..<200 {
      costs.note(1, .milliseconds(10))
      costs.note(4, .milliseconds(20))
    }
    #expect(abs(costs.ratio(4) - 2) < 0.2)
    #expect(abs(costs.time(1) - 0.01) < 0.002)
    // What is not tried for long seems usual again.
    for _ in 0..<10_000 { costs.note(1, .milliseconds(10)) }
    #expect(costs.ratio(4) < 1.1)
    // One that was disturbed changes little, and what cannot be is ignored.
    let before = costs.time(1)
    costs.note(1, .seconds(100))
    #expect(costs.time(1) < before * 1.2)
    let learned = costs
    costs.note(0, .seconds(1))
    costs.note(99, .seconds(1))
    costs.note(1, .zero)
    #expect(costs == learned)
  }

  /// A batch has no passes of one token, and more tokens than any pass that was measured.
  @Test func largePassesOfSeveralTextsAreLearned() {
    var costs = PassCosts(ratios: (0..<8).map { 1 + 0.05 * Double($0) })
    let sure = Array(repeating: [0.8, 0.6, 0.5], count: 4)
    #expect(costs.best(sure, rows: 4) == [3, 3, 3, 3])
    for _ in 0..<20 {
      costs.note(4, turns: 4, .milliseconds(12))
      costs.note(16, turns: 4, .milliseconds(60))
    }
    #expect(abs(costs.time(16) / costs.time(4) - 5) < 0.5)
    #expect(costs.best(sure, rows: 4) != [3, 3, 3, 3])
    costs.note(64, turns: 4, .milliseconds(240))
    #expect(costs.ratio(64) > costs.ratio(63))
  }

  @Test func attentionCostsEachTokenOfAPass() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let costs = PassCosts(ratios: [1, 1.1, 1.2, 1.3]).over(model)
    #expect(costs.ratio(4) == PassCosts(ratios: [1, 1.1, 1.2, 1.3]).ratio(4))
    let (one, four) = (costs.ratio(1, after: 50) - 1, costs.ratio(4, after: 50) - costs.ratio(4))
    #expect(one > 0 && abs(four / one - 4) < 1e-9)
    // What is fast at first is not worth its time after a long context.
    let proposal = [[0.15]]
    #expect(costs.best(proposal, rows: 1) == [1])
    #expect(costs.best(proposal, rows: 1, after: 100_000) == [0])
  }

  /// What one session learns is not lost to what another has learned meanwhile; of four times, not even by chance.
  @Test(arguments: 0..<4) func sessionsLearnTogether(_: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    var expected = model.passCosts
    let (threads, passes) = (4, 20_001)
    for _ in 0..<threads * passes { expected.note(1, .milliseconds(10)) }
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      for _ in 0..<passes { model.notePass(1, .milliseconds(10)) }
    }
    #expect(model.passCosts == expected)
  }

  @Test func theyAreMeasured() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let costs = try PassCosts.measure(model, threads: 1, repetitions: 1)
    #expect(costs.ratios.count == PassCosts.count)
    #expect(costs.ratios[0] == 1)
    #expect(costs.time(1) > 0 && costs.time(1) < 10)
    #expect(throws: BaseModelError.cancelled) {
      try PassCosts.measure(model, threads: 1, isCancelled: { true })
    }
    let narrow = try TinyModel(.llama, context: 1).open(in: folder, "narrow.gguf")
    #expect(try PassCosts.measure(narrow, threads: 1).ratios.count == PassCosts.count)
  }
}

@Suite struct SpeculatorTests {
  /// Proposes the same tokens each time.
  private final class Fixed: TokenProposer {
    let source = ProposalSource.other
    let tokens: [Int32]
    init(_ tokens: [Int32]) { self.tokens = tokens }
    func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
      tokens.map { ProposedToken($0, prior: 0.9) }
    }
  }

  private func request(limit: Int = 5) -> Speculator.Request {
    Speculator.Request(
      history: [1], limit: limit,
      sampler: Sampler(SamplingOptions(), seed: 1, vocabularySize: 48))
  }

  private func first(_ speculator: Speculator) -> Double {
    var constraint: (any TokenConstraint)?
    return speculator.candidates(request(), constraint: &constraint) { false }
      .first?.probability ?? 0
  }

  @Test func whatIsWrongIsTriedNoMoreAndWhatIsRightAgain() {
    let speculator = Speculator(only: [Fixed([5])])
    let begin = first(speculator)
    for _ in 0..<30 {
      _ = first(speculator)
      speculator.note(6)
    }
    let low = first(speculator)
    #expect(begin > 0.8 && low < 0.1)
    #expect(PassCosts().best([[low]], rows: 1) == [0])
    for _ in 0..<30 {
      _ = first(speculator)
      speculator.note(5)
    }
    #expect(first(speculator) > 0.5)
  }

  @Test(arguments: [0, 1.0])
  func aDraftThatIsWrongOrSlowIsAskedSeldom(acceptance: Double) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama, width: 16, hidden: 16, layers: 1, context: 1024)
      .open(in: folder)
    let options = SamplingOptions(maximumTokens: 1000)
    let plain = try TokenGenerator(
      ModelSession(model, threads: 1), prompt: [1, 2, 3], options: options)
    var script: [Int32] = [1, 2, 3]
    while let token = try plain.next() { script.append(token) }
    let session = try ModelSession(model, threads: 1)
    let draft = try DraftProposer(
      DraftModel(model, for: model), contextLength: 1024, operations: session.operations)
    draft.replacement = Replacement(script, acceptance: acceptance, seed: 0)
    draft.fixedSeconds = 1
    let speculator = Speculator(only: [], draft: draft, costs: PassCosts(ratios: [1, 1.1]))
    let generator = try TokenGenerator(
      session, prompt: [1, 2, 3], options: options, speculator: speculator)
    var drawn: [Int] = []
    while try generator.next() != nil { drawn.append(draft.drawn) }
    // So slow it is never worth its time: after 8, 16, 32 … tokens it is looked at again, or each 8 where it
    // is right.
    #expect(draft.drawn > 5 && draft.drawn < (acceptance == 0 ? 40 : 250))
    #expect(acceptance > 0 || draft.drawn - drawn[drawn.count / 2] <= 2)
    #expect(generator.statistics.decodePasses + generator.statistics.acceptedTokens == 999)
  }

  @Test func theBetterOneIsTaken() {
    var constraint: (any TokenConstraint)?
    let speculator = Speculator(only: [Fixed([5]), Fixed([6, 7])])
    let found = speculator.candidates(request(limit: 5), constraint: &constraint) { false }
    #expect(found.map(\.token) == [6, 7])
    let less = speculator.candidates(request(limit: 1), constraint: &constraint) { false }
    #expect(less.map(\.token) == [5])
    #expect(speculator.candidates(request(limit: 0), constraint: &constraint) { false }.isEmpty)
  }

  @Test func passesAreSavedAndCounted() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let options = SamplingOptions(maximumTokens: 40)
    func run(_ speculator: Speculator?) throws -> GenerationStatistics {
      let generator = try TokenGenerator(
        ModelSession(model), prompt: [1, 2, 3], options: options, speculator: speculator)
      while try generator.next() != nil {}
      return generator.statistics
    }
    // Greedy texts of so small a base become periods soon.
    let (plain, fast) = (try run(nil), try run(Speculator(costs: PassCosts(ratios: [1, 1, 1]))))
    #expect(plain.decodePasses == 39)
    #expect(fast.decodePasses < 30)
    #expect(fast.decodedTokens == plain.decodedTokens)
    #expect(fast.decodePasses + fast.acceptedTokens == 39)
    #expect(fast.proposedTokens >= fast.acceptedTokens)
    #expect(Set(fast.proposals.keys) == [.conversation])
    #expect(plain.proposedTokens == 0 && plain.proposals.isEmpty)
    #expect(fast.logitsHash == plain.logitsHash)
  }
}
