import JSON
import Testing

@testable import Grammars

private typealias Rule = Grammar.Rule

@Suite struct GrammarMachineTests {
  private static let cases: [(Rule, [(String, String)])] = [
    (.null, [("null", "whole"), ("nul", "beginning"), ("nil", "not after n")]),
    (.boolean, [("true", "whole"), ("false", "whole"), ("t", "beginning"), ("x", "not after ")]),
    (
      .text,
      [
        (#""""#, "whole"), (#""é😀""#, "whole"), (#""\n\u00e9\ud83d\ude00\/""#, "whole"),
        (#""\ud83d""#, #"not after "\ud83d"#), (#""\udc00"#, #"not after "\ud"#),
        (#""\x"#, #"not after "\"#), ("\"a\nb\"", "not after \"a"), (#""a"b"#, #"not after "a""#),
      ]
    ),
    (
      .texts(["ab", "abc", "\"x\"", "é"]),
      [
        (#""ab""#, "whole"), (#""abc""#, "whole"), (#""\"x\"""#, "whole"), (#""é""#, "whole"),
        (#""a""#, #"not after "a"#), (#""abcd"#, #"not after "abc"#),
      ]
    ),
    (
      .list(.null, minimum: 1, maximum: 3),
      [
        ("[null]", "whole"), ("[null, null, null]", "whole"), ("[]", "not after ["),
        ("[null,null", "not after [null,"), ("[null, null, null, ", "not after [null, null, null"),
      ]
    ),
    (.list(.null, minimum: 0, maximum: 0), [("[]", "whole"), ("[n", "not after [")]),
    (
      .list(.boolean, minimum: 0, maximum: nil),
      [("[]", "whole"), ("[true, false, true, true]", "whole"), ("[true, ]", "not after [true, ")]
    ),
    (
      .list(.list(.null, minimum: 2, maximum: 2), minimum: 2, maximum: nil),
      [("[[null, null], [null, null]]", "whole"), ("[[null, null]]", "not after [[null, null]")]
    ),
    (
      .object([
        .init("a", .null, isOptional: true), .init("b", .null), .init("c", .null, isOptional: true),
        .init("d", .null, isOptional: true),
      ]),
      [
        (#"{"b": null}"#, "whole"), (#"{"a": null, "b": null, "c": null, "d": null}"#, "whole"),
        (#"{"b": null, "d": null}"#, "whole"),
        (#"{"b": null, "d": null, "c""#, #"not after {"b": null, "d": null"#),
        (#"{"a": null}"#, #"not after {"a": null"#), (#"{"c""#, #"not after {""#),
        ("{}", "not after {"),
      ]
    ),
    (.object([]), [("{}", "whole")]),
    (
      .object([.init("x", .null, isOptional: true), .init("y", .null, isOptional: true)]),
      [
        ("{}", "whole"), (#"{"y": null}"#, "whole"), (#"{"x": null, "y": null}"#, "whole"),
        (#"{, "#, "not after {"),
      ]
    ),
    (
      .choice([
        .object([.init("kind", .texts(["a"])), .init("x", .null)]),
        .object([.init("kind", .texts(["ab"])), .init("y", .boolean)]), .null,
      ]),
      [
        (#"{"kind": "a", "x": null}"#, "whole"), (#"{"kind": "ab", "y": true}"#, "whole"),
        ("null", "whole"),
        (#"{"kind": "ab", "x"#, #"not after {"kind": "ab", ""#),
      ]
    ),
    (
      .anything,
      [
        (#"{"a": [1, -2.5, {"b": {}}, []], "c": "x", "d": null}"#, "whole"), ("[[[]]]", "whole"),
        (#"{"a" "#, #"not after {"a""#), ("1e5", "not after 1"),
      ]
    ),
  ]

  @Test(arguments: cases.flatMap { rule, texts in texts.map { (rule, $0.0, $0.1) } })
  fileprivate func textsAreToldApart(rule: Rule, text: String, outcome: String) throws {
    var run = try GrammarRun(rule)
    #expect(run.outcome(text) == outcome)
  }

  @Test func rulesMayReferToThemselves() throws {
    let person = Rule.object([
      .init("name", .text), .init("children", .list(.reference("Person"), minimum: 0, maximum: 2)),
      .init("best", .reference("Friend"), isOptional: true),
    ])
    // A choice that refers to itself adds nothing.
    let friend = Rule.choice([.reference("Friend"), .reference("Person"), .null])
    var run = try GrammarRun(
      Grammar(.reference("Person"), rules: ["Person": person, "Friend": friend]))
    #expect(
      run.outcome(
        #"{"name": "a", "children": [{"name": "b", "children": [], "best": null}], "best": {"name": "c", "children": []}}"#
      )
        == "whole")
  }

  @Test func branchesMayReferToTheirChoice() throws {
    let tree = Rule.choice([
      .null,
      .choice([
        .object([.init("a", .reference("Tree"))]),
        .list(.reference("Tree"), minimum: 0, maximum: nil),
      ]),
    ])
    var run = try GrammarRun(
      Grammar(.list(.reference("Tree"), minimum: 1, maximum: 1), rules: ["Tree": tree]))
    #expect(run.outcome(#"[{"a": [null, {"a": null}, []]}]"#) == "whole")
  }

  @Test func nestingEndsBeforeAReaderWouldGiveUp() throws {
    let grammar = Grammar(
      .reference("A"),
      rules: [
        "A": .object([
          .init("a", .reference("A"), isOptional: true),
          .init("l", .list(.anything, minimum: 0, maximum: nil)),
        ])
      ])
    var run = try GrammarRun(grammar)
    let deep = String(repeating: #"{"a": "#, count: 59)
    #expect(run.outcome(deep) == "not after " + String(repeating: #"{"a": "#, count: 58) + #"{""#)
    let lists = #"{"l": "# + String(repeating: "[", count: 80)
    #expect(run.outcome(lists).hasPrefix("not after "))
    #expect(!run.outcome(lists).contains(String(repeating: "[", count: 60)))
  }

  /// What counts of properties share is no level of its own.
  @Test func propertiesTakeNoLevels() throws {
    let names = ["a", "b", "c"].map { name in
      Grammar.Property(name, name == "a" ? .reference("A") : .null, isOptional: true)
    }
    var run = try GrammarRun(
      Grammar(.reference("A"), rules: ["A": .object(names, minimum: 2, maximum: nil)]))
    let deep = String(repeating: #"{"a": "#, count: 60)
    #expect(run.outcome(deep) == "not after " + String(repeating: #"{"a": "#, count: 59) + #"{""#)
  }

  @Test func statesComeAgain() throws {
    var machine = GrammarMachine(
      try GrammarCompiler.compile(Grammar(.list(.text, minimum: 0, maximum: nil))))
    var state = machine.start
    for byte in Array("[".utf8) { state = machine.next(state, byte) }
    for byte in Array(#""abc", "#.utf8) { state = machine.next(state, byte) }
    let count = machine.stateCount
    for byte in String(repeating: #""abc", "#, count: 50).utf8 { state = machine.next(state, byte) }
    #expect(machine.stateCount == count)
  }

  @Test func forcedBytesAreKnown() throws {
    var machine = GrammarMachine(
      try GrammarCompiler.compile(Grammar(.object([.init("ab", .texts(["x", "y"]))]))))
    var state = machine.start
    var text: [UInt8] = []
    while let byte = machine.onlyByte(state) {
      text.append(byte)
      state = machine.next(state, byte)
    }
    #expect(String(decoding: text, as: UTF8.self) == #"{"ab": ""#)
  }

  private static let wrong: [(Grammar, String)] = [
    (Grammar(.choice([])), "A choice has nothing to choose from; add a choice."),
    (Grammar(.texts([])), "A choice has nothing to choose from; add a choice."),
    (Grammar(.reference("A")), "The rule 'A' is not defined; add it."),
    (
      Grammar(.object([.init("a", .null), .init("a", .null)])),
      "An object has two properties named 'a'; rename one."
    ),
    (
      Grammar(.list(.null, minimum: 2, maximum: 1)),
      "Nothing has between 2 and 1 parts; change the bounds."
    ),
    (
      Grammar(.reference("A"), rules: ["A": .object([.init("a", .reference("A"))])]),
      "Every value would have to contain another one without end; make a part optional."
    ),
    (
      Grammar(.reference("A"), rules: ["A": .choice([.reference("A")])]),
      "Every value would have to contain another one without end; make a part optional."
    ),
    (
      Grammar(.integer(minimum: JSONNumber(2), maximum: JSONNumber(1))),
      "No number is between 2 and 1, as far as digits can tell; change the bounds."
    ),
    (
      Grammar(.pattern(#"(.{1000}){1000}"#)),
      "The grammar has more than 200000 parts; use smaller counts in patterns, minProperties or maxProperties, or fewer choices."
    ),
  ]

  @Test(arguments: wrong)
  func whatCannotBeEnforcedIsRefused(grammar: Grammar, message: String) {
    #expect(throws: Never.self) { () throws(Never) in
      do throws(GrammarDefect) {
        _ = try GrammarCompiler.compile(grammar)
        Issue.record("no error")
      } catch {
        #expect(error.description == message)
      }
    }
  }

  private static let shortest: [(Rule, String)] = [
    (.null, "null"), (.boolean, "true"), (.text, #""""#), (.texts(["abc", "de"]), #""de""#),
    (.sizedText(minimum: 3, maximum: 9), #""xxx""#),
    (.list(.null, minimum: 0, maximum: 4), "[]"),
    (.list(.null, minimum: 3, maximum: nil), "[null, null, null]"),
    (
      .object([.init("a", .null, isOptional: true), .init("b", .choice([.text, .boolean]))]),
      #"{"b": ""}"#
    ),
    (.dictionary(.null), "{}"), (.anything, "0"), (.pattern("[A-Z]{2}x?\\d+"), #""AB1""#),
    (.integer(minimum: JSONNumber(1234), maximum: nil), "1234"),
    (.integer(minimum: nil, maximum: JSONNumber(-20)), "-20"),
    (.number(minimum: JSONNumber(0.25), maximum: JSONNumber(0.75)), "0.3"),
    (.list(.list(.text, minimum: 1, maximum: 1), minimum: 2, maximum: 2), #"[[""], [""]]"#),
  ]

  /// In bytes, and behind every beginning of the shortest text.
  @Test(arguments: shortest)
  fileprivate func theShortestEndIsKnown(rule: Rule, text: String) throws {
    var machine = GrammarMachine(try GrammarCompiler.compile(Grammar(rule)))
    var state = machine.start
    for (index, byte) in text.utf8.enumerated() {
      #expect(machine.distance(state) == text.utf8.count - index, "before byte \(index)")
      state = machine.next(state, byte)
    }
    #expect(machine.distance(state) == 0)
  }

  /// What has no alternative counts as the pieces that it is made of.
  @Test func textsWithoutAChoiceCountAsPieces() throws {
    let program = try GrammarCompiler.compile(Grammar(.object([.init("name", .null)])))
    var machine = GrammarMachine(program) { text in
      text.starts(with: Array("name".utf8)) || text.starts(with: Array("null".utf8)) ? 4 : 1
    }
    // {, ", name, ", :, a space, null and }.
    #expect(machine.distance(machine.start) == 8)
  }
}
