import TestSupport

@testable import Grammars

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
