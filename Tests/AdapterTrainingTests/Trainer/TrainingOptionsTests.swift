import JSON
import LanguageModels
import Testing

@testable import AdapterTraining

@Suite struct TrainingOptionsTests {
  @Test func optionsAreReadAsTheyWereWritten() throws {
    #expect(try TrainingOptions(json: TrainingOptions().json) == TrainingOptions())
    var options = TrainingOptions()
    (options.rank, options.alpha, options.targets) = (8, 12.5, [.query, .down])
    (options.dropout, options.epochs, options.steps) = (0.25, 7, 90)
    (options.learningRate, options.schedule, options.warmupSteps) = (0.0043, .linear, 3)
    (options.warmupEpochs, options.weightDecay, options.maximumGradientNorm) = (2, 0.1, 0.5)
    (options.tokensPerStep, options.examplesPerStep, options.accumulation) = (300, 4, 2)
    (options.contextLength, options.arrangement, options.seed) = (64, .packed, .max)
    (options.averaging, options.extensions) = (0.125, 3)
    (options.objective, options.beta) = (.orpo, 0.25)
    let read = try TrainingOptions(json: options.json)
    #expect(read == options)
    #expect(read.fingerprint == options.fingerprint)
    #expect(read.fingerprint != TrainingOptions().fingerprint)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let key: String
    let value: JSONValue
    let text: String
    var testDescription: String { key }
  }

  static let bad = [
    Bad(
      key: "speed", value: .string("fast"),
      text: "the option 'speed' is \"fast\", but has to be in the options that a training writes"),
    Bad(
      key: "rank", value: .string("4"),
      text: "the option 'rank' is \"4\", but has to be in the options that a training writes"),
    Bad(
      key: "dropout", value: .number(JSONNumber(1.5)),
      text: "the dropout is 1.5, but has to be in 0.0 to 0.99"),
    Bad(
      key: "accumulation", value: .number(JSONNumber(0)),
      text: "the number of batches in a step is 0.0, but has to be in 1.0 to 1000000.0"),
  ]

  @Test(arguments: bad) func otherOptionsAreRefused(_ bad: Bad) {
    let error = #expect(throws: TrainingError.self) {
      try TrainingOptions(json: [bad.key: bad.value])
    }
    #expect(error?.description == bad.text)
  }

  /// A hundred short examples get as many steps as hundreds do; many are not seen more than three times.
  @Test func smallSetsGetManySmallSteps() throws {
    let fixture = try GradientFixture("llama")
    func options(_ count: Int) -> TrainingOptions {
      TrainingOptions(
        for: (0..<count).map {
          TokenizedExample(line: $0, tokens: Array(repeating: 1, count: 25), trained: [20..<25])
        }, on: fixture.model)
    }
    func steps(_ count: Int) -> Int {
      let options = options(count)
      return count * 25 * options.epochs / options.tokensPerStep
    }
    #expect(options(100).epochs == 21 && options(20).epochs == 30)
    #expect(options(100).tokensPerStep == 240 && steps(100) >= 200)
    #expect(options(20_000).epochs == 3 && options(20_000).tokensPerStep == 2048)
    #expect(steps(3000) >= 199 && options(3000).epochs == 3)
  }

  /// What does not fit into the context is not learnt, so it decides nothing.
  @Test func aLongExampleChangesNoPlan() throws {
    let fixture = try GradientFixture("llama")
    func example(_ count: Int) -> TokenizedExample {
      TokenizedExample(
        line: 1, tokens: Array(repeating: 1, count: count), trained: [count - 5..<count])
    }
    let short = (0..<40).map { _ in example(25) }
    #expect(
      TrainingOptions(for: short + [example(9000)], on: fixture.model, context: 30)
        == TrainingOptions(for: short, on: fixture.model, context: 30))
  }

  /// Whoever says how often examples are seen gets that; settings from before trainings went on repeat them as they were.
  @Test func onlyATrainingWhoseLengthNobodyChoseGoesOn() throws {
    let fixture = try GradientFixture("llama")
    #expect(TrainingOptions(for: fixture.examples, on: fixture.model).extensions == 2)
    #expect(TrainingOptions(for: fixture.examples, on: fixture.model, epochs: 3).extensions == 0)
    #expect(try TrainingOptions(json: ["epochs": .number(JSONNumber(3))]).extensions == 0)
    #expect(TrainingOptions().json["extensions"] == nil)
  }

  @Test func updatesOfAnyRankAreAsStrong() throws {
    #expect(TrainingOptions.usualAlpha(rank: 16) == 64)
    #expect(TrainingOptions.usualAlpha(rank: 3) == 27.71)
    let fixture = try GradientFixture("llama")
    #expect(TrainingOptions(for: fixture.examples, on: fixture.model).alpha == 64)
    #expect(TrainingOptions().alpha == 16)
  }

  /// A stopped training goes on whether its settings have the seed as a number or as a text.
  @Test func theFormOfTheSeedDecidesNothing() throws {
    let read = try [JSONValue.seed(7), .string("7")].map { try TrainingOptions(json: ["seed": $0]) }
    #expect(read.allSatisfy { $0.seed == 7 && $0.fingerprint.contains(#""seed": "7""#) })
  }

  /// Settings from before there was a mean repeat the training without one.
  @Test func theMeanIsUsualAndNotTheDefaultOfSettings() throws {
    let fixture = try GradientFixture("llama")
    #expect(TrainingOptions(for: fixture.examples, on: fixture.model).averaging == 0.04)
    #expect(try TrainingOptions(json: ["rank": .number(JSONNumber(8))]).averaging == 0)
  }

  /// What a training goes on for has a schedule of its own.
  @Test func theRateOfMoreStepsRisesAndFallsAnew() {
    let first = LearningRate(highest: 1, warmup: 2, steps: 5)
    let more = LearningRate(highest: 1, warmup: 2, begin: 5, steps: 5)
    for step in 0..<5 { #expect(more.at(5 + step) == first.at(step)) }
  }

  @Test(arguments: [
    (TrainingOptions.Schedule.cosine, [0.5, 1, 1, 0.75, 0.25]),
    (.linear, [0.5, 1, 1, 0.667, 0.333]), (.constant, [0.5, 1, 1, 1, 1]),
  ]) func theRateRisesAndFalls(_ schedule: TrainingOptions.Schedule, _ expected: [Double]) {
    let rate = LearningRate(highest: 1, schedule: schedule, warmup: 2, steps: 5)
    for (step, value) in expected.enumerated() { #expect(abs(rate.at(step) - value) < 1e-3) }
  }
}
