import Adapters
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct GrammarConstraintTests {
  private let folder: TemporaryDirectory
  private let model: LanguageModel

  init() throws {
    folder = try TemporaryDirectory()
    model = try GrammarSample.model(in: folder)
  }

  private struct Run {
    var tokens: [Token] = []
    var text = ""
    var statistics = GenerationStatistics()
    var error: LanguageModelError?
  }

  private func run(
    _ grammar: Grammar, seed: UInt64, maximumTokens: Int = 300, isForced: Bool = true
  ) throws -> Run {
    let tokenizer = try model.tokenizer()
    let constraint = try GrammarConstraint(
      grammar, tokenizer: tokenizer, stopTokens: [GrammarSample.stop])
    let generator = try TokenGenerator(
      ModelSession(model, threads: 1), prompt: [1, 2, 3],
      options: GenerationOptions(temperature: 2, seed: seed, maximumTokens: maximumTokens),
      stopTokens: [GrammarSample.stop],
      constraint: isForced ? constraint : Unforced(constraint: constraint))
    var run = Run()
    do throws(LanguageModelError) {
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

    mutating func markAllowed(in mask: inout TokenMask) throws(LanguageModelError) {
      try constraint.markAllowed(in: &mask)
    }

    mutating func advance(past token: Token) throws(LanguageModelError) {
      try constraint.advance(past: token)
    }
  }

  /// 200 generations: what ends by itself parses and fits, what is cut says so.
  @Test(arguments: 0..<20)
  func whatEndsFitsItsGrammar(group: Int) throws {
    var whole = 0
    for seed in UInt64(group * 10)..<UInt64(group * 10 + 10) {
      let grammar = RandomGrammar.make(seed: seed)
      let run = try run(grammar, seed: seed)
      guard run.statistics.finish == .stopToken else {
        #expect(run.error != nil || run.statistics.finish == .length, "seed \(seed)")
        continue
      }
      whole += 1
      let document = try JSONDocument(parsing: Array(run.text.utf8))
      #expect(document.duplicates.isEmpty, "seed \(seed): \(run.text)")
      #expect(try GrammarChecker(grammar: grammar).fits(document.root), "seed \(seed): \(run.text)")
    }
    #expect(whole >= 4)
  }

  @Test(arguments: [3, 14, 15])
  func theSameSeedGivesTheSameText(seed: UInt64) throws {
    let grammar = RandomGrammar.make(seed: seed)
    let (first, second) = (try run(grammar, seed: seed), try run(grammar, seed: seed))
    #expect(first.tokens == second.tokens)
  }

  private let card = Grammar(
    .object([
      .init("first name", .texts(["Ada", "Alan"])),
      .init("year of birth", .integer(minimum: JSONNumber(1900), maximum: JSONNumber(1999))),
    ]))

  @Test func textThatIsForcedCostsNoPass() throws {
    let (forced, free) = (try run(card, seed: 5), try run(card, seed: 5, isForced: false))
    for run in [forced, free] {
      #expect(run.statistics.finish == .stopToken)
      #expect(run.statistics.promptTokens == 3)
      #expect(
        try GrammarChecker(grammar: card).fits(JSONDocument(parsing: Array(run.text.utf8)).root))
    }
    #expect(forced.text.hasPrefix(#"{"first name": "A"#))
    #expect(forced.statistics.decodePasses * 2 < free.statistics.decodePasses)
  }

  @Test func aCutTextSaysSo() throws {
    let run = try run(card, seed: 5, maximumTokens: 12)
    #expect(run.statistics.finish == .length)
    #expect(run.tokens.count == 12)
  }

  @Test func theContextMayEndBeforeTheText() throws {
    let run = try run(
      Grammar(.list(.null, minimum: 500, maximum: nil)), seed: 5, maximumTokens: 5000)
    #expect(run.error == .contextExceeded(limit: 640, needed: 641))
  }

  @Test func theMaskIsWhatTheMachineAllows() throws {
    let tokenizer = try model.tokenizer()
    var random = SeededGenerator(seed: 9)
    for seed in 0..<UInt64(8) {
      let grammar = RandomGrammar.make(seed: seed)
      var constraint = try GrammarConstraint(
        grammar, tokenizer: tokenizer, stopTokens: [GrammarSample.stop])
      var machine = GrammarMachine(try GrammarCompiler.compile(grammar))
      var state = machine.start
      for _ in 0..<30 {
        var mask = TokenMask(count: tokenizer.count)
        try constraint.markAllowed(in: &mask)
        let allowed = (1..<Token(tokenizer.count)).filter { token in
          tokenizer.bytes(of: token).reduce(state) {
            $0 == GrammarMachine.dead ? $0 : machine.next($0, $1)
          }
            != GrammarMachine.dead
        }
        #expect((1..<Token(tokenizer.count)).filter { mask[$0] } == allowed, "seed \(seed)")
        #expect(mask[GrammarSample.stop] == machine.isEnd(state))
        guard let token = allowed.randomElement(using: &random) else { break }
        try constraint.advance(past: token)
        state = tokenizer.bytes(of: token).reduce(state) { machine.next($0, $1) }
      }
    }
  }

  @Test func whatCannotBeEnforcedIsRefusedAtOnce() throws {
    let tokenizer = try model.tokenizer()
    #expect(throws: LanguageModelError.grammar(.emptyChoice)) {
      try GrammarConstraint(Grammar(.choice([])), tokenizer: tokenizer, stopTokens: [0])
    }
    #expect(throws: LanguageModelError.grammar(.noStopToken)) {
      try GrammarConstraint(Grammar(.null), tokenizer: tokenizer, stopTokens: [])
    }
  }
}
