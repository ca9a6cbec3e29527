import Grammars
import Kernels
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

/// Speculation changes no text: random prompts, seeds and options with it and without it.
@Suite struct SpeculationTests {
  /// 10,000 texts on each instruction set with all tests; some hundreds else.
  private static let count = runsAllTests ? 10_000 : 70

  private let folder: TemporaryDirectory
  private let plain: BaseModel
  private let bytes: BaseModel
  /// A draft that is seldom right.
  private let poor: BaseModel

  init() throws {
    folder = try TemporaryDirectory()
    plain = try TinyModel(.qwen3, hidden: 32, layers: 1, context: 40).open(in: folder)
    poor = try TinyModel(.llama, width: 16, hidden: 16, layers: 1, context: 30, seed: 9)
      .open(in: folder, "poor.gguf")
    var tiny = TinyModel(
      .llama, hidden: 32, layers: 1, vocabulary: ByteVocabulary.count, context: 96)
    for (key, value) in ByteVocabulary.metadata { tiny.set(key, value) }
    bytes = try tiny.open(in: folder, "bytes.gguf")
  }

  @Test(arguments: CPUVariant.available)
  func theTextIsTheSame(variant: CPUVariant) throws {
    var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
    var accepted = 0
    for number in 0..<Self.count {
      let texts = try (0..<[1, 1, 1, 3][number % 4]).map { _ in try text(&random) }
      let model = number % 5 == 0 ? bytes : plain
      let threads = Int.random(in: 1...2, using: &random)
      let operations = Operations(pool: WorkerPool.shared(threads: threads), variant: variant)
      let expected = try texts.map { try run([try generator($0, model, operations)])[0] }
      let generators = try zip(texts, expected).map { text, outcome in
        try generator(text, model, operations) { session in
          try speculator(knowing: text.prompt + outcome.tokens, session, &random)
        }
      }
      let found = try run(generators)
      #expect(found == expected, "text \(number), \(random), \(texts)")
      accepted += generators.reduce(0) { $0 + $1.statistics.acceptedTokens }
    }
    print("\(accepted) guesses were right in \(Self.count) texts on \(variant)")
    #expect(accepted > Self.count / 4)
  }

  // MARK: - Texts

  private struct Text {
    var prompt: [Int32]
    var options: SamplingOptions
    var stopTokens: Set<Int32>
    var grammar: Grammar?
    var adapterSeed: UInt64?
    var cache: CacheFormat?
  }

  private static let grammars = [
    Grammar(.list(.texts(["alpha", "alphabet", "beta"]), minimum: 1, maximum: 4)),
    Grammar(
      .object([
        .init("name", .texts(["Ada", "Alan"])), .init("year", .integer(minimum: nil, maximum: nil)),
      ])),
  ]

