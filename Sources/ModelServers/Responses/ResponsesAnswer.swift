import Foundation
import FoundationModels
import JSON

/// Makes events of a session of what a server of the Responses API sends.
///
/// An answer is a list of items, each of which is begun, grows and is done; some servers number them, others have their identities alone. What
/// was not said while an item grew is taken from the whole of it.
struct ResponsesAnswer: ServerAnswer {
  private struct Item {
    var type: String
    /// Of its entry in the transcript.
    let entryID = UUID().uuidString
    var call: (id: String, name: String)?
    /// What the server calls it by, and what it is of an answer: both are sent back with it.
    var id: String?
    var phase: String?
    /// Whether something of it was handed out.
    var isBegun = false
    var isDone = false

    /// What the transcript keeps of it beside its text.
    var said: [String: String] {
      var said: [String: String] = [:]
      (said["item"], said["phase"]) = (id, phase)
      return said
    }
  }

  private let asked: AskedServer
  private var items: [String: Item] = [:]
  /// The numbers of items by their identities, for events that have those alone.
  private var numbers: [String: String] = [:]
  /// The items as they came.
  private var order: [String] = []
  private var refusal = ""
  private var stop: String?
  private var isDone = false
  /// Of the model that answers, which may have a longer one than was asked for.
  private var name: String

  init(_ asked: AskedServer) { (self.asked, name) = (asked, asked.model) }

  mutating func take(_ piece: ServerPiece) throws -> [Event] {
    guard case .json(let json) = piece else {
      isDone = true
      return []
    }
    if let error = json["error"], error != .null { throw fault(error) }
    guard let type = json["type"]?.string else {
      // A server that does not stream sends the whole alone.
      guard json["object"]?.string == "response" else {
        throw ModelServerError.malformed(
          server: asked.origin, interface: .responses, reason: "it has neither a type nor an error")
      }
      return try end(json)
    }
    switch type {
    // Its words stand in the event itself.
    case "error": throw fault(.object(json))
    case "response.created", "response.in_progress":
      named(json["response"]?.object)
      return []
    case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
      return try end(json["response"]?.object ?? JSONObject())
    case "response.output_item.added": return begin(json)
    case "response.output_item.done":
      return whole(json["item"]?.object ?? JSONObject(), at: place(json))
    default: return grow(type, json)
    }
  }

  private func fault(_ said: JSONValue?) -> ServerFault {
    ServerFault(status: 200, said: said, asked: asked)
  }

  private mutating func named(_ response: JSONObject?) {
    if let model = response?["model"]?.string, !model.isEmpty { name = model }
  }

  // MARK: - Items

  /// Which item an event is of.
  private mutating func place(_ event: JSONObject) -> String {
    let id = identity(event) ?? ""
    guard let index = event["output_index"]?.integer else { return numbers[id] ?? id }
    if !id.isEmpty { numbers[id] = "\(index)" }
    return "\(index)"
  }

  private func identity(_ event: JSONObject) -> String? {
    event["item_id"]?.string ?? event["item"]?.object?["id"]?.string
  }

  private mutating func open(_ place: String, _ type: String, _ id: String?) -> Item {
    if let item = items[place] { return item }
    order.append(place)
    return Item(type: type, id: id)
  }

  private mutating func begin(_ event: JSONObject) -> [Event] {
    guard let said = event["item"]?.object else { return [] }
    let place = place(event)
    var item = open(place, said["type"]?.string ?? "", said["id"]?.string)
    defer { items[place] = item }
    return announce(&item, said)
  }

  /// Begins the call that an item is, if it is one: a call without arguments is one, too.
  private func announce(_ item: inout Item, _ said: JSONObject) -> [Event] {
    guard item.type == "function_call", item.call == nil, let name = said["name"]?.string,
      let id = said["call_id"]?.string ?? said["id"]?.string
    else { return [] }
    item.call = (id, name)
    return [Self.arguments("", of: (id, name))]
  }

  /// More of an item; kinds that nobody here knows are passed over.
  private mutating func grow(_ type: String, _ event: JSONObject) -> [Event] {
    guard let delta = event["delta"]?.string, !delta.isEmpty else { return [] }
    let kind: String
    switch type {
    case "response.output_text.delta": kind = "message"
    case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
      kind = "reasoning"
    case "response.function_call_arguments.delta": kind = "function_call"
    case "response.refusal.delta":
      refusal += delta
      return []
    default: return []
    }
    let place = place(event)
    var item = open(place, kind, identity(event))
    defer { items[place] = item }
    if kind == "function_call" {
      guard let call = item.call else { return [] }
      item.isBegun = true
      return [Self.arguments(delta, of: call)]
    }
    let part = (event["content_index"] ?? event["summary_index"])?.integer ?? 0
    return [said(delta, part, &item)]
  }

