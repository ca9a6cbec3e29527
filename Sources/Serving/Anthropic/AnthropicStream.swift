import JSON

/// The events of a message of Anthropic's interface.
///
/// Source: Anthropic's API reference, "Streaming Messages".
final class AnthropicStream: HTTPStream {
  private enum State {
    case beginning
    case answering
    case ended
  }

  private let message: AnthropicMessage
  private var events: AnthropicEvents
  private var run: GenerationRun { message.run }
  private var state = State.beginning

  init(_ message: AnthropicMessage) {
    self.message = message
    events = AnthropicEvents(showsThoughts: message.request.showsThoughts)
  }

  var ping: [UInt8]? { Self.form.ping }

  func next() -> [UInt8]? {
    switch state {
    case .beginning:
      state = .answering
      return AnthropicEvents.event("message_start", ["message": .object(message.json([], nil))])
    case .answering:
      do throws(ServingError) {
        if let piece = try run.next() { return events.of(piece) }
        state = .ended
        guard let end = run.end else { return nil }
        return last(end)
      } catch {
        state = .ended
        return Self.form.failure(error)
      }
    case .ended: return nil
    }
  }

  static let form = EventForm(ping: AnthropicEvents.event("ping")) {
    AnthropicEvents.event("error", AnthropicErrors.json($0))
  }

  /// Calls, and why the answer has ended.
  private func last(_ end: Generation.End) -> [UInt8] {
    let delta = AnthropicEvents.event(
      "message_delta",
      ["delta": .object(message.stop(end)), "usage": .object(message.usage)])
    return events.of(end) + delta + AnthropicEvents.event("message_stop")
  }
}
