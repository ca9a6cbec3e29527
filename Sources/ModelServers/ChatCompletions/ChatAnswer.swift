import Foundation
import FoundationModels
import JSON

/// Makes events of a session of what a server of chat completions sends.
struct ChatAnswer: ServerAnswer {
  private struct Call {
    var id = ""
    var name = ""
    /// What came before the name was whole.
    var waiting = ""
  }

  private let asked: AskedServer
  private var calls: [Int: Call] = [:]
  private var refusal = ""
  private var reason: String?
  private var isDone = false
  private var hasText = false
  /// Whether choices have come, and whether something that is not known here has.
  private var (hasChoices, hasOther) = (false, false)
  /// Of the model that answers, which may have a longer one than was asked for.
  private var name: String
  // Of the entries, as thoughts, text and calls may take turns.
  private let responseID = UUID().uuidString
  private let reasoningID = UUID().uuidString

  init(_ asked: AskedServer) { (self.asked, name) = (asked, asked.model) }

  mutating func take(_ piece: ServerPiece) throws -> [Event] {
    switch piece {
    case .done:
      isDone = true
      return []
    case .json(let json):
      if let error = json["error"], error != .null {
        throw ServerFault(status: 200, said: error, asked: asked)
      }
      return try events(json)
    }
  }

  private mutating func events(_ json: JSONObject) throws -> [Event] {
    var events: [Event] = []
    if let model = json["model"]?.string, !model.isEmpty { name = model }
    let choices = json["choices"]?.array
    hasChoices = hasChoices || choices != nil
    if let choice = choices?.first?.object {
      // A server that does not stream sends a message where others send what is new of it.
      let delta = (choice["delta"] ?? choice["message"])?.object ?? JSONObject()
      events += said(delta)
      events += called(delta)
      reason = choice["finish_reason"]?.string ?? reason
    } else if choices == nil, json["usage"] == nil {
      hasOther = true
    }
    if let usage = json["usage"]?.object {
      events.append(
        Self.usage(
          usage, read: [["prompt_tokens"]], cached: ["prompt_tokens_details", "cached_tokens"],
          written: ["completion_tokens"],
          thought: ["completion_tokens_details", "reasoning_tokens"]))
    }
    return events
  }

  private mutating func said(_ delta: JSONObject) -> [Event] {
    var events: [Event] = []
    events += thought(delta["reasoning_content"]?.string ?? delta["reasoning"]?.string)
    events += text(delta["content"]?.string)
    // Some servers send a list where others send a text.
    for part in delta["content"]?.array ?? [] { events += said(part: part) }
    refusal += delta["refusal"]?.string ?? ""
    return events
  }

  /// A part of a content that is a list; kinds that nobody here knows are passed over.
  private mutating func said(part: JSONValue) -> [Event] {
    guard let object = part.object else { return text(part.string) }
    switch object["type"]?.string {
    case "text", "output_text": return text(object["text"]?.string)
    case "thinking", "reasoning":
      // Mistral's thoughts are a list of texts themselves.
      let thoughts = object["thinking"] ?? object["text"]
      let texts = thoughts?.array?.compactMap { $0.object?["text"]?.string }
      return thought(texts?.joined() ?? thoughts?.string)
    case "refusal": refusal += object["refusal"]?.string ?? ""
    default: break
    }
    return []
  }

  private mutating func text(_ text: String?) -> [Event] {
    guard let text, !text.isEmpty else { return [] }
    hasText = true
    return [.response(entryID: responseID, action: .appendText(text, tokenCount: 1))]
  }

  private func thought(_ text: String?) -> [Event] {
    guard let text, !text.isEmpty else { return [] }
    return [.reasoning(entryID: reasoningID, action: .appendText(text, tokenCount: 1))]
  }

  private mutating func called(_ delta: JSONObject) -> [Event] {
    var events: [Event] = []
    for (place, part) in (delta["tool_calls"]?.array ?? []).enumerated() {
      guard let part = part.object else { continue }
      let index = part["index"]?.integer ?? place
      var call = calls[index] ?? Call()
      // Some servers send identity and name with every piece, whole each time.
      if call.id.isEmpty { call.id = part["id"]?.string ?? "" }
      let function = part["function"]?.object
      if call.name.isEmpty { call.name = function?["name"]?.string ?? "" }
      call.waiting += Self.arguments(function?["arguments"])
      defer { calls[index] = call }
      guard !call.name.isEmpty else { continue }
      // And some send no identity at all. Calls of earlier answers are told apart by it, and OpenAI's takes 40 characters at most.
      if call.id.isEmpty { call.id = UUID().uuidString }
      events.append(Self.arguments(call.waiting, of: (call.id, call.name)))
      call.waiting = ""
    }
    return events
  }

  mutating func finish() throws -> [Event] {
    if !refusal.isEmpty { throw Self.refusal(refusal, asked.origin) }
    if reason == "content_filter" { throw Self.filtered(asked.origin) }
    guard hasChoices || !hasOther else {
      throw ModelServerError.malformed(
        server: asked.origin, interface: .chatCompletions,
        reason: "it has neither choices nor an error")
    }
    guard isDone || reason != nil else {
      throw ModelServerError.cut(server: asked.origin, reason: "the stream has no end mark")
    }
    let calls = calls.sorted { $0.key < $1.key }.map { (id: $0.value.id, name: $0.value.name) }
    return Self.who(
      calls: calls.filter { !$0.name.isEmpty }, texts: hasText ? [(responseID, [:])] : [],
      asked.metadata(model: name, stop: reason))
  }
}
