import ChatTemplates
import JSON

/// The chunks of chat completions, as server-sent events.
///
/// Source: OpenAI's API reference, "The chat completion chunk object".
final class ChatCompletionsStream: HTTPStream {
  private let completions: ChatCompletions
  private let options: StreamOptions
  private var run: GenerationRun { completions.run }
  private var (hasBegun, hasEnded) = (false, false)

  init(_ completions: ChatCompletions, _ options: StreamOptions) {
    (self.completions, self.options) = (completions, options)
  }

  func next() -> [UInt8]? {
    guard !hasEnded else { return nil }
    guard hasBegun else {
      hasBegun = true
      return Self.event(chunk(["role": .string("assistant"), "content": .string("")]))
    }
    do throws(ServingError) {
      if let piece = try run.next() { return Self.event(chunk(of: piece)) }
      guard let end = run.current.end else {
        hasEnded = true
        return nil
      }
      var events = last(end)
      if try run.goOn() {
        hasBegun = false
      } else {
        events += finish()
      }
      return events
    } catch {
      hasEnded = true
      return Self.event(OpenAIErrors.json(error)) + Self.done
    }
  }

  private func chunk(of piece: Generation.Piece) -> JSONObject {
    var delta: JSONObject = [:]
    if !piece.thought.isEmpty {
      delta["reasoning_content"] = .string(piece.thought)
      delta["reasoning"] = .string(piece.thought)
    }
    if !piece.text.isEmpty || piece.thought.isEmpty { delta["content"] = .string(piece.text) }
    return chunk(delta, logs: completions.logs?.json(piece.reports))
  }

  private func chunk(_ delta: JSONObject, logs: JSONValue? = nil, end: String? = nil) -> JSONObject
  {
    let choice: JSONObject = [
      "index": .integer(run.index), "delta": .object(delta), "logprobs": logs ?? .null,
      "finish_reason": .text(end),
    ]
    return completions.object("chat.completion.chunk", [.object(choice)])
  }

  /// Calls, and why the answer has ended.
  private func last(_ end: Generation.End) -> [UInt8] {
    var events: [UInt8] = []
    if case .calls(let calls) = end {
      for (index, call) in calls.enumerated() {
        // Clients add up the texts of all pieces: name and identity come once, arguments behind them.
        var object = ChatCompletions.call(call, index: index)
        let function: JSONObject = ["name": .string(call.name), "arguments": .string("")]
        object["function"] = .object(function)
        events += Self.event(chunk(["tool_calls": .array([.object(object)])]))
        let arguments: JSONObject = [
          "index": .integer(index),
          "function": .object(["arguments": .string(call.arguments.line)]),
        ]
        events += Self.event(chunk(["tool_calls": .array([.object(arguments)])]))
      }
    }
    return events + Self.event(chunk([:], end: ChatCompletions.reason(end)))
  }

  private func finish() -> [UInt8] {
    hasEnded = true
    guard options.includesUsage else { return Self.done }
    var usage = completions.object("chat.completion.chunk", [])
    usage["usage"] = ChatCompletions.usage(run.usage)
    return Self.event(usage) + Self.done
  }

  static let done = Array("data: [DONE]\n\n".utf8)

  static func event(_ object: JSONObject) -> [UInt8] {
    Array("data: \(JSONValue.object(object).line)\n\n".utf8)
  }
}