  /// A piece of a part of a message or a thought.
  private func said(_ text: String, _ part: Int, _ item: inout Item) -> Event {
    item.isBegun = true
    let segment = "\(item.entryID)-\(part)"
    return item.type == "reasoning"
      ? .reasoning(
        entryID: item.entryID,
        action: .appendText(text, segmentID: segment, tokenCount: 1))
      : .response(
        entryID: item.entryID,
        action: .appendText(text, segmentID: segment, tokenCount: 1))
  }

  /// An item that is done, and what of it was not said before.
  private mutating func whole(_ said: JSONObject, at place: String) -> [Event] {
    let type = said["type"]?.string ?? ""
    guard ["message", "reasoning", "function_call"].contains(type) else { return [] }
    var item = open(place, type, said["id"]?.string)
    defer { items[place] = item }
    guard !item.isDone else { return [] }
    item.isDone = true
    var events = announce(&item, said)
    if let call = item.call {
      let all = Self.arguments(said["arguments"])
      if !item.isBegun, !all.isEmpty { events.append(Self.arguments(all, of: call)) }
      item.isBegun = true
      return events
    }
    let begun = item.isBegun
    for (index, part) in parts(said).enumerated() {
      if let text = part["text"]?.string, !text.isEmpty, !begun {
        events.append(self.said(text, index, &item))
      }
      if refusal.isEmpty, let text = part["refusal"]?.string { refusal = text }
    }
    item.phase = said["phase"]?.string
    if type == "reasoning" { events += signature(said, item) }
    return events
  }

  /// The parts of a message, or those of a thought: the summary where the server keeps the rest to itself.
  private func parts(_ item: JSONObject) -> [JSONObject] {
    if let text = item["content"]?.string { return [["text": .string(text)]] }
    let lists = [item["summary"], item["content"]].compactMap { $0?.array }
    return (lists.first { !$0.isEmpty } ?? []).compactMap(\.object)
  }

  /// What the server needs to read its thought again.
  private func signature(_ said: JSONObject, _ item: Item) -> [Event] {
    guard let text = said["encrypted_content"]?.string, !text.isEmpty else { return [] }
    var metadata = asked.metadata(model: name)
    metadata["item"] = said["id"]?.string
    return [
      .reasoning(
        entryID: item.entryID,
        action: .updateSignature(Data(text.utf8), tokenCount: 0)),
      .reasoning(entryID: item.entryID, action: .updateMetadata(metadata)),
    ]
  }

  // MARK: - The end

  private mutating func end(_ response: JSONObject) throws -> [Event] {
    named(response)
    if let error = response["error"], error != .null { throw fault(error) }
    let status = response["status"]?.string ?? "completed"
    guard ["completed", "incomplete"].contains(status) else {
      throw fault(.object(["message": .string("the response is \(status)")]))
    }
    var events: [Event] = []
    // What was streamed may have other identities here.
    let output = items.isEmpty ? response["output"]?.array ?? [] : []
    for (index, item) in output.enumerated() {
      events += whole(item.object ?? JSONObject(), at: "\(index)")
    }
    stop = response["incomplete_details"]?.object?["reason"]?.string ?? status
    isDone = true
    if let usage = response["usage"]?.object {
      events.append(
        Self.usage(
          usage, read: [["input_tokens"]], cached: ["input_tokens_details", "cached_tokens"],
          written: ["output_tokens"], thought: ["output_tokens_details", "reasoning_tokens"]))
    }
    return events
  }

  mutating func finish() throws -> [Event] {
    if !refusal.isEmpty { throw Self.refusal(refusal, asked.origin) }
    if stop == "content_filter" { throw Self.filtered(asked.origin) }
    guard isDone else {
      throw ModelServerError.cut(server: asked.origin, reason: "the stream has no end mark")
    }
    let all = order.compactMap { items[$0] }
    let texts = all.filter { $0.type == "message" && $0.isBegun }
    return Self.who(
      calls: all.compactMap(\.call), texts: texts.map { ($0.entryID, $0.said) },
      asked.metadata(model: name, stop: stop))
  }
}
