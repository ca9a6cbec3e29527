import JSON

/// The events of a response.
///
/// Source: the specification of Open Responses, 2026-04-24, "Streaming".
final class ResponsesStream: HTTPStream {
  private enum State {
    case beginning
    case answering
    case ended
  }

  private let response: Response
  private var output: ResponsesOutput
  private var state = State.beginning
  /// Events that were sent.
  private var count = 0
  private var run: GenerationRun { response.run }

  init(_ response: Response) { (self.response, output) = (response, response.output) }

  var ping: [UInt8]? { Self.form.ping }

  func next() -> [UInt8]? {
    switch state {
    case .beginning:
      state = .answering
      return bytes([event("created", .going), event("in_progress", .going)])
    case .answering:
      do throws(ServingError) {
        while let piece = try run.next() {
          let events = output.append(piece)
          if !events.isEmpty { return bytes(events) }
        }
        return last()
      } catch {
        state = .ended
        return bytes([Self.told(error), event("failed", .failed(error))])
      }
    case .ended: return nil
    }
  }

  /// What is left when the answer has ended; nil where it was given up.
  private func last() -> [UInt8]? {
    state = .ended
    guard let end = run.end else { return nil }
    let state = Response.State.ended(end)
    let events = output.finish(end)
    return bytes(events + [event(state.name, state)])
  }

  private func event(_ name: String, _ state: Response.State) -> ResponsesOutput.Event {
    ResponsesOutput.Event(
      type: "response.\(name)", ["response": .object(response.json(state, output.items))])
  }

  private func bytes(_ events: [ResponsesOutput.Event]) -> [UInt8] {
    events.flatMap { event in
      defer { count += 1 }
      return Self.bytes(event, number: count)
    }
  }

  private static func bytes(_ event: ResponsesOutput.Event, number: Int) -> [UInt8] {
    var object: JSONObject = [
      "type": .string(event.type), "sequence_number": .integer(number),
    ]
    for member in event.fields.members { object[member.key] = member.value }
    return Array("event: \(event.type)\ndata: \(JSONValue.object(object).line)\n\n".utf8)
  }

  private static func told(_ error: ServingError) -> ResponsesOutput.Event {
    ResponsesOutput.Event(type: "error", OpenAIErrors.json(error))
  }

  static let form = EventForm { bytes(told($0), number: 0) }
}
