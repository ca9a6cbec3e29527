import JSON
import TestSupport

@testable import Grammars

/// Random grammars, deep enough to have all rules inside of each other.
struct RandomGrammar {
  private var random: SeededGenerator

  static func make(seed: UInt64) -> Grammar {
    var maker = RandomGrammar(random: SeededGenerator(seed: seed))
    let names = ["Node", "Leaf"]
    var rules = Dictionary(uniqueKeysWithValues: names.map { ($0, maker.object(depth: 1)) })
    rules["Either"] = .choice([
      maker.object(depth: 0), .object([.init("next", .reference("Either"))]), .null,
    ])
    return Grammar(maker.rule(depth: 3), rules: rules)
  }

  private mutating func rule(depth: Int) -> Grammar.Rule {
    let kind = Int.random(in: 0..<(depth > 0 ? 19 : 11), using: &random)
    switch kind {
    case 0: return .boolean
    case 1: return .null
    case 2: return .text
    case 3:
      return .texts(
        ["a", "ab", "\"q\"", "é\n"].filter { _ in Bool.random(using: &random) } + ["z"])
    case 4:
      return .pattern(
        ["[A-Z]{2}\\d{1,3}", "(?:ab|\"c)*", ".{0,4}!", "\\w+@x"].randomElement(using: &random)
          ?? "a")
    case 5: return integer()
    case 6, 7: return number()
    case 8: return .anything
    case 9:
      let minimum = Int.random(in: 0...2, using: &random)
      return .sizedText(
        minimum: minimum, maximum: Bool.random(using: &random) ? minimum + 2 : nil)
    case 10:
      return .literal(
        .object(["a": .array([.null, .number(JSONNumber(-1))]), "b\"": .string("é")]))
    case 11, 12: return object(depth: depth - 1)
    case 13: return .dictionary(rule(depth: depth - 1))
    case 17:
      return .dictionary(
        rule(depth: depth - 1), minimum: Int.random(in: 0...2, using: &random),
        maximum: Int.random(in: 2...4, using: &random))
    case 18: return tuple(depth: depth - 1)
    case 14:
      return .list(
        rule(depth: depth - 1), minimum: Int.random(in: 0...2, using: &random),
        maximum: Int.random(in: 2...4, using: &random))
    case 15: return .choice([rule(depth: depth - 1), rule(depth: depth - 1), .null])
    default: return .list(.reference("Node"), minimum: 0, maximum: 2)
    }
  }

