import JSON

/// A message of Anthropic's interface that answers a request.
struct AnthropicMessage {
  let run: GenerationRun
  let request: AnthropicRequest
  let id = "msg_\(RandomID.make())"

  /// The message with what it has of its content.
  func json(_ content: [JSONValue], _ end: Generation.End?) -> JSONObject {
    var message: JSONObject = [
      "id": .string(id), "type": .string("message"), "role": .string("assistant"),
      "model": .string(run.model.name), "content": .array(content),
    ]
    for member in stop(end).members { message[member.key] = member.value }
    var usage = self.usage
    for key in ["cache_creation", "inference_geo", "service_tier"] { usage[key] = .null }
    message["usage"] = .object(usage)
    return message
  }

  /// Why the message has ended; all null where it has not.
  func stop(_ end: Generation.End?) -> JSONObject {
    var text: String?
    if case .stopped(let found) = end { text = found }
    return [
      "stop_reason": .text(reason(end)), "stop_sequence": .text(text), "stop_details": .null,
      "container": .null,
    ]
  }

  private func reason(_ end: Generation.End?) -> String? {
    switch end {
    case .finished: "end_turn"
    case .stopped: "stop_sequence"
    case .length: isContextFull ? "model_context_window_exceeded" : "max_tokens"
    case .calls: "tool_use"
    case nil: nil
    }
  }

  /// Whether the context has ended before the limit of the request was reached.
  private var isContextFull: Bool {
    run.usage.total >= run.model.base.contextLength
      && run.usage.generated < request.generation.maximumTokens ?? .max
  }

  /// Tokens so far; those that were known from before are counted apart from the others.
  var usage: JSONObject {
    let usage = run.usage
    return [
      "input_tokens": .integer(usage.prompt - usage.cached),
      "cache_creation_input_tokens": .null,
      "cache_read_input_tokens": .integer(usage.cached),
      "output_tokens": .integer(usage.generated), "output_tokens_details": .null,
      "server_tool_use": .null,
    ]
  }

  /// The message, once all of it has come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    var content = AnthropicContent(showsThoughts: request.showsThoughts)
    while let piece = try run.next() { content.append(piece) }
    guard let end = run.end else { return nil }
    return json(content.blocks(end), end)
  }
}
