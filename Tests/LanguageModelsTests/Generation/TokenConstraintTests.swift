import Grammars
import JSON
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

/// Allows a fixed set of tokens at each step, then the stop token alone.
private struct Steps: TokenConstraint {
  var steps: [Set<Int32>]
  let stop: Int32

  mutating func markAllowed(in mask: inout TokenMask) {
    for token in steps.first ?? [stop] { mask[token] = true }
  }

  mutating func advance(past token: Int32) { steps.removeFirst() }
}

@Suite struct TokenConstraintTests {
  private func run(
    _ steps: [Set<Int32>], _ options: SamplingOptions = SamplingOptions()
  ) throws -> [Int32] {
    let folder = try TemporaryDirectory()
    let generator = try TokenGenerator(
      ModelSession(TinyModel(.llama).open(in: folder)), prompt: [1, 2, 3], options: options,
      stopTokens: [0], constraint: Steps(steps: steps, stop: 0))
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    #expect(generator.statistics.finish == .stopToken)
    return tokens
  }

  @Test(arguments: [
    SamplingOptions(), SamplingOptions(temperature: 3, seed: 1),
    SamplingOptions(temperature: 3, topK: 2, seed: 1),
    SamplingOptions(temperature: 3, topP: 0.9, seed: 1),
    SamplingOptions(temperature: 3, minP: 0.01, seed: 1),
  ])
  func noOtherTokenComes(options: SamplingOptions) throws {
    let steps: [Set<Int32>] = [[7], [5, 9], [8], [4, 5, 6]]
    let tokens = try run(steps, options)
    #expect(tokens.count == steps.count)
    for (token, allowed) in zip(tokens, steps) { #expect(allowed.contains(token)) }
  }

  @Test func theLikeliestOfThoseThatAreAllowedComes() throws {
    let free = try greedyLogits()
    let allowed: Set<Int32> = [4, 5, 6, 7]
    let best = allowed.sorted().max { free[Int($0)] < free[Int($1)] }
    #expect(try run([allowed]).first == best)
  }

  @Test func anEmptySetIsAnError() throws {
    #expect(throws: BaseModelError.noTokenAllowed(position: 4)) { try run([[7], []]) }
  }

  /// Gives up at the first token that has come.
  private struct Refusing: TokenConstraint {
    mutating func markAllowed(in mask: inout TokenMask) { mask[7] = true }
    mutating func advance(past token: Int32) throws(GrammarDefect) { throw .endless }
  }

  @Test func whatTheConstraintThrowsIsTheGeneratorsError() throws {
    let folder = try TemporaryDirectory()
    let generator = try TokenGenerator(
      ModelSession(TinyModel(.llama).open(in: folder)), prompt: [1, 2, 3],
      constraint: Refusing())
    #expect(throws: BaseModelError.grammar(.endless)) { try generator.next() }
    #expect(generator.statistics.generatedTokens == 0)
  }

  private func greedyLogits() throws -> [Float] {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(TinyModel(.llama).open(in: folder))
    try session.evaluate([1, 2, 3])
    return try #require(session.logits)
  }
}

/// Generations that a grammar holds to its form.
@Suite struct GrammarGenerationTests {
  private let folder: TemporaryDirectory
  private let model: BaseModel

  init() throws {
    folder = try TemporaryDirectory()
    var tiny = TinyModel(.llama, vocabulary: ByteVocabulary.count, context: 640)
    for (key, value) in ByteVocabulary.metadata { tiny.set(key, value) }
    model = try tiny.open(in: folder)
  }

  private struct Run {
    var tokens: [Token] = []
    var text = ""
    var statistics = GenerationStatistics()
    var error: BaseModelError?
  }