  private mutating func object(depth: Int) -> Grammar.Rule {
    let names = ["a", "ab", "\"", "ü", "long name", "z"].shuffled(using: &random).prefix(
      Int.random(in: 0...4, using: &random))
    var properties = names.map {
      Grammar.Property($0, rule(depth: depth), isOptional: Bool.random(using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      properties.append(
        Grammar.Property(
          "next", .choice([.reference("Leaf"), .reference("Either")]), isOptional: true))
    }
    let required = properties.count { !$0.isOptional }
    guard Bool.random(using: &random) else { return .object(properties) }
    let minimum = Int.random(in: 0...properties.count, using: &random)
    return .object(
      properties, minimum: minimum,
      maximum: Bool.random(using: &random)
        ? Int.random(in: max(minimum, required)...(properties.count + 1), using: &random) : nil)
  }

  private mutating func tuple(depth: Int) -> Grammar.Rule {
    let first = (0..<Int.random(in: 0...3, using: &random)).map { _ in rule(depth: depth) }
    let minimum = Int.random(in: 0...4, using: &random)
    return .tuple(
      first, others: rule(depth: depth), minimum: minimum,
      maximum: Bool.random(using: &random)
        ? minimum + Int.random(in: 0...2, using: &random) : nil)
  }

  private mutating func integer() -> Grammar.Rule {
    let low = Int.random(in: -200...200, using: &random)
    return .integer(
      minimum: Bool.random(using: &random) ? JSONNumber(low) : nil,
      maximum: Bool.random(using: &random)
        ? JSONNumber(low + Int.random(in: 0...50, using: &random)) : nil)
  }

  private mutating func number() -> Grammar.Rule {
    let low = Double(Int.random(in: -2000...2000, using: &random)) / 100
    return .number(
      minimum: Bool.random(using: &random) ? JSONNumber(low) : nil,
      maximum: Bool.random(using: &random)
        ? JSONNumber(low + Double.random(in: 0...2, using: &random)) : nil)
  }
}

/// Whether parsed JSON has the form of a grammar, told without any of the machinery that generated it.
struct GrammarChecker {
  let grammar: Grammar

  func fits(_ value: JSONValue) throws -> Bool { try fits(value, grammar.root) }

  private func fits(_ value: JSONValue, _ rule: Grammar.Rule) throws -> Bool {
    switch (rule, value) {
    case (.boolean, .bool), (.null, .null), (.text, .string), (.anything, _): return true
    case (.texts(let texts), .string(let text)): return texts.contains(text)
    case (.pattern(let pattern, _), .string(let text)):
      return try Regex(pattern).wholeMatch(in: text) != nil
    case (.integer(let minimum, let maximum), .number(let number)):
      return number.integer != nil && isBetween(number, minimum, maximum)
    case (.number(let minimum, let maximum), .number(let number)):
      return isBetween(number, minimum, maximum)
    case (.list(let element, let minimum, let maximum), .array(let values)):
      return try values.count >= minimum && values.count <= maximum ?? .max
        && values.allSatisfy { try fits($0, element) }
    case (.tuple(let first, let others, let minimum, let maximum), .array(let values)):
      return try values.count >= minimum && values.count <= maximum ?? .max
        && zip(values, first).allSatisfy { try fits($0, $1) }
        && values.dropFirst(first.count).allSatisfy { try fits($0, others) }
    case (.object(let properties, let minimum, let maximum), .object(let object)):
      let known = properties.filter { object[$0.name] != nil }
      return try known.map(\.name) == object.keys
        && known.count >= minimum && known.count <= maximum ?? .max
        && properties.allSatisfy { $0.isOptional || object[$0.name] != nil }
        && known.allSatisfy { try fits(object[$0.name] ?? .null, $0.rule) }
    case (.literal(let literal), _): return literal == value
    case (.sizedText(let minimum, let maximum), .string(let text)):
      return (minimum...(maximum ?? .max)).contains(text.unicodeScalars.count)
    case (.dictionary(let value, let minimum, let maximum), .object(let object)):
      // Names that come twice count twice, and are one member where JSON is read.
      return try object.members.count <= maximum ?? .max && (minimum == 0 || !object.isEmpty)
        && object.members.allSatisfy { try fits($0.value, value) }
    case (.choice(let rules), _): return try rules.contains { try fits(value, $0) }
    case (.reference(let name), _):
      return try grammar.rules[name].map { try fits(value, $0) } ?? false
    default: return false
    }
  }

  private func isBetween(_ number: JSONNumber, _ minimum: JSONNumber?, _ maximum: JSONNumber?)
    -> Bool
  {
    (minimum.map { $0.double <= number.double } ?? true)
      && (maximum.map { number.double <= $0.double } ?? true)
  }
}

/// A grammar's machine, run over whole texts.
struct GrammarRun {
  private var machine: GrammarMachine

  init(_ grammar: Grammar) throws {
    machine = GrammarMachine(try GrammarCompiler.compile(grammar))
  }

  init(_ rule: Grammar.Rule) throws {
    try self.init(Grammar(rule))
  }

  /// What becomes of `text`: "whole", "beginning", or the bytes that fit before one that does not.
  mutating func outcome(_ text: String) -> String {
    var state = machine.start
    for (offset, byte) in text.utf8.enumerated() {
      state = machine.next(state, byte)
      if state == GrammarMachine.dead {
        return "not after \(String(decoding: text.utf8.prefix(offset), as: UTF8.self))"
      }
    }
    return machine.isEnd(state) ? "whole" : "beginning"
  }

  /// A random text; closing brackets and quotes are likelier than other bytes, so that it ends.
  mutating func randomText(_ random: inout SeededGenerator, limit: Int = 4000) -> String? {
    var state = machine.start
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let choices = (0...255).filter { machine.next(state, $0) != GrammarMachine.dead }
      if machine.isEnd(state), choices.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
        return String(decoding: bytes, as: UTF8.self)
      }
      let closing = choices.filter { "\"]}".utf8.contains($0) }
      let isClosing = !closing.isEmpty && Int.random(in: 0..<6, using: &random) == 0
      guard let byte = (isClosing ? closing : choices).randomElement(using: &random) else {
        return nil
      }
      bytes.append(byte)
      state = machine.next(state, byte)
    }
    return nil
  }
}
