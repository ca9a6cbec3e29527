import Adapters
import Kernels
import TestSupport
import Testing
import Tokenization

@testable import Grammars
@testable import TensorFiles

@Suite struct GrammarConstraintTests {
  private let tokenizer: Tokenizer

  init() throws {
    var writer = GGUFWriter()
    for (key, value) in ByteVocabulary.metadata { writer.set(key, value) }
    tokenizer = try Tokenizer(GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf"))
  }

  /// A text of tokens drawn from those that are allowed; nil when it has not ended after 300.
  private func text(of grammar: Grammar, seed: UInt64) throws -> String? {
    var constraint = try GrammarConstraint(
      grammar, tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    var random = SeededGenerator(seed: seed)
    var tokens: [Token] = []
    while tokens.count < 300 {
      var next = try constraint.forcedTokens()
      if next.isEmpty {
        var mask = TokenMask(count: tokenizer.count)
        try constraint.markAllowed(in: &mask)
        next =
          (0..<Token(tokenizer.count)).filter { mask[$0] }.randomElement(using: &random)
          .map { [$0] } ?? []
      }
      guard !next.isEmpty else { return nil }
      guard next != [ByteVocabulary.stop] else {
        #expect(constraint.isComplete, "seed \(seed)")
        return tokenizer.decode(tokens, isStart: false)
      }
      for token in next { try constraint.advance(past: token) }
      tokens += next
    }
    return nil
  }

  /// 200 texts: what ends parses and fits.
  @Test(arguments: 0..<20)
  func whatEndsFitsItsGrammar(group: Int) throws {
    var whole = 0
    for seed in UInt64(group * 10)..<UInt64(group * 10 + 10) {
      let grammar = RandomGrammar.make(seed: seed)
      guard let text = try text(of: grammar, seed: seed) else { continue }
      whole += 1
      let document = try JSONDocument(parsing: Array(text.utf8))
      #expect(document.duplicates.isEmpty, "seed \(seed): \(text)")
      #expect(try GrammarChecker(grammar: grammar).fits(document.root), "seed \(seed): \(text)")
    }
    #expect(whole >= 4)
  }

  @Test func theMaskIsWhatTheMachineAllows() throws {
    var random = SeededGenerator(seed: 9)
    for seed in 0..<UInt64(8) {
      let grammar = RandomGrammar.make(seed: seed)
      var constraint = try GrammarConstraint(
        grammar, tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
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
        #expect(mask[ByteVocabulary.stop] == machine.isEnd(state))
        guard let token = allowed.randomElement(using: &random) else { break }
        try constraint.advance(past: token)
        state = tokenizer.bytes(of: token).reduce(state) { machine.next($0, $1) }
      }
    }
  }

  @Test func whatCannotBeEnforcedIsRefusedAtOnce() throws {
    #expect(throws: GrammarDefect.emptyChoice) {
      try GrammarConstraint(Grammar(.choice([])), tokenizer: tokenizer, stopTokens: [0])
    }
    #expect(throws: GrammarDefect.noStopToken) {
      try GrammarConstraint(Grammar(.null), tokenizer: tokenizer, stopTokens: [])
    }
  }
}