  private func text(_ random: inout SeededGenerator) throws -> Text {
    func one<T>(of values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
    // Few tokens in the prompt, so that they come again.
    let prompt = (0..<Int.random(in: 1...14, using: &random)).map { _ in
      Int32.random(in: 1...6, using: &random)
    }
    var options = SamplingOptions(
      temperature: one(of: [0, 0, 0.3, 1, 2.5]), topK: one(of: [0, 0, 1, 5]),
      topP: one(of: [1, 1, 0.7]), minP: one(of: [0, 0, 0.1]),
      repetitionPenalty: one(of: [1, 1, 1.3]), seed: random.next(),
      maximumTokens: one(of: [1, 2, 7, 20, 60]))
    options.penalizedTokens = one(of: [64, 64, 3, .max])
    options.shifts.presence = one(of: [0, 0, 1.5, -0.5])
    options.shifts.frequency = one(of: [0, 0, 0.8])
    options.shifts.biases = one(of: [[:], [:], [2: 1.5, 4: -100]])
    return Text(
      prompt: prompt, options: options,
      stopTokens: one(of: [[], [], [0], [3, 9, 17]]),
      grammar: one(of: [nil] + Self.grammars), adapterSeed: one(of: [nil, nil, 1, 2]),
      cache: one(of: [nil] + CacheFormat.allCases))
  }

  private func generator(
    _ text: Text, _ model: BaseModel, _ operations: Operations,
    speculating: (ModelSession) throws -> Speculator? = { _ in nil }
  ) throws -> TokenGenerator {
    let adapters = text.adapterSeed.map { randomAdapter(model, rank: 2, seed: $0) }
    let session = try ModelSession(
      model, adapters: adapters.map { [$0] } ?? [], cache: text.cache, operations: operations)
    let isJSON = model === bytes
    let constraint = try (isJSON ? text.grammar : nil).map {
      try GrammarConstraint(
        $0, tokenizer: model.tokenizer(), stopTokens: [ByteVocabulary.stop])
    }
    return try TokenGenerator(
      session, prompt: text.prompt, options: text.options,
      stopTokens: isJSON ? [ByteVocabulary.stop] : text.stopTokens, constraint: constraint,
      speculator: speculating(session))
  }

  // MARK: - Runs

  /// All that a caller sees.
  private struct Outcome: Equatable {
    var tokens: [Int32] = []
    var error: BaseModelError?
    var finish: GenerationStatistics.Finish?
    var logitsHash: UInt32?
    var held: [Int32] = []
  }

  private func run(_ generators: [TokenGenerator]) throws -> [Outcome] {
    var outcomes = [Outcome](repeating: Outcome(), count: generators.count)
    let session = generators[0].session
    let scheduler = Scheduler(
      session.model, width: generators.count, operations: session.operations)
    for generator in generators { scheduler.admit(generator) }
    while try scheduler.step(eachToken: { generator, token in
      if let index = generators.firstIndex(where: { $0 === generator }) {
        outcomes[index].tokens.append(token)
      }
    }) {}
    for (index, generator) in generators.enumerated() {
      outcomes[index].error = generator.failure
      outcomes[index].finish = generator.statistics.finish
      outcomes[index].logitsHash = generator.statistics.logitsHash
      outcomes[index].held = generator.session.tokens
    }
    return outcomes
  }

  // MARK: - Proposers

  /// Proposes what is said to come, which may be all right, all wrong, or nonsense.
  private final class Scripted: TokenProposer {
    let source = ProposalSource.other
    private let script: [Int32]
    private let prior: Double
    private var random: SeededGenerator
    private let wrong: Double

    init(_ script: [Int32], wrong: Double, prior: Double, _ random: inout SeededGenerator) {
      (self.script, self.wrong, self.prior) = (script, wrong, prior)
      self.random = SeededGenerator(seed: random.next())
    }

    func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
      // More than was asked for, and now and then tokens that there are none of.
      script.dropFirst(history.count).prefix(limit + 3).map { token in
        guard random.float(in: 0..<1) < Float(wrong) else {
          return ProposedToken(token, prior: prior)
        }
        let nonsense: [Int32] = [0, 7, 47, 48, -1, .max, .min]
        return ProposedToken(
          nonsense[Int.random(in: nonsense.indices, using: &random)], prior: prior, kind: 99)
      }
    }
  }

  private func speculator(
    knowing script: [Int32], _ session: ModelSession, _ random: inout SeededGenerator
  ) throws -> Speculator {
    // Costs that make long proposals worth while, or none.
    let step = Double(Int.random(in: 0...9, using: &random)) / 20
    let ratios = (0..<8).map { 1 + Double($0) * step }
    let costs = Bool.random(using: &random) ? PassCosts(ratios: ratios) : nil
    let long = script + (0..<20).map { Int32($0) }
    func scripted(_ wrong: Double, _ prior: Double = 0.9) -> Scripted {
      Scripted(long, wrong: wrong, prior: prior, &random)
    }
    func trained(_ draft: BaseModel?) throws -> Speculator {
      let store = try SuffixStore(
        [.init(script), .init(script.reversed(), count: 2)],
        vocabularySize: session.model.configuration.vocabularySize)
      let proposer = try draft.map {
        try DraftProposer(
          DraftModel($0, for: session.model), contextLength: 60, operations: session.operations)
      }
      proposer?.fixedSeconds = 0
      return Speculator(only: [StoreProposer(store)], draft: proposer, costs: costs)
    }
    return switch Int.random(in: 0..<9, using: &random) {
    case 0: Speculator(only: [scripted(0)], costs: costs)
    case 1: Speculator(only: [scripted(0.2)], costs: costs)
    case 2: Speculator(only: [scripted(1, 1)], costs: costs)
    case 3: Speculator(proposers: [scripted(0.5)], costs: costs)
    case 4: try trained(nil)
    case 5: try trained(session.model === plain ? poor : nil)
    case 6: try trained(session.model)
    default: Speculator(costs: costs)
    }
  }
}
