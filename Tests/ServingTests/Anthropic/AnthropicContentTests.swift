import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct AnthropicContentTests {
  private static let pieces = [
    Generation.Piece(thought: "so"), Generation.Piece(thought: " so", text: "Yes"),
    Generation.Piece(text: "."),
  ]
  private static let end = Generation.End.calls([
    ChatToolCall(id: "", name: "f", arguments: .object(["n": .integer(1)])),
    ChatToolCall(id: "", name: "g", arguments: .object([:])),
  ])

  private func events(_ shows: Bool) -> [JSONValue] {
    var events = AnthropicEvents(showsThoughts: shows)
    let bytes = Self.pieces.map { events.of($0) } + [events.of(Self.end)]
    #expect(bytes.allSatisfy { !$0.isEmpty })
    let text = String(decoding: bytes.joined(), as: UTF8.self)
    let objects = TestAnswer("\r\n\r\n\(text)").events.map { JSONValue.object($0) }
    let names = text.split(separator: "\n").filter { $0.hasPrefix("event: ") }
    #expect(names.map { String($0.dropFirst(7)) } == objects.map { $0[path: "type"]?.string })
    return objects
  }

  /// What a client makes of the events, one text per block.
  private func told(_ events: [JSONValue], _ kind: String, _ key: String) -> [Int: String] {
    var told: [Int: String] = [:]
    for event in events where event[path: "delta.type"]?.string == kind {
      told[event[path: "index"]?.integer ?? -1, default: ""] +=
        event[path: "delta.\(key)"]?.string ?? ""
    }
    return told
  }

  @Test(arguments: [true, false]) func blocksComeOneAfterTheOther(_ shows: Bool) {
    let events = events(shows)
    let starts = events.filter { $0[path: "type"]?.string == "content_block_start" }
    #expect(
      starts.map { $0[path: "content_block.type"]?.string }
        == ["thinking", "text", "tool_use", "tool_use"])
    #expect(starts.map { $0[path: "index"]?.integer } == [0, 1, 2, 3])
    let stops = events.filter { $0[path: "type"]?.string == "content_block_stop" }
    #expect(stops.map { $0[path: "index"]?.integer } == [0, 1, 2, 3])
    #expect(told(events, "thinking_delta", "thinking") == (shows ? [0: "so so"] : [:]))
    #expect(told(events, "signature_delta", "signature") == [0: AnthropicContent.signature])
    #expect(told(events, "text_delta", "text") == [1: "Yes."])
    #expect(told(events, "input_json_delta", "partial_json") == [2: #"{"n": 1}"#, 3: "{}"])
    #expect(starts[2][path: "content_block.input"] == .object([:]))
  }

  @Test(arguments: [true, false]) func aWholeAnswerHasTheSameBlocks(_ shows: Bool) {
    var content = AnthropicContent(showsThoughts: shows)
    for piece in Self.pieces { content.append(piece) }
    let blocks = content.blocks(Self.end)
    #expect(
      blocks.map { $0[path: "type"]?.string } == ["thinking", "text", "tool_use", "tool_use"])
    #expect(blocks[0][path: "thinking"]?.string == (shows ? "so so" : ""))
    #expect(blocks[0][path: "signature"]?.string?.isEmpty == false)
    #expect(blocks[1][path: "text"]?.string == "Yes.")
    #expect(blocks[2][path: "input.n"]?.integer == 1)
    let ids = blocks.compactMap { $0[path: "id"]?.string }
    #expect(Set(ids).count == 2 && ids.allSatisfy { $0.hasPrefix("toolu_") })
  }

  @Test(arguments: ServingError.Kind.allCases) func errorsHaveTheirType(_ kind: ServingError.Kind) {
    let json = JSONValue.object(
      Interface(path: "/v1/messages/x").body(of: ServingError(kind, "No.", code: "c")))
    #expect(json[path: "type"]?.string == "error" && json[path: "request_id"] == .null)
    #expect(json[path: "error.type"]?.string?.hasSuffix("_error") ?? false || kind == .tooLarge)
    #expect(json[path: "error.message"]?.string == "No.")
    #expect(json[path: "error.details.error_code"]?.string == "c")
  }
}
