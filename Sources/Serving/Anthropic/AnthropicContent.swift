import ChatTemplates
import JSON

/// The blocks of an answer of Anthropic's interface.
struct AnthropicContent {
  /// A kind of block that comes in pieces.
  enum Kind {
    case thinking
    case text
  }

  /// Whether thoughts are told, and not only that there were some.
  let showsThoughts: Bool
  private var parts: [(kind: Kind, text: String)] = []

  init(showsThoughts: Bool) { self.showsThoughts = showsThoughts }

  /// What is new, in the order in which it came.
  static func parts(of piece: Generation.Piece) -> [(kind: Kind, text: String)] {
    [(.thinking, piece.thought), (.text, piece.text)].filter { !$0.1.isEmpty }
  }

  mutating func append(_ piece: Generation.Piece) {
    for part in Self.parts(of: piece) {
      if parts.last?.kind == part.kind {
        parts[parts.count - 1].text += part.text
      } else {
        parts.append(part)
      }
    }
  }

  /// All blocks, those of calls at last.
  func blocks(_ end: Generation.End) -> [JSONValue] {
    let blocks = parts.map { kind, text in
      let isShown = kind == .text || showsThoughts
      return Self.block(kind, isShown ? text : "", signature: Self.signature)
    }
    guard case .calls(let calls) = end else { return blocks }
    return blocks + calls.map { Self.block($0.name, input: $0.arguments) }
  }

  /// Stands where a signature has to be: nobody has signed these thoughts.
  static let signature = "unsigned"

  static func block(_ kind: Kind, _ text: String, signature: String = "") -> JSONValue {
    switch kind {
    case .thinking:
      .object([
        "type": .string("thinking"), "thinking": .string(text), "signature": .string(signature),
      ])
    case .text:
      .object(["type": .string("text"), "text": .string(text), "citations": .null])
    }
  }

  static func block(_ name: String, input: JSONValue) -> JSONValue {
    .object([
      "type": .string("tool_use"), "id": .string("toolu_\(RandomID.make())"),
      "name": .string(name), "input": input,
      "caller": .object(["type": .string("direct")]),
    ])
  }
}
