import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct ResponsesOutputTests {
  private static let pieces = [
    Generation.Piece(thought: "so"), Generation.Piece(thought: " so", text: "Yes"),
    Generation.Piece(text: "."),
  ]
  private static let calls = ["f", "g"].map {
    ChatToolCall(id: "", name: $0, arguments: .object(["n": .integer(1)]))
  }

  private func told(
    _ pieces: [Generation.Piece], _ end: Generation.End
  ) -> (events: [ResponsesOutput.Event], items: [JSONValue]) {
    var output = ResponsesOutput(logs: nil)
    let events = pieces.flatMap { output.append($0) } + output.finish(end)
    return (events, output.items.map { .object($0) })
  }

  private func value(_ event: ResponsesOutput.Event, _ path: String) -> JSONValue? {
    JSONValue.object(event.fields)[path: path]
  }

  @Test func itemsComeOneAfterTheOther() {
    let (events, items) = told(Self.pieces, .calls(Self.calls))
    #expect(
      items.map { $0[path: "type"]?.string }
        == ["reasoning", "message", "function_call", "function_call"])
    #expect(items[0][path: "content.0.text"]?.string == "so so")
    #expect(items[1][path: "content.0.text"]?.string == "Yes.")
    #expect(items.dropFirst(2).map { $0[path: "name"]?.string } == ["f", "g"])
    #expect(items[2][path: "arguments"]?.string == #"{"n": 1}"#)
    #expect(items.allSatisfy { $0[path: "status"]?.string == "completed" })
    let names = events.map { String($0.type.dropFirst("response.".count)) }
    let call = [
      "output_item.added", "function_call_arguments.delta", "function_call_arguments.done",
      "output_item.done",
    ]
    #expect(
      names == [
        "output_item.added", "content_part.added", "reasoning.delta", "reasoning.delta",
        "reasoning.done", "content_part.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
        "output_text.done", "content_part.done", "output_item.done",
      ] + call + call)
  }

  /// Official clients raise where one of these is missing, or changes.
  @Test func eventsTellWhereTheyBelong() {
    let (events, items) = told(Self.pieces, .calls(Self.calls))
    for event in events {
      let index = value(event, "output_index")?.integer ?? -1
      guard items.indices.contains(index) else {
        Issue.record("\(event)")
        continue
      }
      let id = value(event, "item_id") ?? value(event, "item.id")
      #expect(id != nil && id == items[index][path: "id"], "\(event)")
      let isPart = !event.type.contains("output_item") && !event.type.contains("function_call")
      #expect(value(event, "content_index") == (isPart ? .integer(0) : nil), "\(event)")
      let isText = event.type.contains("output_text")
      #expect(value(event, "logprobs") == (isText ? .array([]) : nil), "\(event)")
    }
    let ends = events.filter { $0.type == "response.output_item.done" }
    #expect(ends.map { value($0, "item") } == items)
    let starts = events.filter { $0.type == "response.output_item.added" }
    #expect(starts.allSatisfy { value($0, "item.status")?.string == "in_progress" })
    #expect(starts.prefix(2).allSatisfy { value($0, "item.content") == .array([]) })
    #expect(starts.suffix(2).allSatisfy { value($0, "item.arguments")?.string == "" })
  }

  @Test(
    arguments: [
      ([], .finished, ["message"], ["completed"]),
      ([Generation.Piece(text: "a")], .stopped("b"), ["message"], ["completed"]),
      ([Generation.Piece(text: "a")], .length, ["message"], ["incomplete"]),
      ([Generation.Piece(thought: "a")], .length, ["reasoning"], ["incomplete"]),
      ([], .length, ["message"], ["incomplete"]),
      (
        [Generation.Piece(thought: "a")], .finished, ["reasoning", "message"],
        ["completed", "completed"]
      ),
      (
        [Generation.Piece(thought: "a"), Generation.Piece(text: "b")], .length,
        ["reasoning", "message"], ["completed", "incomplete"]
      ),
      ([], .calls([Self.calls[0]]), ["function_call"], ["completed"]),
    ] as [([Generation.Piece], Generation.End, [String], [String])])
  func anEndIsTold(
    _ pieces: [Generation.Piece], _ end: Generation.End, _ types: [String], _ statuses: [String]
  ) {
    let (events, items) = told(pieces, end)
    #expect(items.map { $0[path: "type"]?.string } == types)
    #expect(items.map { $0[path: "status"]?.string } == statuses)
    #expect(events.last?.type == "response.output_item.done")
  }

  @Test func identitiesDiffer() {
    let items = told(Self.pieces, .calls(Self.calls)).items
    let ids = items.compactMap { $0[path: "id"]?.string }
    #expect(Set(ids).count == 4)
    #expect(ids.map { $0.prefix { $0 != "_" } } == ["rs", "msg", "fc", "fc"])
    let calls = items.compactMap { $0[path: "call_id"]?.string }
    #expect(Set(calls).count == 2 && calls.allSatisfy { $0.hasPrefix("call_") })
  }
}
