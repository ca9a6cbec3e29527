import Fuzzing
import JSON
import SystemFiles
import TestSupport
import Tokenization

@testable import Grammars
@testable import TensorFiles

/// All bytes, one a token, and some longer pieces.
private let tokenizer: Tokenizer = {
  var writer = GGUFWriter()
  for (key, value) in ByteVocabulary.metadata { writer.set(key, value) }
  guard let file = try? GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf"),
    let tokenizer = try? Tokenizer(file)
  else { fatalError("no vocabulary") }
  return tokenizer
}()

/// Lets `text` come byte by byte, as far as `grammar` allows it.
private func follow(_ grammar: Grammar, _ text: some Sequence<UInt8>) throws {
  var machine = GrammarMachine(try GrammarCompiler.compile(grammar))
  var state = machine.start
  for byte in text.prefix(64) where state != GrammarMachine.dead && machine.work < 1_000_000 {
    _ = (machine.distance(state), machine.text(state), machine.onlyByte(state))
    state = machine.next(state, byte)
  }
}

private let parser = chosen([
  // A pattern, and on the next line a text.
  "pattern": { bytes in
    let parts = lines(bytes, 2)
    let pattern = text(parts[0])
    let found = try Pattern(pattern, limit: 1000)
    if parts.count > 1 { _ = found.occurs(in: text(parts[1].prefix(200))) }
  },
  "pattern-grammar": { bytes in
    let parts = lines(bytes, 2)
    try follow(Grammar(.plainPattern(text(parts[0]))), parts.count > 1 ? parts[1] : [])
  },
  // A schema, and on the next line a value.
  "schema": { bytes in
    let parts = lines(bytes, 2)
    let schema = try JSONDocument(parsing: parts[0]).root
    try follow(try Grammar(schema: schema), parts.count > 1 ? parts[1] : [])
  },
  "schema-check": { bytes in
    let parts = lines(bytes, 2)
    let check = try SchemaCheck(try JSONDocument(parsing: parts[0]).root)
    guard parts.count > 1 else { return }
    let value = try JSONDocument(parsing: parts[1]).root
    let accepted = check.accepts(value)
    if let violation = check.violation(of: value) {
      precondition(!accepted)
      _ = "\(violation)"
    }
  },
  "schema-tokens": { bytes in
    let parts = lines(bytes, 2)
    let schema = try JSONDocument(parsing: parts[0]).root
    var constraint = try GrammarConstraint(
      try Grammar(schema: schema), tokenizer: tokenizer, stopTokens: [ByteVocabulary.stop])
    constraint.limit(to: 40)
    for byte in (parts.count > 1 ? parts[1] : []).prefix(24) {
      var mask = TokenMask(count: tokenizer.count)
      try constraint.markAllowed(in: &mask)
      let token = try constraint.forcedTokens().first ?? Token(byte) + 1
      guard mask[token] else { return }
      try constraint.advance(past: token)
    }
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
