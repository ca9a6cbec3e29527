import ChatTemplates
import JSON

/// The events that tell of the blocks of an answer, one block after the other.
struct AnthropicEvents {
  /// Whether thoughts are told, and not only that there are some.
  let showsThoughts: Bool
  /// The block that is open, and how many there were before.
  private var block: Block?
  private var index = 0
  /// Calls that have begun.
  private var calls = 0

  private enum Block: Equatable {
    case content(AnthropicContent.Kind)
    case call
  }

  init(showsThoughts: Bool) { self.showsThoughts = showsThoughts }

  static func event(_ type: String, _ fields: JSONObject = [:]) -> [UInt8] {
    var object: JSONObject = ["type": .string(type)]
    for member in fields.members { object[member.key] = member.value }
    return Array("event: \(type)\ndata: \(JSONValue.object(object).line)\n\n".utf8)
  }

  /// Of a piece that is not empty, at least one.
  mutating func of(_ piece: Generation.Piece) -> [UInt8] {
    var events: [UInt8] = []
    for (kind, text) in AnthropicContent.parts(of: piece) {
      if block != .content(kind) { events += close() + open(kind) }
      switch kind {
      case .text: events += delta("text_delta", "text", text)
      case .thinking where showsThoughts: events += delta("thinking_delta", "thinking", text)
      case .thinking: events += Self.event("ping")
      }
    }
    for part in piece.calls { events += of(part) }
    return events
  }

  private mutating func of(_ part: ToolCallPart) -> [UInt8] {
    switch part {
    case .begin(let name):
      let closed = close()
      (block, calls) = (.call, calls + 1)
      return closed + begin(AnthropicContent.block(name, input: .object([:])))
    case .arguments(let text): return delta("input_json_delta", "partial_json", text)
    }
  }

  /// Of calls that were not told yet, and of the end of the content.
  mutating func of(_ end: Generation.End) -> [UInt8] {
    var events: [UInt8] = []
    for part in end.parts(behind: calls) { events += of(part) }
    return events + close()
  }

  private mutating func open(_ kind: AnthropicContent.Kind) -> [UInt8] {
    block = .content(kind)
    return begin(AnthropicContent.block(kind, ""))
  }

  private mutating func close() -> [UInt8] {
    guard let open = block else { return [] }
    block = nil
    let signed = delta("signature_delta", "signature", AnthropicContent.signature)
    return (open == .content(.thinking) ? signed : []) + stop()
  }

  private func begin(_ block: JSONValue) -> [UInt8] {
    Self.event("content_block_start", ["index": .integer(index), "content_block": block])
  }

  private func delta(_ type: String, _ key: String, _ text: String) -> [UInt8] {
    let delta: JSONObject = ["type": .string(type), key: .string(text)]
    return Self.event("content_block_delta", ["index": .integer(index), "delta": .object(delta)])
  }

  private mutating func stop() -> [UInt8] {
    defer { index += 1 }
    return Self.event("content_block_stop", ["index": .integer(index)])
  }
}
