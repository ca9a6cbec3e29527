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

  var ping: [UInt8]? { Self.comment }

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
        let told = ResponsesOutput.Event(type: "error", OpenAIErrors.json(error))
        return bytes([told, event("failed", .failed(error))])
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
      var object: JSONObject = [
        "type": .string(event.type), "sequence_number": .integer(count),
      ]
      count += 1
      for member in event.fields.members { object[member.key] = member.value }
      return Array("event: \(event.type)\ndata: \(JSONValue.object(object).line)\n\n".utf8)
    }
  }
}
