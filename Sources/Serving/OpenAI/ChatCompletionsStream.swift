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
  /// Answers that have ended.
  private var ended = 0
  /// Of each answer, the calls that have begun to be told.
  private var calls: [Int]

  init(_ completions: ChatCompletions, _ options: StreamOptions) {
    (self.completions, self.options) = (completions, options)
    calls = [Int](repeating: 0, count: completions.run.count)
  }

  var ping: [UInt8]? { Self.form.ping }

  func next() -> [UInt8]? {
    guard !hasEnded else { return nil }
    guard hasBegun else {
      hasBegun = true
      return calls.indices.flatMap {
        Self.event(chunk(["role": .string("assistant"), "content": .string("")], of: $0))
      }
    }
    do throws(ServingError) {
      guard let (index, news) = try run.nextNews() else {
        hasEnded = true
        return nil
      }
      switch news {
      case .piece(let piece): return events(of: piece, index)
      case .end(let end, _):
        ended += 1
        return last(end, index) + (ended == run.count ? finish() : [])
      }
    } catch {
      hasEnded = true
      return Self.form.failure(error)
    }
  }

  private func events(of piece: Generation.Piece, _ index: Int) -> [UInt8] {
    let told = piece.calls.flatMap { event($0, index) }
    let isCall = piece.text.isEmpty && piece.thought.isEmpty && piece.reports.isEmpty
    return isCall && !told.isEmpty ? told : Self.event(chunk(of: piece, index)) + told
  }

  private func chunk(of piece: Generation.Piece, _ index: Int) -> JSONObject {
    var delta: JSONObject = [:]
    if !piece.thought.isEmpty {
      delta["reasoning_content"] = .string(piece.thought)
      delta["reasoning"] = .string(piece.thought)
    }
    if !piece.text.isEmpty || piece.thought.isEmpty { delta["content"] = .string(piece.text) }
    return chunk(delta, of: index, logs: completions.logs?.json(piece.reports))
  }

  private func chunk(
    _ delta: JSONObject, of index: Int, logs: JSONValue? = nil, end: String? = nil
  ) -> JSONObject {
    let choice: JSONObject = [
      "index": .integer(index), "delta": .object(delta), "logprobs": logs ?? .null,
      "finish_reason": .text(end),
    ]
    return completions.object("chat.completion.chunk", [.object(choice)])
  }

  /// A part of a call: clients add up the texts of all of them, so name and identity come once.
  private func event(_ part: ToolCallPart, _ index: Int) -> [UInt8] {
    var call: JSONObject
    switch part {
    case .begin(let name):
      calls[index] += 1
      call = ["index": .integer(calls[index] - 1)]
      for member in ChatCompletions.call(name, "").members { call[member.key] = member.value }
    case .arguments(let text):
      call = [
        "index": .integer(calls[index] - 1), "function": .object(["arguments": .string(text)]),
      ]
    }
    return Self.event(chunk(["tool_calls": .array([.object(call)])], of: index))
  }

  /// Calls that were not told yet, and why the answer has ended.
  private func last(_ end: Generation.End, _ index: Int) -> [UInt8] {
    end.parts(behind: calls[index]).flatMap { event($0, index) }
      + Self.event(chunk([:], of: index, end: ChatCompletions.reason(end)))
  }

  private func finish() -> [UInt8] {
    hasEnded = true
    guard options.includesUsage else { return Self.done }
    var usage = completions.object("chat.completion.chunk", [])
    usage["usage"] = ChatCompletions.usage(run.usage)
    return Self.event(usage) + Self.done
  }

  static let done = Array("data: [DONE]\n\n".utf8)

  static let form = EventForm { event(OpenAIErrors.json($0)) + done }

  static func event(_ object: JSONObject) -> [UInt8] {
    Array("data: \(JSONValue.object(object).line)\n\n".utf8)
  }
}
