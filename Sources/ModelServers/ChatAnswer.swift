import Adapters
import Foundation
import FoundationModels

/// Makes events of a session of what a server sends.
struct ChatAnswer {
  private typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Event = LanguageModelExecutorGenerationChannel.Event

  private struct Call {
    var id = ""
    var name = ""
    /// What came before the name was whole.
    var waiting = ""
  }

  private let model: String
  private let server: String
  private var calls: [Int: Call] = [:]
  private var refusal = ""
  private var reason: String?
  private var isDone = false
  private var hasText = false
  /// Of the model that answers, which may have a longer one than was asked for.
  private var name: String
  // Of the entries, as thoughts, text and calls may take turns.
  private let responseID = UUID().uuidString
  private let reasoningID = UUID().uuidString

  init(model: String, server: String) {
    (self.model, self.server, name) = (model, server, model)
  }

  /// What a piece of the answer says.
  ///
  /// - Throws: ``ChatServerError`` or `LanguageModelError` for an error that the server sends instead.
  mutating func take(_ piece: ChatPiece) throws -> [Event] {
    switch piece {
    case .done:
      isDone = true
      return []
    case .json(let json):
      if let error = json["error"], error != .null {
        throw ChatFault(status: 200, said: error, server: server, model: model).error
      }
      return try events(json)
    }
  }

  private mutating func events(_ json: JSONObject) throws -> [Event] {
    var events: [Event] = []
    if let model = json["model"]?.string, !model.isEmpty { name = model }
    let choice = json["choices"]?.array?.first?.object
    if let choice {
      // A server that does not stream sends a message where others send what is new of it.
      let delta = (choice["delta"] ?? choice["message"])?.object ?? JSONObject()
      events += said(delta)
      try events.append(contentsOf: called(delta))
      reason = choice["finish_reason"]?.string ?? reason
    } else if json["choices"]?.array == nil, json["usage"] == nil {
      throw ChatServerError.malformed(server: server, reason: "it has neither choices nor an error")
    }
    if let usage = json["usage"]?.object { events.append(Self.usage(usage)) }
    return events
  }

  private mutating func said(_ delta: JSONObject) -> [Event] {
    var events: [Event] = []
    let thought = delta["reasoning_content"]?.string ?? delta["reasoning"]?.string
    if let thought, !thought.isEmpty {
      events.append(
        .reasoning(entryID: reasoningID, action: .appendText(thought, tokenCount: 1)))
    }
    if let text = delta["content"]?.string, !text.isEmpty {
      hasText = true
      events.append(.response(entryID: responseID, action: .appendText(text, tokenCount: 1)))
    }
    refusal += delta["refusal"]?.string ?? ""
    return events
  }

  private mutating func called(_ delta: JSONObject) throws -> [Event] {
    var events: [Event] = []
    for (place, part) in (delta["tool_calls"]?.array ?? []).enumerated() {
      guard let part = part.object else { continue }
      let index = part["index"]?.integer ?? place
      var call = calls[index] ?? Call()
      // Some servers send identity and name with every piece, whole each time.
      if call.id.isEmpty { call.id = part["id"]?.string ?? "" }
      let function = part["function"]?.object
      if call.name.isEmpty { call.name = function?["name"]?.string ?? "" }
      call.waiting += function?["arguments"]?.string ?? ""
      defer { calls[index] = call }
      guard !call.name.isEmpty else { continue }
      // And some send no identity at all.
      if call.id.isEmpty { call.id = "call-\(index)" }
      events.append(
        .toolCalls(
          action: .toolCall(
            id: call.id, name: call.name,
            action: .appendArguments(call.waiting, tokenCount: 1))))
      call.waiting = ""
    }
    return events
  }

  private static func usage(_ usage: JSONObject) -> Event {
    func count(_ names: String...) -> Int {
      var value: JSONValue? = .object(usage)
      for name in names { value = value?.object?[name] }
      return value?.integer ?? 0
    }
    return .response(
      action: .updateUsage(
        input: Channel.Usage.Input(
          totalTokenCount: count("prompt_tokens"),
          cachedTokenCount: count("prompt_tokens_details", "cached_tokens")),
        output: Channel.Usage.Output(
          totalTokenCount: count("completion_tokens"),
          reasoningTokenCount: count("completion_tokens_details", "reasoning_tokens"))))
  }

  /// What is left when the stream has ended.
  ///
  /// - Throws: `LanguageModelError.refusal`, `.guardrailViolation`, or ``ChatServerError/cut(server:reason:)``.
  mutating func finish() throws -> [Event] {
    if !refusal.isEmpty {
      throw LanguageModelError.refusal(
        LanguageModelError.Refusal(
          explanation: refusal, debugDescription: "\(server) sent a refusal instead of an answer."))
    }
    if reason == "content_filter" {
      throw LanguageModelError.guardrailViolation(
        LanguageModelError.GuardrailViolation(
          debugDescription: "A filter of \(server) ended the answer."))
    }
    guard isDone || reason != nil else {
      throw ChatServerError.cut(server: server, reason: "the stream has no end mark")
    }
    return who
  }

  /// The transcript says who answered.
  private var who: [Event] {
    let calls = calls.sorted { $0.key < $1.key }.map(\.value).filter { !$0.name.isEmpty }
    var events: [Event] = calls.map { call in
      .toolCalls(
        action: .toolCall(
          id: call.id, name: call.name,
          action: .updateMetadata(["model": name, "server": server])))
    }
    if hasText || calls.isEmpty {
      events.append(
        .response(
          entryID: responseID,
          action: .updateMetadata(["assetIDs": [name], "model": name, "server": server])))
    }
    return events
  }
}

/// A piece of a server's answer.
enum ChatPiece: Sendable {
  case json(JSONObject)
  /// The mark of the end.
  case done
}
