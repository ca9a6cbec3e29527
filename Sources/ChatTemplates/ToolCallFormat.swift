import Grammars
import JSON
public import Tokenization

/// How an assistant writes calls of tools, as the template of its base writes them in chats that have been.
///
/// A call has parts that are fixed and, between them, the tool's name, its arguments as JSON and in some formats an
/// identity. Fixed parts are bytes in which a byte from `GrammarConstraint.markByte` on stands for a special token.
public struct ToolCallFormat: Sendable {
  enum Part: Sendable, Equatable {
    case fixed([UInt8])
    case name, arguments, id
  }

  /// The special tokens that the format has.
  let marks: [Token]
  /// What stands before the first call.
  let opening: [UInt8]
  /// A call, from the first of its own parts to the last.
  let call: [Part]
  /// What stands between two calls; nil where an answer has one at most.
  let separator: [UInt8]?
  /// What stands behind the last call.
  let closing: [UInt8]
  /// Whether templates take arguments as a text only.
  let argumentsAreText: Bool
  /// Whether a call is an answer like any other, as the template knows of none.
  let isInAnswers: Bool

  /// Calls as JSON, one an answer, for templates that know of none.
  static let inAnswers = ToolCallFormat(
    marks: [], opening: Array("{\"name\": \"".utf8),
    call: [.name, .fixed(Array("\", \"parameters\": ".utf8)), .arguments], separator: nil,
    closing: Array("}".utf8), argumentsAreText: false, isInAnswers: true)

  /// The special token that an answer calls tools with, if it begins with one; it may stand behind text then.
  public var trigger: Token? {
    opening.first.flatMap { $0 >= GrammarConstraint.markByte ? marks[index(ofMark: $0)] : nil }
  }

  /// What stands behind the last call, with marks by their names.
  func closingText(_ tokenizer: Tokenizer) -> [UInt8] {
    closing.flatMap { byte in
      byte >= GrammarConstraint.markByte
        ? tokenizer.bytes(of: marks[index(ofMark: byte)], special: true) : [byte]
    }
  }

  /// Whether an answer may have more than one call.
  public var takesSeveralCalls: Bool { separator != nil }

  private func index(ofMark byte: UInt8) -> Int { Int(byte - GrammarConstraint.markByte) }

  /// An identity as the model writes it.
  static let idCount = 9
}

// The grammar of calls.
extension ToolCallFormat {
  /// The grammar of an answer that calls some of `tools`, of which there is one at least; at most `limit` at once.
  ///
  /// Each tool is a branch of its own whose name is fixed before its arguments begin.
  func grammar(_ tools: [ChatTool], limit: Int?) -> Grammar {
    var rules: [String: Grammar.Rule] = [:]
    var branches: [Grammar.Rule] = []
    for (index, tool) in tools.enumerated() {
      let arguments = tool.arguments.prefixed(by: "\(index):")
      rules.merge(arguments.rules) { first, _ in first }
      branches.append(.sequence(call.map { $0.rule(tool.name, arguments.root) }))
    }
    var calls = Grammar.Rule.choice(branches)
    if let separator, limit != 1 {
      calls = .joined(calls, separator: separator, minimum: 1, maximum: limit)
    }
    return Grammar(.sequence([.verbatim(opening), calls, .verbatim(closing)]), rules: rules)
  }
}

extension ToolCallFormat.Part {
  fileprivate func rule(_ name: String, _ arguments: Grammar.Rule) -> Grammar.Rule {
    switch self {
    case .fixed(let bytes): .verbatim(bytes)
    case .name: .verbatim(Array(name.utf8))
    case .arguments: arguments
    case .id:
      .sequence(
        Array(
          repeating: .choice(
            Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8).map {
              .verbatim([$0])
            }), count: ToolCallFormat.idCount))
    }
  }
}

// What calls in an answer say.
extension ToolCallFormat {
  /// The bytes of `tokens` in which those of the format's marks stand for themselves.
  func coded(_ tokens: some Sequence<Token>, _ tokenizer: Tokenizer) -> [UInt8] {
    tokens.flatMap { token in
      marks.firstIndex(of: token).map { [GrammarConstraint.markByte + UInt8($0)] }
        ?? tokenizer.bytes(of: token)
    }
  }

  /// The calls of an answer whose bytes, from where they begin, are `coded`; nil when they are not whole.
  ///
  /// `makeID` gives an identity to each call, unless the format has one.
  func calls(in coded: [UInt8], of tools: [ChatTool], makeID: () -> String) -> [ChatToolCall]? {
    var rest = coded[...]
    guard take(opening, from: &rest) else { return nil }
    var calls: [ChatToolCall] = []
    while true {
      guard let call = takeCall(from: &rest, of: tools, makeID) else { return nil }
      calls.append(call)
      if let separator, rest.starts(with: separator), !rest.elementsEqual(closing) {
        rest = rest.dropFirst(separator.count)
      } else {
        return rest.elementsEqual(closing) ? calls : nil
      }
    }
  }

  private func take(_ bytes: [UInt8], from rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.starts(with: bytes) else { return false }
    rest = rest.dropFirst(bytes.count)
    return true
  }

  private func takeCall(
    from rest: inout ArraySlice<UInt8>, of tools: [ChatTool], _ makeID: () -> String
  ) -> ChatToolCall? {
    // One name may be the beginning of another.
    for tool in tools.sorted(by: { $0.name.utf8.count > $1.name.utf8.count }) {
      var attempt = rest
      var found = ChatToolCall(id: "", name: tool.name, arguments: .null)
      let isCall = call.allSatisfy { part in
        switch part {
        case .fixed(let bytes): return take(bytes, from: &attempt)
        case .name: return take(Array(tool.name.utf8), from: &attempt)
        case .id:
          found.id = String(decoding: attempt.prefix(Self.idCount), as: UTF8.self)
          attempt = attempt.dropFirst(Self.idCount)
          return true
        case .arguments:
          guard let end = Self.endOfObject(attempt),
            let value = try? JSONDocument(parsing: Array(attempt[..<end])).root
          else { return false }
          found.arguments = value
          attempt = attempt[end...]
          return true
        }
      }
      guard isCall else { continue }
      if found.id.isEmpty { found.id = makeID() }
      rest = attempt
      return found
    }
    return nil
  }

  /// Where the JSON object ends that `bytes` start with.
  private static func endOfObject(_ bytes: ArraySlice<UInt8>) -> Int? {
    var depth = 0
    var (isText, isEscaped) = (false, false)
    for (index, byte) in zip(bytes.indices, bytes) {
      switch (byte, isText) {
      case _ where isEscaped: isEscaped = false
      case (UInt8(ascii: "\\"), true): isEscaped = true
      case (UInt8(ascii: "\""), _): isText.toggle()
      case (UInt8(ascii: "{"), false), (UInt8(ascii: "["), false): depth += 1
      case (UInt8(ascii: "}"), false), (UInt8(ascii: "]"), false):
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
      if depth == 0 { return nil }
    }
    return nil
  }
}
