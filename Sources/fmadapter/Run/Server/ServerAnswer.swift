import ChatTemplates
import JSON
import SystemFiles

/// One answer of a server, as text and as figures.
struct ServerAnswer: Encodable {
  private(set) var text = ""
  private(set) var thoughts: String?
  /// As the server calls it: `stop`, `length`, or `interrupted` where the person stopped it.
  var finish = "stop"
  /// As the server calls it.
  private(set) var model: String
  let server: String
  /// Of the last part of an answer with tools; nil where the server does not count them.
  private(set) var promptTokens: Int?
  /// Of all parts.
  private(set) var generatedTokens: Int?
  /// Seconds from the request to the first text.
  private(set) var timeToFirstToken: Double?
  /// Seconds of the whole answer.
  var seconds = 0.0
  /// Tools that ran before the answer; nil where there were none to call.
  var toolCalls: [ToolProgram.Run]?

  private struct Call {
    var (id, name, arguments) = ("", "", "")
  }

  private let start: ContinuousClock.Instant
  private var calls: [Int: Call] = [:]

  private enum CodingKeys: CodingKey {
    case text, thoughts, finish, model, server, promptTokens, generatedTokens, timeToFirstToken
    case seconds, toolCalls
  }

  init(model: String, server: String) {
    (self.model, self.server, start) = (model, server, .now)
  }

  /// What of a piece people see.
  enum Part {
    case thought(String)
    case text(String)
  }

  /// Takes a piece of a stream, or the whole answer of a server that does not stream.
  mutating func take(_ piece: JSONObject) -> [Part] {
    if let name = piece["model"]?.string, !name.isEmpty { model = name }
    if let usage = piece["usage"]?.object {
      promptTokens = usage["prompt_tokens"]?.integer
      if let count = usage["completion_tokens"]?.integer {
        generatedTokens = (generatedTokens ?? 0) + count
      }
    }
    guard let choice = piece["choices"]?.array?.first?.object else { return [] }
    if let reason = choice["finish_reason"]?.string { finish = reason }
    guard let delta = (choice["delta"] ?? choice["message"])?.object else { return [] }
    take(calls: delta["tool_calls"]?.array ?? [])
    var parts: [Part] = []
    let thought = ChatMessage.thoughtKeys.lazy.compactMap { delta[$0]?.string }.first
    if let thought, !thought.isEmpty {
      thoughts = (thoughts ?? "") + thought
      parts.append(.thought(thought))
    }
    if let said = delta["content"]?.string, !said.isEmpty {
      text += said
      parts.append(.text(said))
    }
    if !parts.isEmpty, timeToFirstToken == nil {
      timeToFirstToken = start.duration(to: .now).inSeconds
    }
    return parts
  }

  private mutating func take(calls pieces: [JSONValue]) {
    for (place, piece) in pieces.enumerated() {
      guard let piece = piece.object else { continue }
      let index = piece["index"]?.integer ?? place
      var call = calls[index] ?? Call()
      if call.id.isEmpty { call.id = piece["id"]?.string ?? "" }
      if call.name.isEmpty { call.name = piece["function"]?.object?["name"]?.string ?? "" }
      call.arguments += piece["function"]?.object?["arguments"]?.string ?? ""
      calls[index] = call
    }
  }

  /// The message that was answered with, and the answer begins anew behind it.
  ///
  /// - Throws: `Failure` for calls that are none.
  mutating func endPart() throws -> ChatMessage {
    let made = try calls.sorted { $0.key < $1.key }.map { index, call throws -> ChatToolCall in
      let arguments = call.arguments.isEmpty ? "{}" : call.arguments
      guard let json = try? JSONDocument(parsing: Array(arguments.utf8)).root, json.object != nil
      else {
        throw Failure.cut("the server's call of '\(call.name)' has no whole arguments")
      }
      return ChatToolCall(
        id: call.id.isEmpty ? "call_\(index)" : call.id, name: call.name, arguments: json)
    }
    calls = [:]
    defer { if !made.isEmpty { text = "" } }
    return ChatMessage(calls: made, content: text)
  }

  /// The figures on one line.
  var summary: String {
    var parts = generatedTokens.map { [Figures.count($0, "token")] } ?? []
    if let timeToFirstToken {
      parts.append("first after \(Figures.fixed(timeToFirstToken, 3)) s")
      // Tools take their time in between.
      if let generatedTokens, generatedTokens > 1, toolCalls?.isEmpty ?? true,
        seconds > timeToFirstToken
      {
        let rate = Double(generatedTokens - 1) / (seconds - timeToFirstToken)
        parts.append("\(Figures.fixed(rate, 1)) tokens/s")
      }
    }
    parts.append("by \(model)")
    switch finish {
    case "stop": break
    case "length": parts.append("ended by the limit of tokens")
    default: parts.append(finish.replacing("_", with: " "))
    }
    return parts.joined(separator: ", ")
  }
}
