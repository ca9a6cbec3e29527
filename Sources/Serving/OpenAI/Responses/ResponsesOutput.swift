import ChatTemplates
import JSON
import LanguageModels

/// The items of a response while they come, and the events that tell of them.
struct ResponsesOutput {
  /// An event without its number.
  struct Event: Equatable {
    let type: String
    var fields: JSONObject
  }

  fileprivate enum Kind {
    case reasoning
    case message
  }

  /// An item that something is still added to.
  fileprivate struct Item {
    let kind: Kind
    let id: String
    var text = ""
    var logs: [JSONValue] = []
  }

  /// Nil where it was not asked how likely tokens are.
  let logs: TokenLogs?
  /// Those that have ended.
  private(set) var items: [JSONObject] = []
  private var item: Item?
  /// The call that is being written, whose arguments are still to be added to.
  private var call: JSONObject?
  /// Calls that have begun.
  private var calls = 0

  init(logs: TokenLogs?) { self.logs = logs }

  mutating func append(_ piece: Generation.Piece) -> [Event] {
    var events: [Event] = []
    if !piece.thought.isEmpty { events += append(piece.thought, [], to: .reasoning) }
    if !piece.text.isEmpty {
      events += append(piece.text, logs?.tokens(piece.reports) ?? [], to: .message)
    }
    for part in piece.calls { events += append(part) }
    return events
  }

  /// Ends the last item, and adds calls that were not told yet.
  mutating func finish(_ end: Generation.End) -> [Event] {
    var events: [Event] = []
    let hasCalls = calls > 0 || !end.calls.isEmpty
    if !hasCalls, item?.kind != .message, end != .length || item == nil {
      events += begin(.message)
    }
    let rest = end.parts(behind: calls)
    if !rest.isEmpty { events += close("completed") }
    for part in rest { events += append(part) }
    return events + close(end == .length ? "incomplete" : "completed")
  }

  private mutating func append(
    _ text: String, _ logs: [JSONValue], to kind: Kind
  ) -> [Event] {
    let start = item?.kind == kind ? [] : begin(kind)
    item?.text += text
    item?.logs += logs
    var fields = place
    fields["delta"] = .string(text)
    guard kind == .message else { return start + [Event(type: "response.reasoning.delta", fields)] }
    fields["logprobs"] = .array(logs)
    return start + [Event(type: "response.output_text.delta", fields)]
  }

  private mutating func begin(_ kind: Kind) -> [Event] {
    let events = close("completed")
    let prefix = kind == .message ? "msg" : "rs"
    let item = Item(kind: kind, id: "\(prefix)_\(RandomID.make())")
    self.item = item
    var part = place
    part["part"] = .object(item.part)
    return events + [
      added(item.json("in_progress", [])), Event(type: "response.content_part.added", part),
    ]
  }

  private mutating func close(_ status: String) -> [Event] {
    guard let item else { return closeCall(status) }
    defer { self.item = nil }
    var (text, part) = (place, place)
    text["text"] = .string(item.text)
    if item.kind == .message { text["logprobs"] = .array(item.logs) }
    part["part"] = .object(item.part)
    let type = item.kind == .message ? "response.output_text.done" : "response.reasoning.done"
    return [
      Event(type: type, text), Event(type: "response.content_part.done", part),
      done(item.json(status, [.object(item.part)])),
    ]
  }

  private mutating func append(_ part: ToolCallPart) -> [Event] {
    switch part {
    case .begin(let name):
      let closed = close("completed")
      let json: JSONObject = [
        "type": .string("function_call"), "id": .string("fc_\(RandomID.make())"),
        "call_id": .string("call_\(RandomID.make())"), "name": .string(name),
        "arguments": .string(""), "status": .string("in_progress"),
      ]
      (call, calls) = (json, calls + 1)
      return closed + [added(json)]
    case .arguments(let text):
      var delta = placeOfCall
      let arguments = (call?["arguments"]?.string ?? "") + text
      call?["arguments"] = .string(arguments)
      delta["delta"] = .string(text)
      return [Event(type: "response.function_call_arguments.delta", delta)]
    }
  }

  private mutating func closeCall(_ status: String) -> [Event] {
    guard var json = call else { return [] }
    var end = placeOfCall
    call = nil
    json["status"] = .string(status)
    for key in ["name", "arguments"] { end[key] = json[key] }
    return [Event(type: "response.function_call_arguments.done", end), done(json)]
  }

  private var placeOfCall: JSONObject {
    ["item_id": call?["id"] ?? .null, "output_index": .integer(items.count)]
  }

  /// Where something is added.
  private var place: JSONObject {
    [
      "item_id": .text(item?.id), "output_index": .integer(items.count),
      "content_index": .integer(0),
    ]
  }

  private func added(_ json: JSONObject) -> Event {
    Event(
      type: "response.output_item.added",
      ["output_index": .integer(items.count), "item": .object(json)])
  }

  private mutating func done(_ json: JSONObject) -> Event {
    items.append(json)
    return Event(
      type: "response.output_item.done",
      ["output_index": .integer(items.count - 1), "item": .object(json)])
  }
}

extension ResponsesOutput.Event {
  init(type: String, _ fields: JSONObject) { self.init(type: type, fields: fields) }
}

extension ResponsesOutput.Item {
  /// What has come.
  fileprivate var part: JSONObject {
    switch kind {
    case .reasoning: ["type": .string("reasoning_text"), "text": .string(text)]
    case .message:
      [
        "type": .string("output_text"), "text": .string(text), "annotations": .array([]),
        "logprobs": .array(logs),
      ]
    }
  }

  fileprivate func json(_ status: String, _ content: [JSONValue]) -> JSONObject {
    switch kind {
    case .reasoning:
      [
        "type": .string("reasoning"), "id": .string(id), "summary": .array([]),
        "content": .array(content), "status": .string(status),
      ]
    case .message:
      [
        "type": .string("message"), "id": .string(id), "status": .string(status),
        "role": .string("assistant"), "content": .array(content),
      ]
    }
  }
}
