import JSON
import SystemFiles
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

  /// 70 texts, 200 with all tests: what ends parses and fits.
  @Test(arguments: 0..<(runsAllTests ? 20 : 7))
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

  /// The longer such a text is, the more ways there are to read it, and each beginning is unlike all others.
  @Test func whatCanBeReadInTooManyWaysIsRefused() throws {
    var constraint = try GrammarConstraint(
      Grammar(.pattern(".*a.{300}|.*b.{299}")), tokenizer: tokenizer,
      stopTokens: [ByteVocabulary.stop])
    constraint.work = (atAll: 10_000, perByte: 100)
    let error = #expect(throws: GrammarDefect.self) {
      for byte in ("\"" + String(repeating: "ab", count: 200)).utf8 {
        try constraint.advance(past: Token(byte) + 1)
        var mask = TokenMask(count: tokenizer.count)
        try constraint.markAllowed(in: &mask)
      }
    }
    #expect(error == .tooAmbiguous)
  }

  @Test(.timeLimit(.minutes(15))) func longChainsOfReferencesAreFollowed() throws {
    let count = 100_000
    var rules = ["r\(count)": Grammar.Rule.null]
    for index in 0..<count { rules["r\(index)"] = .reference("r\(index + 1)") }
    var constraint = try GrammarConstraint(
      Grammar(.reference("r0"), rules: rules), tokenizer: tokenizer,
      stopTokens: [ByteVocabulary.stop])
    #expect(try tokenizer.decode(constraint.forcedTokens(), isStart: false) == "null")
  }

  @Test func choicesInsideOfTooManyChoicesAreRefused() throws {
    let count = 100_000
    var rules = ["r\(count)": Grammar.Rule.null]
    for index in 0..<count {
      rules["r\(index)"] = .choice([.reference("r\(index + 1)"), .boolean])
    }
    let error = #expect(throws: GrammarDefect.self) {
      try GrammarConstraint(
        Grammar(.reference("r0"), rules: rules), tokenizer: tokenizer,
        stopTokens: [ByteVocabulary.stop])
    }
    #expect(error == .tooLarge(limit: 200_000))
  }

  /// Texts that a grammar leads to are continuations of each of their beginnings, with the same tokens forced; and looking
  /// ahead leaves no trace.
  @Test(arguments: 0..<(runsAllTests ? 40 : 16) as Range<UInt64>)
  func textsAreContinuations(seed: UInt64) throws {
    var constraint = try GrammarConstraint(
      RandomGrammar.make(seed: seed), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    let untouched = constraint
    var random = SeededGenerator(seed: seed)
    var path: [PossibleToken] = []
    while path.count < 60 {
      let forced = try constraint.forcedTokens()
      var mask = TokenMask(count: tokenizer.count)
      try constraint.markAllowed(in: &mask)
      mask[ByteVocabulary.stop] = false
      let allowed = (0..<Token(tokenizer.count)).filter { mask[$0] }
      let next = forced.isEmpty ? allowed.randomElement(using: &random).map { [$0] } ?? [] : forced
      guard !next.isEmpty else { break }
      for token in next {
        try constraint.advance(past: token)
        path.append(PossibleToken(token: token, isForced: !forced.isEmpty))
      }
    }
    for start in path.indices where start == 0 || !path[start - 1].isForced && !path[start].isForced
    {
      var one = untouched
      for step in path[..<start] { try one.advance(past: step.token) }
      var (before, after) = (TokenMask(count: tokenizer.count), TokenMask(count: tokenizer.count))
      var copy = one
      try copy.markAllowed(in: &before)
      let rest = Array(path[start...])
      let tokens = rest.map(\.token)
      #expect(one.continuation(of: tokens, limit: rest.count) == rest)
      #expect(one.continuation(of: tokens, limit: 1) == Array(rest.prefix(1)))
      // What is forced comes without being proposed, and instead of something else.
      let forced = Array(rest.prefix(while: \.isForced))
      #expect(one.continuation(of: [], limit: forced.count) == forced)
      #expect(one.continuation(of: [-1, 9999], limit: forced.count) == forced)
      for token in [-1, ByteVocabulary.stop, .max] where forced.isEmpty {
        #expect(one.continuation(of: [token], limit: 5) == [])
      }
      try one.markAllowed(in: &after)
      #expect(before == after)
    }
  }

  @Test func aForbiddenTokenEndsAProposal() throws {
    var constraint = try GrammarConstraint(
      Grammar(.texts(["ab", "cd"])), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    func token(_ text: String) -> Token { tokenizer.encode(text)[0] }
    try constraint.advance(past: token("\""))
    // Behind the a only one text is left, whatever was proposed.
    let found = constraint.continuation(of: [token("a"), token("d"), token("a")], limit: 9)
    #expect(tokenizer.decode(found.map(\.token), isStart: false) == "ab\"")
    #expect(found.map(\.isForced).first == false)
    #expect(constraint.continuation(of: [token("d")], limit: 9) == [])
  }

  @Test(arguments: 0..<UInt64(8))
  func theMaskIsWhatTheMachineAllows(seed: UInt64) throws {
    try expectMasksOfTheMachine(
      RandomGrammar.make(seed: seed), tokenizer, stop: ByteVocabulary.stop, steps: 30, seed: seed)
  }

  /// Pieces of many characters, of parts of characters, with quotes inside and without.
  @Test(arguments: [
    Grammar.Rule.text, .sizedText(minimum: 0, maximum: 3), .sizedText(minimum: 2, maximum: 40),
    .sizedText(minimum: 4, maximum: nil), .dictionary(.text), .pattern(".{0,9}\\d+"),
    .choice([.sizedText(minimum: 0, maximum: 5), .list(.text, minimum: 0, maximum: 2)]),
    .number(minimum: nil, maximum: nil),
    .integer(minimum: JSONNumber(-15), maximum: JSONNumber(1207)),
  ])
  func theMaskOfTextsIsWhatTheMachineAllows(rule: Grammar.Rule) throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let tokenizer = try Tokenizer(GGUFFile(path: base))
    let stop = try #require(tokenizer.endsOfGeneration.first)
    for seed in 0..<UInt64(3) {
      try expectMasksOfTheMachine(Grammar(rule), tokenizer, stop: stop, steps: 8, seed: seed)
    }
  }

  /// Each token by itself, byte for byte.
  private func expectMasksOfTheMachine(
    _ grammar: Grammar, _ tokenizer: Tokenizer, stop: Token, steps: Int, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var constraint = try GrammarConstraint(grammar, tokenizer: tokenizer, stopTokens: [stop])
    var machine = GrammarMachine(try GrammarCompiler.compile(grammar))
    var state = machine.start
    for _ in 0..<steps {
      var mask = TokenMask(count: tokenizer.count)
      try constraint.markAllowed(in: &mask)
      let allowed = (0..<Token(tokenizer.count)).filter { token in
        let bytes = tokenizer.bytes(of: token)
        return token != stop && !bytes.isEmpty
          && bytes.reduce(state) { $0 == GrammarMachine.dead ? $0 : machine.next($0, $1) }
            != GrammarMachine.dead
      }
      #expect(
        (0..<Token(tokenizer.count)).filter { mask[$0] && $0 != stop } == allowed, "seed \(seed)")
      #expect(mask[stop] == machine.isEnd(state))
      guard let token = allowed.randomElement(using: &random) else { break }
      try constraint.advance(past: token)
      state = tokenizer.bytes(of: token).reduce(state) { machine.next($0, $1) }
    }
  }

  /// Whatever is chosen on the way, a text that has room for its shortest end comes to an end.
  @Test(arguments: 0..<UInt64(runsAllTests ? 200 : 40))
  func aTextEndsWithinItsLimit(seed: UInt64) throws {
    let grammar = RandomGrammar.make(seed: seed)
    var random = SeededGenerator(seed: seed)
    var machine = GrammarMachine(try GrammarCompiler.compile(grammar))
    let shortest = machine.distance(machine.start)
    // A ninth is kept free, and the stop token is one, too.
    let limit = shortest * 9 / 8 + 3 + Int.random(in: 0...30, using: &random)
    var constraint = try GrammarConstraint(
      grammar, tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    for rest in (1...limit).reversed() {
      constraint.limit(to: rest)
      var mask = TokenMask(count: tokenizer.count)
      try constraint.markAllowed(in: &mask)
      let token = try #require(
        (0..<Token(tokenizer.count)).filter { mask[$0] }.randomElement(using: &random),
        "seed \(seed), \(rest) of \(limit) left")
      guard token != ByteVocabulary.stop else { return }
      try constraint.advance(past: token)
    }
    Issue.record("seed \(seed): the text did not end within \(limit)")
  }

  /// Without room for any end, what leads to one fastest is all that may come.
  @Test func aTextWithoutRoomTakesTheShortestWay() throws {
    var constraint = try GrammarConstraint(
      Grammar(
        .object([
          .init("a", .text, isOptional: true), .init("b", .list(.text, minimum: 1, maximum: 9)),
        ])),
      tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    var text: [Token] = []
    for rest in (1...12).reversed() {
      constraint.limit(to: rest)
      var mask = TokenMask(count: tokenizer.count)
      try constraint.markAllowed(in: &mask)
      let token = try #require((0..<Token(tokenizer.count)).first { mask[$0] })
      guard token != ByteVocabulary.stop else { break }
      text.append(token)
      try constraint.advance(past: token)
    }
    #expect(tokenizer.decode(text, isStart: false) == #"{"b": [""]}"#)
  }

  @Test func aLimitThatIsFarChangesNothing() throws {
    for seed in 0..<UInt64(8) {
      var random = SeededGenerator(seed: seed)
      var free = try GrammarConstraint(
        RandomGrammar.make(seed: seed), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
      var limited = free
      for _ in 0..<20 {
        limited.limit(to: 1_000_000)
        var (one, other) = (TokenMask(count: tokenizer.count), TokenMask(count: tokenizer.count))
        try free.markAllowed(in: &one)
        try limited.markAllowed(in: &other)
        #expect(one == other, "seed \(seed)")
        let allowed = (0..<Token(tokenizer.count)).filter { one[$0] && $0 != ByteVocabulary.stop }
        guard let token = allowed.randomElement(using: &random) else { break }
        try free.advance(past: token)
        try limited.advance(past: token)
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

  /// Such bytes stand for marks alone, which a grammar may have none of.
  @Test(arguments: [
    Grammar.Rule.verbatim([0xF5]), .sequence([.null, .verbatim(Array("a".utf8) + [0xF6])]),
    .joined(.null, separator: [0xFF], minimum: 0, maximum: nil),
  ])
  func aByteThatNoTextHasIsRefused(_ rule: Grammar.Rule) throws {
    let error = #expect(throws: GrammarDefect.self) {
      var constraint = try GrammarConstraint(
        Grammar(rule), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
      _ = try constraint.forcedTokens()
    }
    guard case .unwritableByte(0xF5...)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    var marked = try GrammarConstraint(
      Grammar(.verbatim([0xF5])), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop],
      marks: [7])
    #expect(try marked.forcedTokens() == [7])
    #expect(
      GrammarDefect.unwritableByte(0xF5).description
        == "The grammar has the byte 0xF5, which no text has; leave it out.")
  }
}