  private func run(
    _ grammar: Grammar, seed: UInt64, maximumTokens: Int = 300, isForced: Bool = true
  ) throws -> Run {
    let tokenizer = try model.tokenizer()
    let constraint = try GrammarConstraint(
      grammar, tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    let generator = try TokenGenerator(
      ModelSession(model, threads: 1), prompt: [1, 2, 3],
      options: SamplingOptions(temperature: 2, seed: seed, maximumTokens: maximumTokens),
      stopTokens: [ByteVocabulary.stop],
      constraint: isForced ? constraint : Unforced(constraint: constraint))
    var run = Run()
    do throws(BaseModelError) {
      while let token = try generator.next() { run.tokens.append(token) }
    } catch {
      run.error = error
    }
    run.text = tokenizer.decode(run.tokens, isStart: false)
    run.statistics = generator.statistics
    return run
  }

  /// A constraint whose text comes token by token.
  private struct Unforced: TokenConstraint {
    var constraint: GrammarConstraint

    mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect) {
      try constraint.markAllowed(in: &mask)
    }

    mutating func advance(past token: Token) throws(GrammarDefect) {
      try constraint.advance(past: token)
    }
  }

  @Test(arguments: [3, 14, 15])
  func theSameSeedGivesTheSameText(seed: UInt64) throws {
    let grammar = Grammar(.list(.anything, minimum: 1, maximum: 4))
    let (first, second) = (try run(grammar, seed: seed), try run(grammar, seed: seed))
    #expect(first.tokens == second.tokens)
    if first.statistics.finish == .stopToken {
      #expect(throws: Never.self) { try JSONDocument(parsing: Array(first.text.utf8)) }
    }
  }

  private let card = Grammar(
    .object([
      .init("first name", .texts(["Ada", "Alan"])),
      .init("year of birth", .integer(minimum: JSONNumber(1900), maximum: JSONNumber(1999))),
    ]))

  @Test func textThatIsForcedCostsNoPass() throws {
    let (forced, free) = (try run(card, seed: 5), try run(card, seed: 5, isForced: false))
    let form = /\{"first name": "(Ada|Alan)", "year of birth": 19\d\d\}/
    for run in [forced, free] {
      #expect(run.statistics.finish == .stopToken)
      #expect(run.statistics.promptTokens == 3)
      #expect(run.text.wholeMatch(of: form) != nil, "\(run.text)")
    }
    #expect(forced.statistics.decodePasses * 2 < free.statistics.decodePasses)
  }

  @Test func aCutTextSaysSo() throws {
    let run = try run(card, seed: 5, maximumTokens: 12)
    #expect(run.statistics.finish == .length)
    #expect(run.tokens.count == 12)
  }

  /// Nothing but the end could come behind it.
  @Test func aTextThatJustFitsIsWhole() throws {
    let grammar = Grammar(.literal(.array([.bool(true), .null])))
    let count = try run(grammar, seed: 5).tokens.count
    let whole = try run(grammar, seed: 5, maximumTokens: count)
    #expect(whole.text == "[true, null]" && whole.statistics.finish == .stopToken)
    let cut = try run(grammar, seed: 5, maximumTokens: count - 1)
    #expect(cut.tokens.count == count - 1 && cut.statistics.finish == .length)
    // More digits could come.
    let number = try run(
      Grammar(.integer(minimum: JSONNumber(0), maximum: nil)), seed: 5, maximumTokens: 1)
    #expect((number.text == "0") == (number.statistics.finish == .stopToken), "\(number.text)")
  }

  @Test func theContextMayEndBeforeTheText() throws {
    let run = try run(
      Grammar(.list(.null, minimum: 500, maximum: nil)), seed: 5, maximumTokens: 5000)
    #expect(run.error == .contextExceeded(limit: 640, needed: 641))
  }
}

@Suite struct TokenMaskTests {
  @Test(arguments: [(100, 64), (100, 70), (64, 100), (130, 130), (70, 200), (200, 63)])
  func sizesOfVocabulariesChange(from: Int, to: Int) {
    let tokens = stride(from: 0, to: from, by: 3)
    let resized = TokenMask(count: from, marking: tokens).resized(to: to)
    #expect(resized == TokenMask(count: to, marking: tokens.filter { $0 < to }))
  }
}
